"""A killed worker is missing until another one starts or six hours pass; one that stops is not."""

from collections.abc import Iterator

import pytest

from portal.background.outbox.heartbeat import EVERY, Heartbeat, worker_status
from portal.platform.database.db import Database
from tests.schemas import PORTAL
from tests.told_clock import ToldClock

HOUR = 3600


class Workers:
    """Workers that send a heartbeat every ten seconds while they run."""

    def __init__(self, database: Database, clock: ToldClock) -> None:
        self.database, self.clock = database, clock
        self.here: list[Heartbeat] = []

    def starts(self) -> Heartbeat:
        one = Heartbeat(self.database, self.clock)
        one.beat()
        self.here.append(one)
        return one

    def is_killed(self, one: Heartbeat) -> None:
        self.here.remove(one)

    def missing(self, *, after: float = 4 * EVERY) -> int:
        self.clock.pass_time(after)
        for one in self.here:
            one.beat()
        return worker_status(self.database, self.clock.now()).missing


@pytest.fixture
def crew(portal_url: str) -> Iterator[Workers]:
    clock = ToldClock()
    database = Database(portal_url, migrations=PORTAL, clock=clock)
    yield Workers(database, clock)
    database.close()


def test_a_killed_worker_is_missing_for_six_hours(crew: Workers):
    crew.starts()
    crew.is_killed(crew.starts())
    assert crew.missing(after=EVERY) == 0
    assert crew.missing() == 1
    assert crew.missing(after=5 * HOUR) == 1
    assert crew.missing(after=HOUR) == 0


def test_a_stopped_worker_is_not_missing(crew: Workers):
    crew.starts()
    ends = crew.starts()
    ends.unregister()
    crew.is_killed(ends)
    assert crew.missing() == 0


def test_a_worker_started_afterwards_replaces_a_killed_one(crew: Workers):
    crew.starts()
    for _ in range(2):
        crew.is_killed(crew.starts())
    assert crew.missing() == 2
    crew.starts()
    assert crew.missing() == 1
    last = crew.starts()
    assert crew.missing() == 0
    last.unregister()
    crew.is_killed(last)
    assert crew.missing() == 0


def test_a_worker_started_before_replaces_no_killed_one(crew: Workers):
    first = crew.starts()
    crew.clock.pass_time(EVERY)
    crew.starts()
    first.beat()
    crew.is_killed(first)
    crew.clock.pass_time(HOUR)  # and none sent heartbeats for a while, as in an outage of the database
    assert crew.missing() == 1
