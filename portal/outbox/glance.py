"""What the desk shows of a row and of lanes, beside how delivery is (health)."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.outbox.decide import TROUBLE
from portal.outbox.states import State
from portal.outbox.tables import lanes, outbox


@dataclass(frozen=True, slots=True)
class InHand:
    """One row while it is there. refusals: by the other side, for good. lease_until: of the worker that sends it."""

    lane: str
    state: State
    attempts: int
    refusals: int
    maybe_arrived: bool
    lease_until: datetime | None
    worker: str | None
    resend_at: datetime | None


@dataclass(frozen=True, slots=True)
class Lane:
    """The way to one other side. broken_since: time alone will not mend it. reason: the failure's class name."""

    failures: int
    rests_until: datetime | None
    broken_since: datetime | None
    reason: str | None

    @property
    def in_trouble(self) -> bool:
        """Whether it is more than a blip."""
        return self.broken_since is not None or self.failures >= TROUBLE


def in_hand(db: Database, kind: str, subject: str) -> InHand | None:
    """The row of one subject; None once it is gone."""
    c = outbox.c
    columns = (c.lane, c.state, c.attempts, c.refusals, c.maybe_arrived, c.lease_until, c.worker, c.resend_at)
    with db.read() as connection:
        row = connection.execute(sa.select(*columns).where(c.kind == kind, c.subject == subject)).one_or_none()
    return InHand(**{**row._asdict(), "state": State(row.state)}) if row else None


def all_lanes(db: Database) -> dict[str, Lane]:
    """By name; one that was never in trouble has no row."""
    with db.read() as connection:
        return {
            row.lane: Lane(row.failures, row.paused_until, row.broken_since, row.reason)
            for row in connection.execute(sa.select(lanes))
        }
