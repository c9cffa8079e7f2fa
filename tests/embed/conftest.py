from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browse.jobs import Careers, careers

if TYPE_CHECKING:
    from tests.embed.company_site import CompanySite


@pytest.fixture
def acme(tmp_path: Path) -> Careers:
    return careers(tmp_path)


@pytest.fixture
def company(tmp_path: Path, request: pytest.FixtureRequest) -> "Iterator[CompanySite]":
    """The page of a web master on a site of its own; only with a browser."""
    from tests.builders import portal
    from tests.embed.company_site import company_site
    from tests.parts.process import free_port

    made = portal(tmp_path / "portal", base_url=f"http://127.0.0.1:{free_port()}")
    made.add_tenant("acme", "Acme Robotics")
    with company_site(made, request.getfixturevalue("chromium")) as site:
        yield site
