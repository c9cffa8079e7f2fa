import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.builders import portal
from tests.site.apply.conftest import LIMIT, vacancy
from tests.site.browse.jobs import Careers, careers
from tests.site.embed.front_end import FILE, FrontEnd

if TYPE_CHECKING:
    from tests.site.embed.company_site import CompanySite


@pytest.fixture
def acme(tmp_path: Path) -> Careers:
    made = careers(tmp_path)
    made.give_host()
    return made


@pytest.fixture
def company(tmp_path: Path, request: pytest.FixtureRequest) -> "Iterator[CompanySite]":
    """The page of a web master on a separate site; only with a browser."""
    from tests.parts.process import free_port
    from tests.site.embed.company_site import company_site

    made = portal(tmp_path / "portal", base_url=f"http://127.0.0.1:{free_port()}")
    made.add_tenant("acme", "Acme Robotics")
    with company_site(made, request.getfixturevalue("chromium")) as site:
        yield site


@pytest.fixture
def partitioning(company: "CompanySite", tmp_path: Path, request: pytest.FixtureRequest) -> "CompanySite":
    """The company's page in a browser that partitions storage by the embedding site."""
    from tests.parts.chromium import arguments, executable

    (tmp_path / "profile" / "Default").mkdir(parents=True)
    preferences = {"profile": {"cookie_controls_mode": 0, "block_third_party_cookies": False}}
    (tmp_path / "profile" / "Default" / "Preferences").write_text(json.dumps(preferences), encoding="utf-8")
    company.new_context = partial(
        request.getfixturevalue("chromium").browser_type.launch_persistent_context,
        tmp_path / "profile",
        executable_path=executable(),
        args=[*arguments(), "--disable-features=Translate"],  # Playwright's own list would switch it off
    )
    return company


@pytest.fixture
def front_end(tmp_path: Path) -> Iterator[FrontEnd]:
    """Acme's own front end."""
    yield from _front_end(tmp_path)


@pytest.fixture
def front_end_on_each(tmp_path: Path, portal_url: str) -> Iterator[FrontEnd]:
    """Acme's own front end, on each database."""
    yield from _front_end(tmp_path, portal_url)


def _front_end(tmp_path: Path, portal_url: str | None = None) -> Iterator[FrontEnd]:
    made = portal(tmp_path / "portal", max_cv_bytes=LIMIT, database_url=portal_url)
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [vacancy("job-1", "Welder"), vacancy("job-2", "Welder of bridges")])
    made.work.mirror_what_is_due()
    yield FrontEnd(made)
    made.parts.database.close()
