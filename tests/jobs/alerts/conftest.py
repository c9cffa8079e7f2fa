"""A company with jobs on each database, for job alerts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.alerts.scene import Scene, scene


@pytest.fixture
def acme(portal_url: str, tmp_path: Path) -> Iterator[Scene]:
    made = scene(tmp_path / "portal", portal_url)
    yield made
    made.portal.parts.database.close()
