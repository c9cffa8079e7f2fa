"""Wake workers when there is work, so that idle workers rarely query the database.

One thread of a worker process:
 1. It waits until something is committed: on PostgreSQL a notification, which a trigger on `outbox` sends (migration
    0015); on SQLite a change of its own counter (`PRAGMA data_version`), read every PAUSE seconds.
 2. It finds out in one query when the next row of each seeker (a loop that looks for work) is due.
 3. Seekers with nothing due pause until then; the others look for work now.

Each pause is at most LONGEST long: if this thread fails, every seeker looks for work at that interval.

Jobs that have no rows to wait for are repeated with a pause (`run_every`): one that fails is logged and stops no other.
"""

import logging
import select
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import sqlalchemy as sa

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import claimable, in_state, of_kinds, outbox
from portal.platform.clock import Clock
from portal.platform.database.db import EPOCH, Database
from portal.platform.database.outages import raising_unavailable
from portal.platform.errors import DatabaseUnavailable, PortalError, error_location

log = logging.getLogger(__name__)

PAUSE = 0.45
"""Seconds between reads of SQLite's counter, and so the longest that a new row waits."""
ASKED_EVERY = 10.0
"""Seconds until the queue is queried although no change was noticed."""
LONGEST = 2 * ASKED_EVERY
CHANNEL = "portal_outbox"
"""The channel of PostgreSQL's notifications; migration 0015 contains it too."""
_AGAIN = 1.0
"""Seconds to wait after a failure."""
_LEAST = 0.1
"""Minimum seconds between two queries on PostgreSQL, however often something is committed."""

Wait = Callable[[float], None]
"""A function that returns when something was committed, or after the given seconds; it may return early."""


class WakeTarget(Protocol):
    """A loop that looks for work."""

    def rest_until(self, monotonic: float) -> None:
        """Pause until this time of the monotonic clock; a time in the past means: look for work now."""


@dataclass(frozen=True, slots=True)
class WorkLoop:
    """A loop that looks for rows of these kinds: rows to be sent or, if `held`, rows to be scanned."""

    kinds: Collection[str]
    who: WakeTarget
    held: bool = False


def run(db: Database, clock: Clock, seekers: Sequence[WorkLoop], stop: threading.Event) -> None:
    """Wake the seekers when there is work, until `stop` is set."""
    query = _question(seekers)
    while not stop.is_set():
        try:
            with (_counter if db.is_sqlite else _notifications)(db, stop) as wait:
                while not stop.is_set():
                    wait(_notify(db, clock, query, seekers))
        except DatabaseUnavailable:
            stop.wait(_AGAIN)  # the seekers get the same error, and log it
        except Exception as error:  # noqa: BLE001  an error must not end the thread; until it continues, the seekers poll
            log.error("internal error while waiting for work: %s", error_location(error))  # noqa: TRY400  a traceback may hold personal data
            stop.wait(_AGAIN)


def _notify(db: Database, clock: Clock, query: sa.Select[Any], seekers: Sequence[WorkLoop]) -> float:
    """Set the time at which each seeker looks next; return the seconds until the next query is due at the latest."""
    with db.read_once() as connection:
        found: Sequence[datetime | None] = connection.execute(query).one()
    now, at = clock.now(), clock.monotonic()
    least = ASKED_EVERY
    for seeker, due in zip(seekers, found, strict=True):
        left = LONGEST if due is None else min(LONGEST, (due - now).total_seconds())
        seeker.who.rest_until(at + left)
        if left > 0:
            least = min(least, left)
    return least


def _question(seekers: Sequence[WorkLoop]) -> sa.Select[Any]:
    """Return a query for the time at which each seeker's next row is due, as one row.

    The time is EPOCH where a row is being sent: its worker may vanish.
    """
    columns: list[sa.ColumnElement[Any]] = [_next_of(one).label(f"due_{place}") for place, one in enumerate(seekers)]
    return sa.Select(*columns)


def _next_of(one: WorkLoop) -> sa.ColumnElement[datetime | None]:
    c = outbox.c
    if one.held:
        held = sa.select(c.due_at).where(of_kinds(one.kinds), in_state(OutboxState.HELD))
        return held.order_by(c.due_at, c.id).limit(1).scalar_subquery()
    # Each kind is read by itself: an index has its rows in order, so one row is read, however many others wait.
    firsts = (sa.select(c.due_at).where(c.kind == kind, claimable()).order_by(c.due_at).limit(1) for kind in one.kinds)
    each = sa.union_all(*(sa.select(first.subquery()) for first in firsts)).subquery()
    due = sa.select(sa.func.min(each.c.due_at)).scalar_subquery()
    being_sent = sa.exists().where(of_kinds(one.kinds), in_state(OutboxState.SENDING))
    return sa.case((being_sent, sa.literal(EPOCH, c.due_at.type)), else_=due)


@contextmanager
def _counter(db: Database, stop: threading.Event) -> Iterator[Wait]:
    """Watch SQLite's counter: it changes once another connection, of this process or another, has committed."""
    with raising_unavailable(), db.engine.connect() as held:
        driver = held.connection.driver_connection
        assert driver is not None  # noqa: S101  it is connected
        version = [driver.execute("PRAGMA data_version").fetchone()]

        def wait(seconds: float) -> None:
            for _ in range(max(1, int(seconds / PAUSE))):
                if stop.wait(min(PAUSE, seconds)):
                    return
                found = driver.execute("PRAGMA data_version").fetchone()
                if found != version[0]:
                    version[0] = found
                    return

        yield wait


@contextmanager
def _notifications(db: Database, stop: threading.Event) -> Iterator[Wait]:
    """Watch PostgreSQL's notifications by waiting on the socket alone, without queries."""
    with db.session() as session:
        session.exec_driver_sql(f"LISTEN {CHANNEL}")
        pg = _pgconn(session)

        def wait(seconds: float) -> None:
            stop.wait(_LEAST)
            left = seconds - _LEAST
            while left > 0 and not stop.is_set():
                pause = min(left, 0.5)
                if select.select([pg.socket], [], [], pause)[0]:
                    with raising_unavailable():
                        _take_up(session)
                    return
                left -= pause

        try:
            yield wait
        finally:
            session.invalidate()  # otherwise the pool would reuse a connection that listens


def _take_up(session: sa.Connection) -> None:
    """Read the notifications that arrived. Raises DatabaseUnavailable if the connection was cut."""
    pg = _pgconn(session)
    try:
        pg.consume_input()
    except Exception as cut:
        raise DatabaseUnavailable("the database cannot be reached (it cut the connection that listens)") from cut
    while pg.notifies():
        pass


def _pgconn(session: sa.Connection) -> Any:  # noqa: ANN401  psycopg's, behind SQLAlchemy
    driver: Any = session.connection.driver_connection
    return driver.pgconn


def run_every(seconds: float, job: Callable[[], object], stop: threading.Event, *, again: float | None = None) -> None:
    """Run `job` until `stop` is set, pausing `seconds` between two runs. again: the pause after a failed run."""
    while not stop.is_set():
        succeeded = run_guarded(job)
        stop.wait(seconds if succeeded or again is None else again)


def run_each(steps: Sequence[Callable[[], object]]) -> None:
    """Run the steps one after another, each guarded as in run_guarded."""
    for step in steps:
        run_guarded(step)


def run_guarded(job: Callable[[], object]) -> bool:
    """Run `job` and return whether it raised nothing; log whatever it raised."""
    try:
        job()
    except PortalError as error:
        log.error("%s", error)  # noqa: TRY400  expected during an outage of a dependency
    except Exception as error:  # noqa: BLE001  one error must not end the sync and the purge for good
        log.error("internal error in the worker: %s", error_location(error))  # noqa: TRY400  a traceback may hold personal data
    else:
        return True
    return False
