"""What stays undelivered past its time.

Most rows end with the attempt that fails past their time (decide.py). In a lane that rests, attempts are rare: there
the rows behind the probe would wait for weeks. So whatever is past its time, was attempted, and sits in a lane that
rests now, is dead without another attempt. A lane that does not rest gives each its attempt: after a week in which no
worker ran, the service may well be there.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database
from portal.outbox.decide import Policy
from portal.outbox.states import CLAIMABLE, State
from portal.outbox.tables import lanes, outbox

_BATCH = 200


@dataclass(frozen=True, slots=True)
class Overdue:
    """A row past its time."""

    id: int
    fence: int
    kind: str
    subject: str


def overdue(db: Database, kinds: list[str], policy: Policy, now: datetime) -> list[Overdue]:
    """Rows to give up now, oldest first."""
    before = now - timedelta(seconds=policy.give_up)
    c = outbox.c
    query = (
        sa.select(c.id, c.fence, c.kind, c.subject)
        .join(lanes, lanes.c.lane == c.lane)
        .where(
            c.kind.in_(kinds),
            c.state.in_(CLAIMABLE),
            c.created_at <= before,
            lanes.c.paused_until > now,
            sa.or_(c.outcome.is_not(None), lanes.c.broken_since <= before),
        )
        .order_by(c.id)
        .limit(_BATCH)
    )
    with db.read() as connection:
        return [Overdue(row.id, row.fence, row.kind, row.subject) for row in connection.execute(query)]


def give_up(connection: sa.Connection, one: Overdue, now: datetime) -> bool:
    """Dead, with the outcome of its last attempt; False if it moved meanwhile."""
    changed = connection.execute(
        outbox.update()
        .where(outbox.c.id == one.id, outbox.c.fence == one.fence, outbox.c.state.in_(CLAIMABLE))
        .values(
            state=State.DEAD,
            fence=one.fence + 1,
            settled_at=now,
            outcome=sa.func.coalesce(outbox.c.outcome, "GivenUp"),
        )
    )
    return changed.rowcount == 1
