"""Heartbeats of workers, so that rows of a vanished worker are recovered before their lease ends.

A witness is needed: only a worker that has sent heartbeats without a gap, for as long as another was silent, may
declare that one gone. So after an outage of the database, which silences every worker, nobody is declared gone.
"""

import secrets
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
"""After a silence this long, a worker's time without a gap starts anew."""
_FORGET = timedelta(days=1)
_STUCK = 180.0
"""Seconds after which an attempt has hung: it fails within a minute where the database does not respond."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """Which workers run.

    fresh: how many sent a heartbeat lately. silent_for: seconds since the last one; None: no worker is known.
    """

    fresh: int
    silent_for: float | None


def worker_status(db: Database, now: datetime) -> WorkerStatus:
    """Return the status of all workers. Raises DatabaseUnavailable.

    Time in which the database was unavailable, and EVERY seconds after it, do not count: nobody could send a heartbeat.
    """
    with db.read() as connection:
        stored = list(connection.scalars(sa.select(workers.c.seen_at)))
    excused = timedelta(seconds=db.outage.lasted(within=EVERY))
    seen = [now - seen_at - excused for seen_at in stored]
    return WorkerStatus(
        fresh=sum(one < GONE for one in seen),
        silent_for=max(0.0, min(seen).total_seconds()) if seen else None,
    )


class Heartbeat:
    """The heartbeat of one worker process. id: marks the rows that it claims."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db, self._clock = db, clock
        self.id = secrets.token_hex(8)
        self._tried_at: float | None = None

    def beat(self) -> None:
        """Record a heartbeat. Raises DatabaseUnavailable."""
        self._tried_at = self._clock.monotonic()
        now = self._clock.now()
        with self._db.write() as connection:
            seen = connection.execute(sa.select(workers.c.seen_at).where(workers.c.id == self.id)).scalar()
            values = {"seen_at": now} if seen and now - seen <= GAP else {"seen_at": now, "since": now}
            written = insert(connection, workers).values(id=self.id, seen_at=now, since=now)
            connection.execute(written.on_conflict_do_update(index_elements=["id"], set_=values))
            connection.execute(workers.delete().where(workers.c.seen_at < now - _FORGET))

    def is_stuck(self) -> bool:
        """Return whether the last attempt, successful or not, was so long ago that the worker's threads must hang."""
        return self._tried_at is not None and self._clock.monotonic() - self._tried_at > _STUCK

    def leave(self) -> None:
        """Delete this worker's heartbeat at shutdown: its rows are finished, nothing needs recovery.

        Raises DatabaseUnavailable.
        """
        with self._db.write() as connection:
            connection.execute(workers.delete().where(workers.c.id == self.id))
