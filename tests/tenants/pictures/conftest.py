"""A portal with a fake internet, on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import builders
from tests.builders import Portal
from tests.tenants.pictures.internet import COVER, LOGO, Internet

FILE = f'[publish]\nstages = ["Open"]\n[site]\nlogo = "{LOGO}"\ncover = "{COVER}"\ncover_focus = "20% 80%"\n'


@pytest.fixture
def internet() -> Internet:
    return Internet()


@pytest.fixture
def acme(portal_url: str, tmp_path: Path, internet: Internet) -> Iterator[Portal]:
    made = builders.portal(tmp_path / "portal", database_url=portal_url, transport=internet)
    internet.service = made.service.transport
    made.add_tenant("acme", "Acme Robotics", FILE)
    made.parts.clock.pass_time(1)
    made.work.mirror_what_is_due()
    yield made
    made.parts.close()
