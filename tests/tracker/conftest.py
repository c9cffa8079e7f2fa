"""A service with a tenant, on the database a test asks for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.told_clock import ToldClock
from tests.tracker.office import Office, opened


@pytest.fixture
def clock() -> ToldClock:
    return ToldClock()


@pytest.fixture
def office(database_url: str, clock: ToldClock) -> Iterator[Office]:
    """Runs the test on SQLite and on PostgreSQL."""
    with opened(database_url, clock) as office:
        yield office


@pytest.fixture
def sqlite_office(tmp_path: Path, clock: ToldClock) -> Iterator[Office]:
    """For what does not depend on the database."""
    with opened(f"sqlite:///{tmp_path / 'tracker.db'}", clock) as office:
        yield office
