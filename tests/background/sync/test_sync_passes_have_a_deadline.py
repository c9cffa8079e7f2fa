"""A pass over a service that sends slow pages without end is stopped at its deadline; its records are kept."""

from datetime import timedelta
from itertools import count

import httpx
import pytest

from portal.background.sync import health, run, state
from portal.background.sync.state import SyncIntervals
from portal.background.sync.tables import ListName
from portal.jobs.mirror import mirror
from portal.platform.database.db import Database
from portal.platform.errors import PassYielded, TookTooLong
from tests.jobs.conftest import ACME, Mirror
from tests.jobs.standin import StandIn, iso, json_response, vacancy
from tests.told_clock import ToldClock


@pytest.fixture
def mirrored(database: Database) -> Mirror:
    clock = ToldClock()
    return Mirror(database, clock, StandIn(clock))


def known(mirrored: Mirror) -> health.Health:
    return health.all_of(mirrored.database, ListName.VACANCIES, mirrored.clock.now())["acme"]


@pytest.mark.parametrize(("whole", "most"), [(False, run.DEADLINE_CHANGES), (True, run.DEADLINE_WHOLE)])
def test_an_endless_list_is_stopped(mirrored: Mirror, *, whole: bool, most: float):
    mirrored.service.put(vacancy("v0"))
    mirrored.sync()
    began, numbers = mirrored.clock.now(), count(1)

    def endless(_: httpx.Request) -> httpx.Response:
        mirrored.clock.pass_time(59)
        at = iso(mirrored.clock.now())
        return json_response(
            {"items": [vacancy(f"v{next(numbers)}")], "pageInfo": {"nextCursor": at, "hasNextPage": True}}
        )

    mirrored.service.fault = endless
    with pytest.raises(TookTooLong):
        mirrored.sync(full=whole)
    assert mirrored.clock.now() - began < timedelta(seconds=most + 60)
    assert known(mirrored).failures == 1
    assert "minutes" in (known(mirrored).error or "")
    assert mirrored.find().total > 30
    mirrored.service.fault = None
    mirrored.sync()
    assert known(mirrored).failures == 0


def test_a_hundred_thousand_vacancies_at_six_seconds_a_page_are_read_completely():
    assert run.DEADLINE_WHOLE > 100_000 / 50 * 6


def test_an_interrupted_pass_is_not_a_failure_and_keeps_its_records(mirrored: Mirror):
    for number in range(120):
        mirrored.service.put(vacancy(f"v{number}"))
        mirrored.clock.pass_time(1)
    answers = iter([False, False, True])
    service, clock = mirrored.service.client(), mirrored.clock
    order = run.PassOptions(intervals=SyncIntervals(60, 86_400), must_yield=lambda: next(answers))
    with pytest.raises(PassYielded):
        mirror.sync(mirrored.database, service, ACME, clock, order)
    assert mirrored.find().total == 100
    assert known(mirrored).failures == 0
    assert state.load(mirrored.database, ListName.VACANCIES, "acme").full_at is None
    mirrored.sync()
    assert mirrored.find().total == 120
