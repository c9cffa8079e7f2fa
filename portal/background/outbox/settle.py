"""Record the results of attempts, all available ones in one transaction; give up rows that are overdue.

Each row is updated by itself: UPDATE … WHERE id AND fence. If no row matches, another worker took over after the lease
ended, and this result has no effect.

A lane that fails is paused and then probed with one row at a time. Rows that were in flight when it first failed belong
to the same outage and are not counted as further failures. After the first success, rows that failed only because of
the outage are due at once.

Rows are overdue whether they wait for a retry, a scanner, or a paused lane. Only a row that was never attempted, in a
lane that works, still gets its first attempt: after a week in which no worker ran, the service may well accept it. That
attempt ends the row either way (retry_policy.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from portal.background.outbox.claim import Claim, claim_of
from portal.background.outbox.retry_policy import (
    DEFERS_ALL,
    LANE_PAUSE_FACTORS,
    MAIL_LANE_PAUSE_FACTORS,
    OUTAGE_AFTER_FAILURES,
    Policy,
    Verdict,
)
from portal.background.outbox.states import CLAIMABLE, FINISHED, NOT_REVIEWED, UNCONFIRMED, HeldFor, OutboxState
from portal.background.outbox.tables import claimable, family, in_state, lanes, of_kinds, outbox
from portal.platform.database.db import Database, insert
from portal.platform.errors import PortalError

_BATCH = 200
_WAITING = (*CLAIMABLE, OutboxState.HELD)


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """One attempt and what to record of it. outcome: the class name of the error.

    error: for the log only. request: the request id that its requests carried.
    """

    claimed: Claim
    verdict: Verdict
    outcome: str | None = None
    error: PortalError | None = None
    request: str = ""


@dataclass(frozen=True, slots=True)
class LaneTransition:
    """A lane that began to fail, or that recovered.

    reason: the error of the first failure. failures: how many there were before it recovered. tenant: whose lane it is.
    """

    lane: str
    tenant: str | None
    failures: int | None = None
    reason: PortalError | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What was recorded: the results whose rows this worker still held, and the lanes that they changed."""

    ours: list[AttemptResult]
    transitions: list[LaneTransition]


def settle(
    db: Database,
    ended: Sequence[AttemptResult],
    policy: Policy,
    now: datetime,
    *,
    in_same_transaction: Callable[[sa.Connection, list[AttemptResult]], None] | None = None,
) -> Settled:
    """Record, all or nothing, the results whose rows this worker still holds; ignore the others."""
    transitions: list[LaneTransition] = []
    with db.write() as connection:
        ours = _still_ours(connection, ended)
        if ours:
            connection.execute(_SETTLE, [_values(one, now) for one in ours])
            transitions = _settle_lanes(connection, ours, policy, now)
            if in_same_transaction:
                in_same_transaction(connection, ours)
    return Settled(ours, transitions)


def _still_ours(connection: sa.Connection, ended: Sequence[AttemptResult]) -> list[AttemptResult]:
    found = connection.execute(_THEM, {"ids": [one.claimed.id for one in ended]})
    there = {(row.id, row.fence, row.state) for row in found}
    return [one for one in ended if (one.claimed.id, one.claimed.fence, one.claimed.state) in there]


# In a fixed order; otherwise two workers that lock the same rows could wait for each other.
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


def _values(one: AttemptResult, now: datetime) -> dict[str, Any]:
    claimed, verdict = one.claimed, one.verdict
    return {
        "the_id": claimed.id,
        "the_fence": claimed.fence,
        "new_state": verdict.state,
        "new_due_at": verdict.due_at,
        "new_attempts": claimed.attempts.made - (0 if verdict.attempt_counts else 1),
        "new_refusals": claimed.attempts.refusals + (1 if verdict.refusal else 0),
        "new_maybe_arrived": claimed.maybe_arrived or verdict.maybe_arrived,
        "new_settled_at": now if verdict.state in {*FINISHED, OutboxState.DEAD} else None,
        "new_outcome": one.outcome,
    }


def _settle_lanes(
    connection: sa.Connection, ended: Sequence[AttemptResult], policy: Policy, now: datetime
) -> list[LaneTransition]:
    transitions: list[LaneTransition] = []
    requested = [one for one in ended if not one.verdict.destination_untried]
    names = {one.claimed.lane for one in requested} | {family(one.claimed.lane) for one in requested}
    known = {row.lane: row for row in connection.execute(_KNOWN, {"names": sorted(names)})} if names else {}
    for attempt in requested:
        one = _as_one_more_deferral(attempt, known)
        lane, whole, verdict = one.claimed.lane, family(one.claimed.lane), one.verdict
        begun = one.claimed.lease_until - timedelta(seconds=policy.lease)
        if verdict.stops_lane:
            failed = whole if verdict.whole_family_fails else lane
            if failed not in known:
                transitions.append(
                    LaneTransition(failed, None if verdict.whole_family_fails else one.claimed.tenant, None, one.error)
                )
            known[failed] = _fails(connection, failed, one, policy, begun, now)
        else:
            # Any response shows that the destination of the whole family can be reached.
            for well in {lane, whole} & known.keys():
                failures = known[well].failures
                if _end_outage(connection, known[well], begun, now):
                    del known[well]
                    transitions.append(LaneTransition(well, one.claimed.tenant if well == lane else None, failures))
    return transitions


def _as_one_more_deferral(one: AttemptResult, known: Mapping[str, sa.Row[Any]]) -> AttemptResult:
    """Count a deferred message as one more failure of the family while the mail server defers every message.

    It does not matter which worker sent it: each one counts deferrals separately (background/mails/deliver.py), and a
    new one starts at zero.
    """
    whole = known.get(family(one.claimed.lane))
    if not one.verdict.message_deferred or whole is None or whole.reason != DEFERS_ALL:
        return one
    return replace(one, outcome=DEFERS_ALL, verdict=replace(one.verdict, lane_fails=True, whole_family_fails=True))


def _end_outage(connection: sa.Connection, known: sa.Row[Any], begun: datetime, now: datetime) -> bool:
    """Return whether the lane has recovered, so that nothing about it needs to be remembered."""
    mine = lanes.c.lane == known.lane
    # A response to a request that was sent before the pause began does not end it.
    if known.paused_until is not None and begun < known.paused_until:
        connection.execute(lanes.update().where(mine).values(broken_since=None))
        return False
    connection.execute(lanes.delete().where(mine))
    if known.failures:
        c = outbox.c
        theirs = sa.or_(c.lane == known.lane, c.lane.startswith(f"{known.lane}:", autoescape=True))
        # A row with more attempts than the outage had probes has a problem of its own, and keeps its own pause.
        of_the_outage = sa.and_(
            c.state == OutboxState.RETRY, c.attempts <= known.failures, c.refusals == 0, c.due_at > now
        )
        connection.execute(outbox.update().where(claimable(), theirs, of_the_outage).values(due_at=now))
    return True


def _goes_as_the_probe(connection: sa.Connection, claimed: Claim, due_at: datetime) -> None:
    """Make this row the next probe of its lane.

    Otherwise even a brief failure would last until the next row without an attempt is due.
    """
    mine = sa.and_(outbox.c.id == claimed.id, outbox.c.fence == claimed.fence)
    connection.execute(outbox.update().where(mine).values(due_at=due_at))


def _fails(
    connection: sa.Connection, lane: str, one: AttemptResult, policy: Policy, begun: datetime, now: datetime
) -> sa.Row[Any]:
    verdict, mine = one.verdict, sa.select(lanes).where(lanes.c.lane == lane)
    known = connection.execute(mine.with_for_update()).one_or_none()
    rests = known.paused_until if known else None
    failures, pause = known.failures if known else 0, verdict.lane_pause or 0.0
    if verdict.lane_fails and (rests is None or begun >= rests):
        steps = MAIL_LANE_PAUSE_FACTORS if family(lane) == "mail" else LANE_PAUSE_FACTORS
        pause = max(pause, policy.first_probe * steps[min(failures, len(steps) - 1)])
        failures = max(failures + 1, OUTAGE_AFTER_FAILURES if verdict.is_outage else 0)
        if verdict.state is OutboxState.RETRY and one.claimed.attempts.made <= failures:
            _goes_as_the_probe(connection, one.claimed, now + timedelta(seconds=pause))
    until = now + timedelta(seconds=pause) if pause else None
    values = {
        "failures": failures,
        "paused_until": max(filter(None, (rests, until)), default=None),
        "broken_since": ((known and known.broken_since) or now) if verdict.lane_misconfigured else None,
        "reason": one.outcome,
        "failing_since": (known and known.failing_since) or now,
    }
    # Another worker may have inserted the row of this lane in the meantime.
    written = insert(connection, lanes).values(lane=lane, **values)
    connection.execute(written.on_conflict_do_update(index_elements=["lane"], set_=values))
    return connection.execute(mine).one()


def overdue(db: Database, kinds: list[str], policy: Policy, now: datetime, *, after: int = 0) -> list[Claim]:
    """Return rows to give up now, oldest first, with ids greater than `after`."""
    before = now - timedelta(seconds=policy.give_up)
    c = outbox.c
    trouble = sa.or_(
        lanes.c.paused_until > now, lanes.c.broken_since.is_not(None), lanes.c.failures >= OUTAGE_AFTER_FAILURES
    )
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
    return [
        replace(claim_of(row, now, OutboxState(row.state), made=row.attempts), fence=row.fence)
        for row in db.rows(query)
    ]


def give_up(
    connection: sa.Connection, one: Claim, now: datetime, *, outcome: str | None = None
) -> tuple[OutboxState, str] | None:
    """End an expired row, as dead, or as discarded where no action is needed.

    A row that the candidate never confirmed is discarded. Return the row's state and the outcome of its last attempt,
    or None if it changed in the meantime. outcome: recorded instead of the outcome that the row has.
    """
    held, held_for = outbox.c.state == OutboxState.HELD, outbox.c.held_for
    changed = connection.execute(
        outbox.update()
        .where(outbox.c.id == one.id, outbox.c.fence == one.fence, outbox.c.state.in_(_WAITING))
        .values(
            state=sa.case((held_for == HeldFor.CANDIDATE, OutboxState.DISCARDED.value), else_=OutboxState.DEAD.value),
            fence=one.fence + 1,
            lease_until=None,
            settled_at=now,
            outcome=sa.func.coalesce(
                sa.literal(outcome, sa.String),
                outbox.c.outcome,
                sa.case(
                    (held_for == HeldFor.CANDIDATE, UNCONFIRMED),
                    (held_for == HeldFor.OPERATOR, NOT_REVIEWED),
                    (held, "ScannerUnavailable"),
                    else_="GivenUp",
                ),
            ),
        )
        .returning(outbox.c.state, outbox.c.outcome)
    )
    row = changed.one_or_none()
    return (OutboxState(row.state), row.outcome) if row else None
