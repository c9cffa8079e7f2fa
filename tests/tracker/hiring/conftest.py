"""Hiring pages on the database a test asks for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.schemas import TRACKER, sqlite_copy
from tests.told_clock import ToldClock
from tests.tracker.hiring.site import HiringSite, opened_hiring


@pytest.fixture
def hiring(tmp_path: Path, clock: ToldClock) -> Iterator[HiringSite]:
    """On SQLite."""
    with opened_hiring(sqlite_copy(tmp_path / "tracker.db", TRACKER), clock, tmp_path) as site:
        yield site


@pytest.fixture
def hiring_on_both(tracker_url: str, tmp_path: Path, clock: ToldClock) -> Iterator[HiringSite]:
    """On SQLite and on PostgreSQL, for tests of differences."""
    with opened_hiring(tracker_url, clock, tmp_path) as site:
        yield site
