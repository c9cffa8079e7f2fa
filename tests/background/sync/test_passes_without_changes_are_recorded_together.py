"""Passes without changes are recorded together, minutes later, and never overwrite newer states."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import sqlalchemy as sa

from portal.background.sync import health, state
from portal.background.sync.tables import ListName, passes
from portal.worker import WorkerThreads
from tests.background.sync.companies import portal
from tests.builders import Portal

COMPANIES = [f"company{number}" for number in range(12)]
INTERVAL, WAIT = 10, state.WRITTEN_EVERY.total_seconds()


@contextmanager
def writes(made: Portal) -> Iterator[list[str]]:
    """Yield the write statements of the block, each once for any number of rows."""
    found: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith(("INSERT", "UPDATE", "DELETE")):
            found.append(statement)

    engine = made.parts.database.engine
    sa.event.listen(engine, "before_cursor_execute", note)
    yield found
    sa.event.remove(engine, "before_cursor_execute", note)


def a_round(made: Portal, after: float = INTERVAL) -> None:
    made.parts.clock.pass_time(after)  # type: ignore[attr-defined]  the clock of tests
    made.work.mirror_what_is_due()


def age(made: Portal, company: str) -> float | None:
    return health.all_of(made.parts.database, ListName.VACANCIES, made.parts.clock.now())[company].age


def test_many_rounds_over_many_companies_need_one_write(tmp_path: Path, portal_url: str):
    with portal(tmp_path, portal_url, *COMPANIES, sync_interval=INTERVAL) as (made, services):
        made.work.mirror_what_is_due()
        a_round(made)
        with writes(made) as written:
            asked = len(services.asked)
            for _ in range(int(WAIT // INTERVAL) - 1):
                a_round(made)
            assert written == []
            a_round(made, INTERVAL)
        assert len(written) == 1
        assert len(services.asked) == asked + len(COMPANIES) * int(WAIT // INTERVAL)
        assert [age(made, company) for company in COMPANIES] == [0.0] * len(COMPANIES)


def test_passes_are_recorded_after_the_wait_and_not_before(tmp_path: Path, portal_url: str):
    with portal(tmp_path, portal_url, "acme", sync_interval=INTERVAL) as (made, _):
        made.work.mirror_what_is_due()
        a_round(made)
        made.parts.clock.pass_time(WAIT - 1)
        assert state.save_deferred(made.parts.database, made.parts.clock.now()) == 0
        made.parts.clock.pass_time(1)
        assert state.save_deferred(made.parts.database, made.parts.clock.now()) == 1
        assert state.save_deferred(made.parts.database, made.parts.clock.now()) == 0
        assert age(made, "acme") == WAIT


def test_a_worker_records_waiting_passes_before_it_stops(tmp_path: Path, portal_url: str):
    with portal(tmp_path, portal_url, "acme", sync_interval=INTERVAL) as (made, _):
        made.work.mirror_what_is_due()
        a_round(made)
        assert state.save_deferred(made.parts.database) == 1
        assert age(made, "acme") == 0.0


def test_a_crash_loses_only_records_of_unchanged_passes(tmp_path: Path, portal_url: str):
    with portal(tmp_path, portal_url, "acme", sync_interval=INTERVAL) as (made, services):
        made.work.mirror_what_is_due()
        a_round(made)
        before = state.load(made.parts.database, ListName.VACANCIES, "acme")
        made.parts.close()
        with portal(tmp_path / "again", portal_url, sync_interval=INTERVAL) as (fresh, _):
            fresh.parts.clock.pass_time(2 * INTERVAL)
            stands = state.load(fresh.parts.database, ListName.VACANCIES, "acme")
        assert stands.watermark == before.watermark
        assert stands.ended_at is None
        assert services.requests("acme") == 2


def test_newer_passes_of_another_worker_are_not_overwritten(tmp_path: Path, portal_url: str):
    with portal(tmp_path, portal_url, "acme", "globex", sync_interval=INTERVAL) as (made, services):
        made.work.mirror_what_is_due()
        a_round(made)
        other = WorkerThreads(made.parts)
        services.fault = lambda company: httpx.Response(500) if company == "acme" else None
        made.parts.clock.pass_time(INTERVAL)
        other.mirror_what_is_due()
        assert state.save_deferred(made.parts.database) == 2
        known = health.all_of(made.parts.database, ListName.VACANCIES, made.parts.clock.now())
        assert (known["acme"].failures, known["acme"].age) == (1, 2 * INTERVAL)
        assert (known["globex"].failures, known["globex"].age) == (0, 0.0)


def test_later_passes_are_not_overwritten(tmp_path: Path, portal_url: str):
    with portal(tmp_path, portal_url, "acme", sync_interval=INTERVAL) as (made, _):
        made.work.mirror_what_is_due()
        a_round(made)
        later = made.parts.clock.now().replace(year=made.parts.clock.now().year + 1)
        with made.parts.database.write() as connection:
            connection.execute(sa.update(passes).values(checked_at=later, succeeded_at=later))
        state.save_deferred(made.parts.database)
        assert state.load(made.parts.database, ListName.VACANCIES, "acme").succeeded_at == later


def test_failures_and_recoveries_are_recorded_immediately(tmp_path: Path, portal_url: str):
    with portal(tmp_path, portal_url, "acme", sync_interval=INTERVAL) as (made, services):
        made.work.mirror_what_is_due()
        services.fault = lambda _: httpx.Response(500)
        a_round(made)
        failing = state.load(made.parts.database, ListName.VACANCIES, "acme")
        services.fault = lambda _: None
        a_round(made)
        right = state.load(made.parts.database, ListName.VACANCIES, "acme")
        assert (failing.failures, right.failures, age(made, "acme")) == (1, 0, 0.0)
