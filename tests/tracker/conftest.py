"""A service with a tenant, on the database a test asks for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.schemas import TRACKER, sqlite_copy
from tests.told_clock import ToldClock
from tests.tracker.office import Office, opened


@pytest.fixture
def clock() -> ToldClock:
    return ToldClock()


@pytest.fixture
def office(tracker_url: str, clock: ToldClock) -> Iterator[Office]:
    """Runs the test on SQLite and on PostgreSQL."""
    with opened(tracker_url, clock) as office:
        yield office


@pytest.fixture
def sqlite_office(tmp_path: Path, clock: ToldClock) -> Iterator[Office]:
    """For tests that do not depend on the database."""
    with opened(sqlite_copy(tmp_path / "tracker.db", TRACKER), clock) as office:
        yield office
