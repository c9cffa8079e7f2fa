"""However many emails wait, a worker reads no more to find the next application, or that there is none."""

from collections.abc import Callable

import psycopg
import pytest
import sqlalchemy as sa

from portal.background.outbox import queue
from portal.background.outbox.claim import claim
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.wakeup import WorkLoop, _notify, _question
from portal.platform.database.db import Database
from tests.told_clock import ToldClock

BACKLOG = 2_000
KINDS = ("application", "record")


class Seeker:
    """Notes when its loop should look for work."""

    def __init__(self) -> None:
        self.until = 0.0

    def rest_until(self, monotonic: float) -> None:
        self.until = monotonic


def put(database: Database, clock: ToldClock, kind: str, numbers: range) -> None:
    with database.write() as connection:
        for number in numbers:
            lane = f"{'mail' if kind == 'letter' else 'service'}:acme"
            queue.enqueue(connection, kind=kind, subject=f"{number}", tenant="acme", lane=lane, now=clock.now())


def rows_read(database: Database, work: Callable[[], object]) -> int:
    """Return the rows that PostgreSQL reads for it, or the hundreds of steps that SQLite takes."""
    if not database.is_sqlite:
        before = _fetched(database)
        work()
        return _fetched(database) - before
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    with database.engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_progress_handler(count, 100)
    work()
    with database.engine.connect() as connection:
        assert connection.connection.driver_connection is driver, "the work used the same connection"
        driver.set_progress_handler(None, 0)
    return steps[0]


def _fetched(database: Database) -> int:
    with database.engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        connection.execute(sa.text("SELECT pg_stat_force_next_flush()"))
        connection.commit()
        found = connection.scalar(sa.text("SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes"))
        scanned = connection.scalar(sa.text("SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables"))
        connection.commit()
    return int(found or 0) + int(scanned or 0)


@pytest.mark.parametrize("waiting", [0, 3])
def test_claims_and_wakeups_read_no_more_behind_a_backlog_of_emails(database: Database, waiting: int):
    clock, seeker = ToldClock(), Seeker()
    loops = [WorkLoop(KINDS, seeker), WorkLoop(["letter"], Seeker())]

    def work() -> None:
        _notify(database, clock, _question(loops), loops)
        found = claim(database, KINDS, Policy(), clock.now(), most=2)
        assert len(found) == min(waiting, 2)

    put(database, clock, "record", range(waiting))
    few = rows_read(database, work)
    put(database, clock, "letter", range(BACKLOG))
    clock.pass_time(1_000)  # what was claimed above is free again
    many = rows_read(database, work)
    assert (seeker.until <= clock.monotonic()) == bool(waiting)
    assert many <= few + BACKLOG / 20, f"{few} before, {many} behind {BACKLOG} emails"
