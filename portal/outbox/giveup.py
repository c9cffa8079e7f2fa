"""What stays undelivered past its time is dead, whatever it waits for: its next try, a scanner, a lane that rests.

Only what was never attempted in a lane that is well is left to its first attempt: after a week in which no worker ran,
the service may well be there. That attempt ends it either way (decide.py).
"""

from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database
from portal.outbox.claim import Claim
from portal.outbox.decide import TROUBLE, Attempts, Policy
from portal.outbox.states import CLAIMABLE, NOT_LOOKED_AT, UNCONFIRMED, HeldFor, State
from portal.outbox.tables import claimable, in_state, lanes, of_kinds, outbox

_BATCH = 200
_WAITING = (*CLAIMABLE, State.HELD)


def overdue(db: Database, kinds: list[str], policy: Policy, now: datetime) -> list[Claim]:
    """Rows to give up now, oldest first."""
    before = now - timedelta(seconds=policy.give_up)
    c = outbox.c
    trouble = sa.or_(lanes.c.paused_until > now, lanes.c.broken_since.is_not(None), lanes.c.failures >= TROUBLE)
    on_its_way = sa.or_(lanes.c.lane == c.lane, c.lane.like(lanes.c.lane + ":%"))
    in_trouble = sa.exists().where(on_its_way, trouble)
    query = (
        sa.select(outbox)
        .where(
            of_kinds(kinds),
            sa.or_(claimable(), in_state(State.HELD)),
            c.created_at <= before,
            sa.or_(c.outcome.is_not(None), c.state == State.HELD, in_trouble),
        )
        .order_by(c.id)
        .limit(_BATCH)
    )
    with db.read() as connection:
        return [
            Claim(
                id=row.id,
                fence=row.fence,
                kind=row.kind,
                subject=row.subject,
                tenant=row.tenant,
                lane=row.lane,
                attempts=Attempts(row.created_at, row.attempts, row.refusals),
                maybe_arrived=row.maybe_arrived,
                lease_until=now,
                state=State(row.state),
            )
            for row in connection.execute(query)
        ]


def give_up(connection: sa.Connection, one: Claim, now: datetime) -> tuple[State, str] | None:
    """Its state and the outcome of its last attempt, or None if the row moved meanwhile.

    Dead, but for what its sender never confirmed: that is of no use to anyone, and nobody has to act.
    """
    held, held_for = outbox.c.state == State.HELD, outbox.c.held_for
    changed = connection.execute(
        outbox.update()
        .where(outbox.c.id == one.id, outbox.c.fence == one.fence, outbox.c.state.in_(_WAITING))
        .values(
            state=sa.case((held_for == HeldFor.PERSON, State.DISCARDED.value), else_=State.DEAD.value),
            fence=one.fence + 1,
            lease_until=None,
            settled_at=now,
            outcome=sa.func.coalesce(
                outbox.c.outcome,
                sa.case(
                    (held_for == HeldFor.PERSON, UNCONFIRMED),
                    (held_for == HeldFor.OPERATOR, NOT_LOOKED_AT),
                    (held, "ScannerUnavailable"),
                    else_="GivenUp",
                ),
            ),
        )
        .returning(outbox.c.state, outbox.c.outcome)
    )
    row = changed.one_or_none()
    return (State(row.state), row.outcome) if row else None
