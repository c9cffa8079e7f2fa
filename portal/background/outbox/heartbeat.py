"""Heartbeats of workers, so that rows of a vanished worker are recovered before their lease ends.

A worker may declare another one gone only if it has itself sent heartbeats without a gap for as long as the other one
was silent. So no worker is declared gone after an outage of the database, which prevents the heartbeats of all workers.
"""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.background.outbox.tables import workers
from portal.platform.clock import Clock
from portal.platform.database.db import Database, insert

EVERY = 10.0
"""Seconds between heartbeats."""
AGAIN = 1.0
"""Seconds until the next try after a heartbeat that the database did not accept."""
GONE = timedelta(seconds=30)
"""A worker without a heartbeat for this long is gone."""
GAP = timedelta(seconds=EVERY * 2)
"""Pause between two heartbeats after which a worker's time without a gap starts anew."""
_STUCK = 180.0
"""Seconds after which an attempt to record a heartbeat counts as hung: it otherwise fails within a minute."""
_FORGET = timedelta(hours=6)
"""Time for which a vanished worker counts as missing; after it, its heartbeat is deleted."""


@dataclass(frozen=True, slots=True)
class WorkerLoad:
    """How many threads of one worker are busy with a kind of work, and how many there are for it."""

    worker: str
    work: str
    busy: int
    most: int


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """The status of all workers.

    fresh: how many sent a heartbeat lately. silent_for: seconds since the last one; None: no worker is known. missing:
    how many vanished without a request to stop, and were not replaced by a worker that started later. loads: of those
    that run, at their last heartbeat.
    """

    fresh: int
    silent_for: float | None
    missing: int
    loads: list[WorkerLoad]


def worker_status(db: Database, now: datetime) -> WorkerStatus:
    """Return the status of all workers. Raises DatabaseUnavailable.

    Time in which the database was unavailable, and EVERY seconds after it, do not count, because no worker could send a
    heartbeat.
    """
    stored = db.rows(sa.select(workers).order_by(workers.c.id))
    excused = timedelta(seconds=db.outage.lasted(within=EVERY))
    silent = [now - one.seen_at - excused for one in stored]
    fresh = [one for one, since in zip(stored, silent, strict=True) if since < GONE]
    started = iter(sorted(one.started_at for one in fresh if one.started_at is not None))
    vanished = sorted(one.seen_at for one in stored if one not in fresh)
    # Match each vanished worker, in the order in which they vanished, with the first unmatched worker that started
    # after it.
    missing = [gone for gone in vanished if next((at for at in started if at > gone), None) is None]
    return WorkerStatus(
        fresh=len(fresh),
        silent_for=max(0.0, min(silent).total_seconds()) if silent else None,
        missing=len(missing),
        loads=[
            WorkerLoad(one.id, work, busy, most)
            for one in fresh
            for work, (busy, most) in json.loads(one.load or "{}").items()
        ],
    )


class Heartbeat:
    """The heartbeat of one worker process. id: marks the rows that it claims.

    pools: name of the work → a function that returns how many threads are busy with it, and how many there are.
    """

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db, self._clock = db, clock
        self.id = secrets.token_hex(8)
        self._tried_at: float | None = None
        self.pools: dict[str, Callable[[], tuple[int, int]]] = {}
        self._started_at = clock.now()

    def beat(self) -> None:
        """Record a heartbeat. Raises DatabaseUnavailable."""
        self._tried_at = self._clock.monotonic()
        now = self._clock.now()
        load = json.dumps({work: count() for work, count in tuple(self.pools.items())})
        with self._db.write() as connection:
            seen = connection.execute(sa.select(workers.c.seen_at).where(workers.c.id == self.id)).scalar()
            mine = {"seen_at": now, "started_at": self._started_at, "load": load}
            values = mine if seen and now - seen <= GAP else {**mine, "since": now}
            written = insert(connection, workers).values(id=self.id, **{**mine, "since": now})
            connection.execute(written.on_conflict_do_update(index_elements=["id"], set_=values))
            connection.execute(workers.delete().where(workers.c.seen_at < now - _FORGET))

    def is_stuck(self) -> bool:
        """Return whether the last attempt, successful or not, was so long ago that the worker's threads must hang."""
        return self._tried_at is not None and self._clock.monotonic() - self._tried_at > _STUCK

    def unregister(self) -> None:
        """Delete this worker's heartbeat at shutdown: its rows are finished, nothing needs recovery.

        The heartbeat of the vanished worker that it replaced is deleted too; otherwise that worker would count as
        missing again. Raises DatabaseUnavailable.
        """
        before = min(self._started_at, self._clock.now() - GONE)
        replaced = sa.select(workers.c.id).where(workers.c.seen_at < before).order_by(workers.c.seen_at).limit(1)
        self._db.run(workers.delete().where(sa.or_(workers.c.id == self.id, workers.c.id.in_(replaced))))
