"""Fail rows that are not delivered in time, whether they wait for a retry, a scanner, or a paused lane.

Only a row that was never attempted, in a lane that works, still gets its first attempt: after a week in which no worker
ran, the service may well accept it. That attempt ends the row either way (retry_policy.py).
"""

from dataclasses import replace
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.background.outbox.claim import Claim, claim_of
from portal.background.outbox.retry_policy import TROUBLE, Policy
from portal.background.outbox.states import CLAIMABLE, NOT_LOOKED_AT, UNCONFIRMED, HeldFor, OutboxState
from portal.background.outbox.tables import claimable, in_state, lanes, of_kinds, outbox
from portal.platform.database.db import Database

_BATCH = 200
_WAITING = (*CLAIMABLE, OutboxState.HELD)


def overdue(db: Database, kinds: list[str], policy: Policy, now: datetime, *, after: int = 0) -> list[Claim]:
    """Return rows to give up now, oldest first, with ids greater than `after`."""
    before = now - timedelta(seconds=policy.give_up)
    c = outbox.c
    trouble = sa.or_(lanes.c.paused_until > now, lanes.c.broken_since.is_not(None), lanes.c.failures >= TROUBLE)
    on_its_way = sa.or_(lanes.c.lane == c.lane, c.lane.like(lanes.c.lane + ":%"))
    in_trouble = sa.exists().where(on_its_way, trouble)
    query = (
        sa.select(outbox)
        .where(
            c.id > after,
            of_kinds(kinds),
            sa.or_(claimable(), in_state(OutboxState.HELD)),
            c.created_at <= before,
            sa.or_(c.outcome.is_not(None), c.state == OutboxState.HELD, in_trouble),
        )
        .order_by(c.id)
        .limit(_BATCH)
    )
    with db.read() as connection:
        return [
            replace(claim_of(row, now, OutboxState(row.state), made=row.attempts), fence=row.fence)
            for row in connection.execute(query)
        ]


def give_up(
    connection: sa.Connection, one: Claim, now: datetime, *, outcome: str | None = None
) -> tuple[OutboxState, str] | None:
    """End a row whose time is over, as dead, or as discarded where nobody has to act.

    Discarded is what the candidate never confirmed: it is of no use to anyone. Return the row's state and the outcome
    of its last attempt, or None if it changed meanwhile. outcome: recorded instead of the outcome that the row has.
    """
    held, held_for = outbox.c.state == OutboxState.HELD, outbox.c.held_for
    changed = connection.execute(
        outbox.update()
        .where(outbox.c.id == one.id, outbox.c.fence == one.fence, outbox.c.state.in_(_WAITING))
        .values(
            state=sa.case((held_for == HeldFor.PERSON, OutboxState.DISCARDED.value), else_=OutboxState.DEAD.value),
            fence=one.fence + 1,
            lease_until=None,
            settled_at=now,
            outcome=sa.func.coalesce(
                sa.literal(outcome, sa.String),
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
    return (OutboxState(row.state), row.outcome) if row else None
