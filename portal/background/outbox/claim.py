"""Claim rows to send, safely among competing workers; settle.py records the results.

Steps of a claim, in one transaction that never spans a network call:
 1. Rows that are still `sending` after their lease, or whose worker is gone (heartbeat.py), become `ambiguous`: the
    worker vanished, perhaps after it sent the request. They are due at once, so that the handler can check with the
    service whether they arrived, but may be sent only from `resend_at` on.
 2. Lanes that are paused, and lanes that have reached their limit of rows in flight, are left out.
 3. The rows that have been due longest are claimed, those without an attempt before the others, and only if no earlier
    row of the same order_key is unfinished. PostgreSQL skips rows that another worker has locked; SQLite holds its
    single write lock (BEGIN IMMEDIATE).
 4. `sending`, the number of the attempt, the lease and a new fence are committed; only then is a connection opened.

Rows held for the scanner are claimed the same way, but stay `held`: nothing is sent meanwhile, so an expired lease only
means that the next worker scans the file again.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from portal.background.outbox.concurrency import LaneCapacity
from portal.background.outbox.heartbeat import GAP, GONE
from portal.background.outbox.retry_policy import Attempts, Policy
from portal.background.outbox.states import UNREADABLE, OutboxState
from portal.background.outbox.tables import claimable, family, in_state, is_first, lanes, of_kinds, outbox, workers
from portal.platform.database.db import Database
from portal.platform.logs import EventName, Part, event

_LONGEST_PAUSE = 2 * 86_400
"""Seconds: twice the longest pause that a service may request."""
_LONGEST_FACTOR = 3_000
"""Delays between tries are at most 2,760 times PORTAL_DELIVERY_RETRY_BASE (retry_policy.py)."""
_CLAIM_ORDER = ((OutboxState.DUE,), (OutboxState.RETRY, OutboxState.AMBIGUOUS))
_NOTHING: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to make one attempt with a row, until `lease_until`."""

    id: int
    fence: int
    """The row's fence while this claim holds it; any other value means that the claim is lost."""
    kind: str
    subject: str
    """What the row is about: a delivery's reference, or another id that its kind defines."""
    tenant: str
    lane: str
    attempts: Attempts
    """The attempts so far, this one included."""
    maybe_arrived: bool
    """An earlier attempt may have arrived: check with the destination first."""
    lease_until: datetime
    state: OutboxState = OutboxState.SENDING
    """The row's state while it is claimed."""
    previous_state: OutboxState = OutboxState.DUE
    """The state to restore if the attempt is not begun."""
    resend_at: datetime | None = None
    """Until then the handler may only check whether it arrived, not send it; None: no such limit."""
    is_probe: bool = False
    """The attempt shows whether an outage of its lane is over."""


def claim(
    db: Database,
    kinds: Collection[str],
    policy: Policy,
    now: datetime,
    *,
    most: int = 1,
    holding: Mapping[str, int] = _NOTHING,
    skip_precheck: bool = False,
    worker: str | None = None,
) -> list[Claim]:
    """Claim up to `most` rows; see the steps above. holding: how many rows of each lane this worker already has.

    skip_precheck: there is most likely work, so skip the read that looks for it without a lock. worker: id of the
    claiming worker, if it sends heartbeats.
    """
    params = {"now": now, "worker_id": worker, "silent_since": now - GONE, "gap_since": now - GAP}
    vanished = True
    if not skip_precheck:
        with db.read_once() as connection:
            # Read without a lock first, so that threads that find no work do not make writers wait for the lock.
            vanished = bool(connection.execute(_ANYBODY_VANISHED, params).scalar())
            capacity = LaneCapacity(connection, now, holding, policy.lease)
            if not vanished and not _next(connection, kinds, now, 1, capacity, lock=False):
                return []
    lease_until = now + timedelta(seconds=policy.lease)
    with db.write() as connection:
        recovered = _recover(connection, policy, params) if vanished else []
        capacity = LaneCapacity(connection, now, holding, policy.lease)
        rows = _next(connection, kinds, now, most, capacity, lock=True)
        if rows:
            # No other transaction can change these rows now: they are locked.
            connection.execute(
                _TAKE, {"ids": [row.id for row in rows], "new_lease_until": lease_until, "worker_id": worker}
            )
    for row in recovered:  # it may have arrived; its handler checks with the service
        event(
            EventName.RECOVERED,
            tenant=row.tenant,
            reference=row.subject if family(row.lane) == "service" else None,
            kind=row.kind,
            part=Part.WORKER,
            level=logging.WARNING,
        )
    made = [claim_of(row, lease_until, OutboxState.SENDING, made=row.attempts + 1) for row in rows]
    return [replace(one, is_probe=True) if capacity.is_probing(one.lane) else one for one in made]


def claim_held(
    db: Database, kinds: Collection[str], policy: Policy, now: datetime, *, most: int = 1, skip_precheck: bool = False
) -> list[Claim]:
    """Claim up to `most` held rows, those that have waited longest, for one scan each. skip_precheck: as in `claim`."""
    c = outbox.c
    query = (
        sa.select(outbox)
        .where(
            of_kinds(kinds),
            in_state(OutboxState.HELD),
            c.due_at <= now,
            sa.or_(c.lease_until.is_(None), c.lease_until <= now),
        )
        .order_by(c.due_at, c.id)
    )
    if not skip_precheck and not db.exists(query.limit(1)):
        return []
    lease_until = now + timedelta(seconds=policy.lease)
    with db.write() as connection:
        rows = connection.execute(query.limit(most).with_for_update(skip_locked=True)).all()
        if rows:
            mine = c.id.in_([row.id for row in rows])  # no other transaction can change them now: they are locked
            connection.execute(outbox.update().where(mine).values(fence=c.fence + 1, lease_until=lease_until))
    return [claim_of(row, lease_until, OutboxState.HELD, made=row.attempts) for row in rows]


def retry_unreadable(db: Database, now: datetime) -> int:
    """Make rows due that no secret key could decrypt at their last attempt; return how many.

    Called when a worker starts, because it may have different keys from those at the last attempt.
    """
    c = outbox.c
    waits = (claimable(), c.outcome == UNREADABLE, c.due_at > now)
    return db.run(outbox.update().where(*waits).values(due_at=now))


def correct_clock(db: Database, policy: Policy, now: datetime) -> int:
    """End pauses longer than any policy allows, left by a clock that was temporarily far ahead; return how many."""
    c, latest = outbox.c, now + timedelta(seconds=max(_LONGEST_PAUSE, _LONGEST_FACTOR * policy.retry_base))
    rows, rests = sa.and_(claimable(), c.due_at > latest), lanes.c.paused_until > latest
    if not db.value(sa.select(sa.or_(sa.exists().where(rows), sa.exists().where(rests)))):
        return 0
    with db.write() as connection:
        ended = connection.execute(lanes.update().where(rests).values(paused_until=None)).rowcount
        return ended + connection.execute(outbox.update().where(rows).values(due_at=now)).rowcount


def hand_back(db: Database, claims: Sequence[Claim]) -> None:
    """Restore rows that were claimed but not begun: nothing was sent, so nothing can have arrived."""
    c = outbox.c
    with db.write() as connection:
        for state, previous_state in {(one.state, one.previous_state) for one in claims}:
            counted = 1 if state is OutboxState.SENDING else 0  # a scan is no attempt
            connection.execute(
                outbox.update()
                .where(c.id == sa.bindparam("the_id"), c.fence == sa.bindparam("the_fence"), c.state == state)
                .values(state=previous_state, fence=c.fence + 1, attempts=c.attempts - counted, lease_until=None),
                [
                    {"the_id": one.id, "the_fence": one.fence}
                    for one in claims
                    if (one.state, one.previous_state) == (state, previous_state)
                ],
            )


def claim_of(row: sa.Row[Any], lease_until: datetime, state: OutboxState, *, made: int) -> Claim:
    """Return the claim of a row as it was read, with the fence that the claim writes. made: number of attempts."""
    return Claim(
        id=row.id,
        fence=row.fence + 1,
        kind=row.kind,
        subject=row.subject,
        tenant=row.tenant,
        lane=row.lane,
        attempts=Attempts(since=row.created_at, made=made, refusals=row.refusals),
        maybe_arrived=row.maybe_arrived,
        lease_until=lease_until,
        state=state,
        previous_state=OutboxState(row.state),
        resend_at=row.resend_at,
    )


def _recover(connection: sa.Connection, policy: Policy, params: dict[str, Any]) -> Sequence[sa.Row[Any]]:
    now: datetime = params["now"]
    recovered = (
        outbox.update()
        .where(in_state(OutboxState.SENDING), _VANISHED)
        .values(
            state=OutboxState.AMBIGUOUS,
            maybe_arrived=True,
            due_at=now,
            resend_at=now + timedelta(seconds=policy.ambiguous_delay),
            lease_until=None,
            fence=outbox.c.fence + 1,
            outcome="WorkerVanished",
        )
        .returning(outbox.c.tenant, outbox.c.kind, outbox.c.subject, outbox.c.lane)
    )
    return connection.execute(recovered, params).all()


def _next(
    connection: sa.Connection,
    kinds: Collection[str],
    now: datetime,
    most: int,
    capacity: LaneCapacity,
    *,
    lock: bool,
) -> list[sa.Row[Any]]:
    query = _due(lock)
    for family_that_rests in capacity.excluded_families:
        query = query.where(sa.not_(outbox.c.lane.startswith(f"{family_that_rests}:", autoescape=True)))
    found: list[sa.Row[Any]] = []
    for states in _CLAIM_ORDER:
        asked = {"now": now, "states": states, "excluded": capacity.excluded_lanes, "most": most - len(found)}
        # A query for each kind: an index has the rows of a kind in order, so no query reads the backlog of another.
        due = [row for kind in kinds for row in connection.execute(query, {**asked, "kind": kind})]
        for row in sorted(due, key=lambda row: (row.due_at, row.id)):
            if len(found) < most and capacity.try_reserve(row.lane):
                found.append(row)
        if len(found) >= most:
            break
    return found


@cache
def _due(lock: bool) -> sa.Select[Any]:  # noqa: FBT001  part of the cache key
    """Return the query for a kind's claimable rows. It is cached because building it costs more than running it."""
    c = outbox.c
    query = (
        sa.select(outbox)
        .where(
            c.kind == sa.bindparam("kind"),
            claimable(),
            c.due_at <= sa.bindparam("now"),
            c.state.in_(sa.bindparam("states", expanding=True)),
            c.lane.not_in(sa.bindparam("excluded", expanding=True)),
            is_first(),
        )
        .order_by(c.due_at, c.id)
        .limit(sa.bindparam("most"))
    )
    return query.with_for_update(skip_locked=True) if lock else query


_observer = workers.alias("observer")
_owner = workers.alias("owner")
_VANISHED = sa.or_(
    outbox.c.lease_until <= sa.bindparam("now"),
    sa.and_(
        outbox.c.worker.is_not(None),
        sa.exists().where(
            _observer.c.id == sa.bindparam("worker_id"),
            _observer.c.since <= sa.bindparam("silent_since"),
            # Only a worker that was alive throughout may declare another dead: it has sent heartbeats without a gap for
            # as long as the other was silent (heartbeat.py).
            _observer.c.seen_at >= sa.bindparam("gap_since"),
        ),
        ~sa.exists().where(_owner.c.id == outbox.c.worker, _owner.c.seen_at > sa.bindparam("silent_since")),
    ),
)
_ANYBODY_VANISHED = sa.select(sa.exists().where(in_state(OutboxState.SENDING), _VANISHED))
_TAKE = (
    outbox.update()
    .where(outbox.c.id.in_(sa.bindparam("ids", expanding=True)))
    .values(
        state=OutboxState.SENDING,
        fence=outbox.c.fence + 1,
        attempts=outbox.c.attempts + 1,
        lease_until=sa.bindparam("new_lease_until"),
        worker=sa.bindparam("worker_id"),
    )
)
