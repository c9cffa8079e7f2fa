"""Record what came of attempts, as many in one transaction as there are.

Each row by itself: UPDATE … WHERE id AND fence. No row, no effect: someone else took over after the lease ran out.

A lane that fails rests and is then asked by one row at a time. What was on its way when it failed first belongs to the
same outage and counts for nothing; with the first answer, what failed by the outage alone is due at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from portal.db import Database, insert
from portal.errors import PortalError
from portal.outbox.claim import Claim
from portal.outbox.decide import LANE_STEPS, Policy, Verdict
from portal.outbox.states import FINISHED, State
from portal.outbox.tables import claimable, family, lanes, outbox


@dataclass(frozen=True, slots=True)
class Ended:
    """One attempt, and what is to be recorded of it. outcome: the class name of what went wrong.

    error: for the log alone. request: the id that its requests carried.
    """

    claimed: Claim
    verdict: Verdict
    outcome: str | None = None
    error: PortalError | None = None
    request: str = ""


@dataclass(frozen=True, slots=True)
class LaneTurned:
    """A lane that began to fail, with the reason, or that is well again after so many failures. tenant: whose it is."""

    lane: str
    tenant: str | None
    failures: int | None = None
    reason: PortalError | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What was recorded: the outcomes that were still ours, and the lanes that turned by them."""

    ours: list[Ended]
    turned: list[LaneTurned]


def settle(
    db: Database,
    ended: Sequence[Ended],
    policy: Policy,
    now: datetime,
    *,
    in_same_transaction: Callable[[sa.Connection, list[Ended]], None] | None = None,
) -> Settled:
    """Record those that are still ours, all or nothing. What is another's by now counts for nothing."""
    turned: list[LaneTurned] = []
    with db.write() as connection:
        ours = _still_ours(connection, ended)
        if ours:
            connection.execute(_SETTLE, [_values(one, now) for one in ours])
            turned = _settle_lanes(connection, ours, policy, now)
            if in_same_transaction:
                in_same_transaction(connection, ours)
    return Settled(ours, turned)


def _still_ours(connection: sa.Connection, ended: Sequence[Ended]) -> list[Ended]:
    found = connection.execute(_THEM, {"ids": [one.claimed.id for one in ended]})
    there = {(row.id, row.fence, row.state) for row in found}
    return [one for one in ended if (one.claimed.id, one.claimed.fence, one.claimed.state) in there]


# In one order, or two workers that lock the same rows would wait for each other.
_THEM = (
    sa.select(outbox.c.id, outbox.c.fence, outbox.c.state)
    .where(outbox.c.id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(outbox.c.id)
    .with_for_update()
)
_KNOWN = (
    sa.select(lanes)
    .where(lanes.c.lane.in_(sa.bindparam("names", expanding=True)))
    .order_by(lanes.c.lane)
    .with_for_update()
)
_SETTLE = (
    outbox.update()
    .where(outbox.c.id == sa.bindparam("the_id"), outbox.c.fence == sa.bindparam("the_fence"))
    .values(
        {
            name: sa.bindparam(f"new_{name}")
            for name in ("state", "due_at", "attempts", "refusals", "maybe_arrived", "settled_at", "outcome")
        }
        | {"lease_until": None}
    )
)


def _values(one: Ended, now: datetime) -> dict[str, Any]:
    claimed, verdict = one.claimed, one.verdict
    return {
        "the_id": claimed.id,
        "the_fence": claimed.fence,
        "new_state": verdict.state,
        "new_due_at": verdict.due_at,
        "new_attempts": claimed.attempts.made - (0 if verdict.attempt_counts else 1),
        "new_refusals": claimed.attempts.refusals + (1 if verdict.refusal else 0),
        "new_maybe_arrived": claimed.maybe_arrived or verdict.maybe_arrived,
        "new_settled_at": now if verdict.state in {*FINISHED, State.DEAD} else None,
        "new_outcome": one.outcome,
    }


def _settle_lanes(connection: sa.Connection, ended: Sequence[Ended], policy: Policy, now: datetime) -> list[LaneTurned]:
    turned: list[LaneTurned] = []
    told = [one for one in ended if not one.verdict.lane_unseen]
    names = {one.claimed.lane for one in told} | {family(one.claimed.lane) for one in told}
    known = {row.lane: row for row in connection.execute(_KNOWN, {"names": sorted(names)})} if names else {}
    for one in told:
        lane, whole, verdict = one.claimed.lane, family(one.claimed.lane), one.verdict
        begun = one.claimed.lease_until - timedelta(seconds=policy.lease)
        if verdict.stops_lane:
            failed = whole if verdict.lane_shared else lane
            if failed not in known:
                turned.append(LaneTurned(failed, None if verdict.lane_shared else one.claimed.tenant, None, one.error))
            known[failed] = _fails(connection, failed, one, policy, begun, now)
        else:
            # Whoever answers shows that the whole family can be reached.
            for well in {lane, whole} & known.keys():
                failures = known[well].failures
                if _is_well(connection, known[well], begun, now):
                    del known[well]
                    if failures:
                        turned.append(LaneTurned(well, one.claimed.tenant if well == lane else None, failures))
    return turned


def _is_well(connection: sa.Connection, known: sa.Row[Any], begun: datetime, now: datetime) -> bool:
    """Whether nothing is to be remembered of the lane any more."""
    mine = lanes.c.lane == known.lane
    # A pause outlives the answers to what flew before it was asked for.
    if known.paused_until is not None and begun < known.paused_until:
        connection.execute(lanes.update().where(mine).values(broken_since=None))
        return False
    connection.execute(lanes.delete().where(mine))
    if known.failures:
        c = outbox.c
        theirs = sa.or_(c.lane == known.lane, c.lane.startswith(f"{known.lane}:", autoescape=True))
        # What was tried more often than the outage was probed has a trouble of its own, and keeps its own pauses.
        of_the_outage = sa.and_(c.state == State.RETRY, c.attempts <= known.failures, c.refusals == 0, c.due_at > now)
        connection.execute(outbox.update().where(claimable(), theirs, of_the_outage).values(due_at=now))
    return True


def _goes_as_the_probe(connection: sa.Connection, claimed: Claim, due_at: datetime) -> None:
    """Else a blip would last until the next row is due that nobody has tried yet."""
    mine = sa.and_(outbox.c.id == claimed.id, outbox.c.fence == claimed.fence)
    connection.execute(outbox.update().where(mine).values(due_at=due_at))


def _fails(
    connection: sa.Connection, lane: str, one: Ended, policy: Policy, begun: datetime, now: datetime
) -> sa.Row[Any]:
    verdict, mine = one.verdict, sa.select(lanes).where(lanes.c.lane == lane)
    known = connection.execute(mine.with_for_update()).one_or_none()
    rests = known.paused_until if known else None
    failures, pause = known.failures if known else 0, verdict.lane_pause or 0.0
    if verdict.lane_fails and (rests is None or begun >= rests):
        pause = max(pause, policy.first_probe * LANE_STEPS[min(failures, len(LANE_STEPS) - 1)])
        failures += 1
        if verdict.state is State.RETRY and one.claimed.attempts.made <= failures:
            _goes_as_the_probe(connection, one.claimed, now + timedelta(seconds=pause))
    until = now + timedelta(seconds=pause) if pause else None
    values = {
        "failures": failures,
        "paused_until": max(filter(None, (rests, until)), default=None),
        "broken_since": ((known and known.broken_since) or now) if verdict.lane_broken else None,
        "reason": one.outcome,
    }
    # Another worker's first failure of this lane may be there by now.
    written = insert(connection, lanes).values(lane=lane, **values)
    connection.execute(written.on_conflict_do_update(index_elements=["lane"], set_=values))
    return connection.execute(mine).one()
