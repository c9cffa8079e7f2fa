"""Time of a database outage, and ten seconds after it, do not count towards missing heartbeats."""

from collections.abc import Iterator

import pytest

from portal.background.outbox.heartbeat import EVERY, GONE, Heartbeat, worker_status
from portal.platform.database.db import Database
from portal.platform.errors import DatabaseUnavailable
from tests.schemas import PORTAL
from tests.told_clock import ToldClock

LONG = GONE.total_seconds() * 3


@pytest.fixture
def clock() -> ToldClock:
    return ToldClock()


@pytest.fixture
def server(portal_url: str, clock: ToldClock) -> Iterator[Database]:
    """The web server's Database object, which is separate from the worker's."""
    made = Database(portal_url, migrations=PORTAL, clock=clock)
    yield made
    made.close()


def outage(database: Database) -> None:
    with pytest.raises(DatabaseUnavailable), database.answering():
        raise DatabaseUnavailable("it is away")


def test_in_the_ten_seconds_after_an_outage_no_worker_counts_as_missing(server: Database, clock: ToldClock):
    Heartbeat(server, clock).beat()
    clock.pass_time(EVERY)
    outage(server)
    clock.pass_time(LONG)
    found = worker_status(server, clock.now())
    assert found.fresh == 1
    assert found.silent_for is not None
    assert found.silent_for <= EVERY
    clock.pass_time(EVERY - 1)
    assert worker_status(server, clock.now()).fresh == 1


def test_a_worker_without_heartbeat_by_then_is_missing(server: Database, clock: ToldClock):
    Heartbeat(server, clock).beat()
    outage(server)
    clock.pass_time(LONG)
    assert worker_status(server, clock.now()).fresh == 1
    clock.pass_time(EVERY)
    assert worker_status(server, clock.now()).fresh == 0


def test_without_an_outage_workers_are_missing_after_thirty_seconds(server: Database, clock: ToldClock):
    Heartbeat(server, clock).beat()
    clock.pass_time(GONE.total_seconds() + 1)
    assert worker_status(server, clock.now()).fresh == 0
