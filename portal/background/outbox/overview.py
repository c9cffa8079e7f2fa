"""One row and all lanes, for the console; health.py has the totals."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.background.outbox.retry_policy import TROUBLE
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import lanes, outbox
from portal.platform.database.db import Database


@dataclass(frozen=True, slots=True)
class RowDetail:
    """One row while it is in the outbox.

    refusals: final refusals by the destination. lease_until: of the worker that sends it.
    """

    lane: str
    state: OutboxState
    attempts: int
    refusals: int
    maybe_arrived: bool
    lease_until: datetime | None
    worker: str | None
    resend_at: datetime | None


@dataclass(frozen=True, slots=True)
class Lane:
    """The state of one lane. broken_since: since when it is misconfigured. reason: the failure's class name."""

    failures: int
    rests_until: datetime | None
    broken_since: datetime | None
    reason: str | None

    @property
    def in_trouble(self) -> bool:
        """Whether the failure is more than a brief interruption."""
        return self.broken_since is not None or self.failures >= TROUBLE


def in_hand(db: Database, kind: str, subject: str) -> RowDetail | None:
    """Return the row of one subject; None once it has been removed."""
    c = outbox.c
    columns = (c.lane, c.state, c.attempts, c.refusals, c.maybe_arrived, c.lease_until, c.worker, c.resend_at)
    with db.read() as connection:
        row = connection.execute(sa.select(*columns).where(c.kind == kind, c.subject == subject)).one_or_none()
    return RowDetail(**{**row._asdict(), "state": OutboxState(row.state)}) if row else None


def all_lanes(db: Database) -> dict[str, Lane]:
    """Return all lanes by name; a lane that never failed has no row."""
    with db.read() as connection:
        return {
            row.lane: Lane(row.failures, row.paused_until, row.broken_since, row.reason)
            for row in connection.execute(sa.select(lanes))
        }
