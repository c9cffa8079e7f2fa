"""Claim and settle: where workers race.

Claiming, in one transaction that never spans a network call:
 1. rows found `sending` after their lease become `ambiguous`: their worker vanished, perhaps after the request left;
 2. lanes that rest, and lanes with as many rows in flight as they may have, are left out;
 3. the row due longest is taken, unless an earlier one of the same candidate is unfinished. PostgreSQL skips rows
    that another worker has locked; SQLite holds its one write lock (BEGIN IMMEDIATE);
 4. `sending`, the attempt's number, the lease and a new fence are committed, and only then does anyone connect.

Settling: UPDATE … WHERE id AND fence. No row, no effect: someone else took over after the lease ran out.

What is held for the scanner is claimed the same way, but stays `held`: nothing leaves meanwhile, so a lease that ran
out means only that the next worker looks at it again.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.db import Database
from portal.outbox.decide import LANE_STEPS, TROUBLE, Attempts, Policy, Verdict
from portal.outbox.states import FINISHED, UNFINISHED, State
from portal.outbox.tables import claimable, in_state, lanes, of_kinds, outbox

IN_FLIGHT = 4
"""Rows that one lane may have in flight at once, over all workers."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to make one attempt, until `lease_until`."""

    id: int
    fence: int
    kind: str
    subject: str
    tenant: str
    lane: str
    attempts: Attempts
    maybe_arrived: bool
    lease_until: datetime
    state: State = State.SENDING


def claim(db: Database, kinds: Collection[str], policy: Policy, now: datetime) -> Claim | None:
    """Take the row that is due longest, or None. See the steps above."""
    with db.read() as connection:
        # Looked at without a lock first: threads that find nothing must not queue up before those that write.
        vanished = connection.execute(sa.select(_anybody_vanished(now))).scalar()
        if not vanished and connection.execute(_next(connection, kinds, now)).first() is None:
            return None
    lease_until = now + timedelta(seconds=policy.lease)
    with db.write() as connection:
        _recover(connection, policy, now)
        query = _next(connection, kinds, now)
        row = connection.execute(query.with_for_update(skip_locked=True)).first()
        if row is None:
            return None
        taken = connection.execute(
            outbox.update()
            .where(outbox.c.id == row.id, outbox.c.fence == row.fence)
            .values(
                state=State.SENDING,
                fence=row.fence + 1,
                attempts=row.attempts + 1,
                lease_until=lease_until,
            )
        )
        if taken.rowcount != 1:
            return None
    return _claim_of(row, lease_until, State.SENDING, made=row.attempts + 1)


def claim_held(db: Database, kinds: Collection[str], policy: Policy, now: datetime) -> Claim | None:
    """Take the held row that has waited longest, for one look of the scanner; None if there is none."""
    c = outbox.c
    query = (
        sa.select(outbox)
        .where(
            of_kinds(kinds),
            in_state(State.HELD),
            c.due_at <= now,
            sa.or_(c.lease_until.is_(None), c.lease_until <= now),
        )
        .order_by(c.due_at, c.id)
        .limit(1)
    )
    with db.read() as connection:
        if connection.execute(query).first() is None:
            return None
    lease_until = now + timedelta(seconds=policy.lease)
    with db.write() as connection:
        row = connection.execute(query.with_for_update(skip_locked=True)).first()
        if row is None:
            return None
        mine = sa.and_(c.id == row.id, c.fence == row.fence)
        connection.execute(outbox.update().where(mine).values(fence=row.fence + 1, lease_until=lease_until))
    return _claim_of(row, lease_until, State.HELD, made=row.attempts)


def _claim_of(row: sa.Row[Any], lease_until: datetime, state: State, *, made: int) -> Claim:
    return Claim(
        id=row.id,
        fence=row.fence + 1,
        kind=row.kind,
        subject=row.subject,
        tenant=row.tenant,
        lane=row.lane,
        attempts=Attempts(row.created_at, made, row.refusals),
        maybe_arrived=row.maybe_arrived,
        lease_until=lease_until,
        state=state,
    )


def settle(
    db: Database,
    claimed: Claim,
    verdict: Verdict,
    policy: Policy,
    now: datetime,
    *,
    outcome: str | None,
    in_same_transaction: Callable[[sa.Connection], None] | None = None,
) -> bool:
    """Record what came of an attempt; False (and nothing recorded) if the claim is no longer ours."""
    with db.write() as connection:
        changed = connection.execute(
            outbox.update()
            .where(outbox.c.id == claimed.id, outbox.c.fence == claimed.fence, outbox.c.state == claimed.state)
            .values(
                state=verdict.state,
                due_at=verdict.due_at,
                lease_until=None,
                attempts=claimed.attempts.made - (0 if verdict.attempt_counts else 1),
                refusals=claimed.attempts.refusals + (1 if verdict.refusal else 0),
                maybe_arrived=claimed.maybe_arrived or verdict.maybe_arrived,
                settled_at=now if verdict.state in {*FINISHED, State.DEAD} else None,
                outcome=outcome,
            )
        )
        if changed.rowcount != 1:
            return False
        _settle_lane(connection, claimed.lane, verdict, policy, now, outcome)
        if in_same_transaction:
            in_same_transaction(connection)
    return True


def _anybody_vanished(now: datetime) -> sa.ColumnElement[bool]:
    return sa.exists().where(in_state(State.SENDING), outbox.c.lease_until <= now)


def _recover(connection: sa.Connection, policy: Policy, now: datetime) -> None:
    connection.execute(
        outbox.update()
        .where(in_state(State.SENDING), outbox.c.lease_until <= now)
        .values(
            state=State.AMBIGUOUS,
            maybe_arrived=True,
            due_at=now + timedelta(seconds=policy.ambiguous_delay),
            lease_until=None,
            fence=outbox.c.fence + 1,
            outcome="WorkerVanished",
        )
    )


def _next(connection: sa.Connection, kinds: Collection[str], now: datetime) -> sa.Select[tuple[object, ...]]:
    earlier = outbox.alias("earlier")
    query = (
        sa.select(outbox)
        .where(
            of_kinds(kinds),
            claimable(),
            outbox.c.due_at <= now,
            sa.or_(
                outbox.c.order_key.is_(None),
                ~sa.exists().where(
                    earlier.c.tenant == outbox.c.tenant,
                    earlier.c.order_key == outbox.c.order_key,
                    earlier.c.id < outbox.c.id,
                    earlier.c.state.in_(UNFINISHED),
                    # Else a program that uses somebody's address would hold up what they send themselves.
                    earlier.c.held_for.is_(None),
                ),
            ),
        )
        .order_by(outbox.c.due_at, outbox.c.id)
        .limit(1)
    )
    closed = _closed_lanes(connection, now)
    return query.where(outbox.c.lane.not_in(closed)) if closed else query


def _closed_lanes(connection: sa.Connection, now: datetime) -> list[str]:
    """Lanes that may not send now: resting, or with as many rows in flight as they may have."""
    in_flight = sa.select(outbox.c.lane, sa.func.count()).where(in_state(State.SENDING))
    flying: dict[str, int] = dict(connection.execute(in_flight.group_by(outbox.c.lane)).all())
    closed = {lane for lane, count in flying.items() if count >= IN_FLIGHT}
    for lane in connection.execute(sa.select(lanes)):
        resting = lane.paused_until is not None and lane.paused_until > now
        troubled = lane.failures >= TROUBLE or lane.broken_since is not None
        if resting or (troubled and flying.get(lane.lane, 0) >= 1):
            closed.add(lane.lane)
    return sorted(closed)


def _settle_lane(
    connection: sa.Connection, lane: str, verdict: Verdict, policy: Policy, now: datetime, outcome: str | None
) -> None:
    if verdict.lane_unseen:
        return
    known = connection.execute(sa.select(lanes).where(lanes.c.lane == lane).with_for_update()).one_or_none()
    # A pause outlives the answers to what flew before it was asked for.
    rest = known.paused_until if known and known.paused_until and known.paused_until > now else None
    if not (verdict.lane_fails or verdict.lane_broken or verdict.lane_pause):
        if known is not None and rest is None:
            connection.execute(lanes.delete().where(lanes.c.lane == lane))
        elif known is not None:
            connection.execute(lanes.update().where(lanes.c.lane == lane).values(failures=0, broken_since=None))
        return
    failures = (known.failures if known else 0) + (1 if verdict.lane_fails else 0)
    pause = verdict.lane_pause or 0.0
    if verdict.lane_fails and failures >= TROUBLE:
        pause = max(pause, policy.retry_base * LANE_STEPS[min(failures - TROUBLE, len(LANE_STEPS) - 1)])
    until = now + timedelta(seconds=pause) if pause else None
    values = {
        "failures": failures,
        "paused_until": max(filter(None, (rest, until)), default=None),
        "broken_since": ((known and known.broken_since) or now) if verdict.lane_broken else None,
        "reason": outcome,
    }
    if known is None:
        insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
        # Another worker's first failure of this lane may be there by now.
        written = insert(lanes).values(lane=lane, **values)
        connection.execute(written.on_conflict_do_update(index_elements=["lane"], set_=values))
    else:
        connection.execute(lanes.update().where(lanes.c.lane == lane).values(**values))
