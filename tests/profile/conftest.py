"""A portal with one tenant, Acme, one candidate and one job."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.apply.conftest import vacancy

if TYPE_CHECKING:
    from tests.builders import Portal
    from tests.profile.candidate import Visitor

FILE = """
[publish]
stages = ["Open"]
[apply]
phone_region = "DE"
[mail]
operator = "jobs@acme.example"
"""


@pytest.fixture
def acme(tmp_path: Path, request: pytest.FixtureRequest) -> "Iterator[Portal]":
    """Settings by `@pytest.mark.parametrize("acme", [{…}], indirect=True)`."""
    from tests.builders import portal
    from tests.profile.candidate import candidate

    made = portal(tmp_path / "portal", **getattr(request, "param", {}))
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [vacancy("job-1", "Welder"), candidate()])
    made.work.mirror_what_is_due()
    made.work.index_what_is_due()
    yield made
    made.parts.database.close()


@pytest.fixture
def ada(acme: "Portal") -> "Visitor":
    from tests.profile.candidate import Visitor

    return Visitor(acme)
