"""Workers show that they are there; rows of one that is not are looked up at their service without waiting for a lease.

A witness is needed: only a worker that has shown itself without a gap for as long as another was silent may say that it
is gone. After a database was away for all, nobody is.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database, insert
from portal.outbox.tables import workers

EVERY = 10.0
"""Seconds between signs of life."""
GONE = timedelta(seconds=30)
"""Without one for so long, a worker is gone."""
GAP = timedelta(seconds=EVERY * 2)
"""After so long without one, a worker begins anew to show itself without a gap."""
_FORGET = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Crew:
    """fresh: workers that showed themselves lately. silent_for: seconds since the last one did; None: none is known."""

    fresh: int
    silent_for: float | None


def crew(db: Database, now: datetime) -> Crew:
    """Who is there to do the work. Raises DatabaseUnavailable."""
    with db.read() as connection:
        seen = [now - row.seen_at for row in connection.execute(sa.select(workers.c.seen_at))]
    return Crew(
        fresh=sum(one < GONE for one in seen),
        silent_for=max(0.0, min(seen).total_seconds()) if seen else None,
    )


class Alive:
    """One worker process. id: what its rows are marked with."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db, self._clock = db, clock
        self.id = secrets.token_hex(8)

    def beat(self) -> None:
        """A sign of life. Raises DatabaseUnavailable."""
        now = self._clock.now()
        with self._db.write() as connection:
            seen = connection.execute(sa.select(workers.c.seen_at).where(workers.c.id == self.id)).scalar()
            values = {"seen_at": now} if seen and now - seen <= GAP else {"seen_at": now, "since": now}
            written = insert(connection, workers).values(id=self.id, seen_at=now, since=now)
            connection.execute(written.on_conflict_do_update(index_elements=["id"], set_=values))
            connection.execute(workers.delete().where(workers.c.seen_at < now - _FORGET))

    def leave(self) -> None:
        """What is in hand is finished, and nobody has to look for it. Raises DatabaseUnavailable."""
        with self._db.write() as connection:
            connection.execute(workers.delete().where(workers.c.id == self.id))
