"""A portal with one tenant, Acme, and an applicant before the form of its one job."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.apply.applicant import Applicant

if TYPE_CHECKING:
    from tests.builders import Portal
    from tests.parts.radosgw import RunningRadosgw
    from tests.site.apply.direct import Sender

LIMIT = 20_000
"""PORTAL_MAX_CV_BYTES here: small, so that the tests are fast."""


def vacancy(posting_id: str, title: str, **members: object) -> str:
    """A record of the service, as it is loaded."""
    record = {
        "id": posting_id,
        "name": {"viewType": "vacancyName", "name": title},
        "description": {"viewType": "vacancyDescription", "description": "<p>Weld.</p>"},
        "stage": {"viewType": "vacancyStage", "stage": {"id": "open", "order": 1, "name": "Open"}},
        **members,
    }
    return json.dumps({"kind": "vacancy", "record": record})


def portal_with(folder: Path, **settings: object) -> "Portal":
    """A portal with Acme and its two jobs."""
    from tests.builders import portal

    made = portal(folder, **{"max_cv_bytes": LIMIT, **settings})
    made.add_tenant("acme", "Acme")
    made.service.load("acme", [vacancy("job-1", "Welder"), vacancy("job-2", "Welder of bridges")])
    made.work.mirror_what_is_due()
    return made


@pytest.fixture
def acme(tmp_path: Path, request: pytest.FixtureRequest) -> "Iterator[Portal]":
    """A portal; settings by `@pytest.mark.parametrize("acme", [{…}], indirect=True)`."""
    made = portal_with(tmp_path / "portal", **getattr(request, "param", {}))
    yield made
    made.parts.database.close()


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.xdist_group("radosgw"))])
def kept(tmp_path: Path, request: pytest.FixtureRequest) -> "Iterator[Portal]":
    """The same portal, whose files are in a folder, and in a bucket of a real server."""
    store: dict[str, object] = {}
    if request.param == "s3":
        server: RunningRadosgw = request.getfixturevalue("s3")
        store = {"attachments": f"s3://{server.bucket}", "s3_endpoint": server.endpoint}
    made = portal_with(tmp_path / "portal", **store)
    yield made
    made.parts.database.close()


@pytest.fixture
def ada(acme: "Portal") -> Iterator[Applicant]:
    with acme.browser() as client:
        yield Applicant(client)


@pytest.fixture
def sender(kept: "Portal") -> "Iterator[Sender]":
    """The script of a form of that portal."""
    from tests.site.apply.direct import Sender

    with kept.browser() as client:
        yield Sender(Applicant(client))
