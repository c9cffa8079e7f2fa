"""The health of delivery: counts, the oldest waiting row, and open circuit breakers; for /metrics."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.background.outbox.retry_policy import OUTAGE_AFTER_FAILURES
from portal.background.outbox.states import FINISHED, UNFINISHED, UNREADABLE, HeldFor, OutboxState
from portal.background.outbox.tables import claimable, family, in_state, is_first, lanes, of_kinds, outbox
from portal.platform.database.db import Database

_LONGEST_DUE = 1_000
"""Limits the number of rows read, so that a large backlog does not delay /metrics."""


def counts(db: Database, kind: str, *, tenant: str | None = None) -> dict[OutboxState, int]:
    """Count the rows of a kind, optionally of one tenant, by state; every state has an entry."""
    query = sa.select(outbox.c.state, sa.func.count()).where(_matching(kind, tenant)).group_by(outbox.c.state)
    found = {row[0]: row[1] for row in db.rows(query)}
    return {state: found.get(state, 0) for state in OutboxState}


@dataclass(frozen=True, slots=True)
class Depth:
    """The rows of one kind, tenant and state.

    unreadable: rows that no secret key can decrypt. attempts: their total. oldest: as in `oldest_unfinished`.
    """

    kind: str
    tenant: str
    state: OutboxState
    count: int
    unreadable: int
    attempts: int
    oldest: datetime | None


def depths(db: Database) -> list[Depth]:
    """Return the depth of the queue by kind, tenant and state, sorted."""
    c = outbox.c
    waits = sa.and_(c.state.in_(UNFINISHED), c.held_for.is_(None))
    query = (
        sa.select(
            c.kind,
            c.tenant,
            c.state,
            sa.func.count(),
            sa.func.count().filter(_is_unreadable()),
            sa.func.coalesce(sa.func.sum(c.attempts), 0),
            sa.func.min(sa.case((waits, c.created_at)), type_=c.created_at.type),
        )
        .group_by(c.kind, c.tenant, c.state)
        .order_by(c.kind, c.tenant, c.state)
    )
    return [
        Depth(kind, tenant, OutboxState(state), count, unreadable, int(attempts), oldest)
        for kind, tenant, state, count, unreadable, attempts, oldest in db.rows(query)
    ]


def due_since(db: Database, now: datetime) -> dict[tuple[str, str], datetime]:
    """Return (kind, tenant) → since when a row could have been sent, among the _LONGEST_DUE rows due longest.

    Rows that wait for something else than a worker do not count: for their next attempt, for an earlier row, for
    somebody to release them, or for a lane that fails or is paused (a lane that works has no row in `outbox_lanes`).
    """
    c = outbox.c
    query = sa.select(c.kind, c.tenant, c.due_at).where(claimable(), c.due_at <= now, is_first())
    found: dict[tuple[str, str], datetime] = {}
    with db.read() as connection:
        troubled = connection.scalars(sa.select(lanes.c.lane)).all()
        query = query.where(c.lane.not_in(troubled))
        for whole in (one for one in troubled if family(one) == one):
            query = query.where(~c.lane.startswith(f"{whole}:", autoescape=True))
        for row in connection.execute(query.order_by(c.due_at, c.id).limit(_LONGEST_DUE)):
            found.setdefault((row.kind, row.tenant), row.due_at)
    return found


def waiting(db: Database, kind: str) -> dict[tuple[str, HeldFor], int]:
    """Return (tenant, who must release them) → the number of rows of a kind that are held for somebody."""
    c = outbox.c
    query = sa.select(c.tenant, c.held_for, sa.func.count()).where(
        in_state(OutboxState.HELD), of_kinds([kind]), c.held_for.is_not(None)
    )
    return {(row[0], HeldFor(row[1])): row[2] for row in db.rows(query.group_by(c.tenant, c.held_for))}


def unreadable(db: Database, kind: str, *, tenant: str) -> int:
    """Count the tenant's unfinished rows that no secret key could decrypt at their last attempt."""
    with db.read() as connection:
        query = sa.select(sa.func.count()).select_from(outbox).where(_matching(kind, tenant), _is_unreadable())
        return connection.execute(query).scalar_one()


def oldest_unfinished(db: Database, kind: str, *, tenant: str | None = None) -> datetime | None:
    """Return when the oldest unfinished row was queued, or when an operator last retried it; None if there is none.

    Rows held for an operator or a candidate do not count: no worker and no service has to do anything about them.
    """
    unfinished = sa.and_(outbox.c.state.in_(UNFINISHED), outbox.c.held_for.is_(None))
    query = sa.select(sa.func.min(outbox.c.created_at)).where(_matching(kind, tenant), unfinished)
    return db.value(query)


def unsent_since(db: Database, kind: str, *, after: datetime, until: datetime) -> int:
    """Count the rows of a kind, queued after `after` and up to `until`, that still wait or are being sent."""
    c = outbox.c
    waits = sa.or_(claimable(), in_state(OutboxState.SENDING))
    query = sa.select(sa.func.count()).where(of_kinds([kind]), waits, c.created_at > after, c.created_at <= until)
    with db.read() as connection:
        return connection.execute(query).scalar_one()


def waiting_in(db: Database, lane_family: str) -> int:
    """Count the rows that wait or are being sent in all lanes of a family."""
    c = outbox.c
    theirs = sa.or_(c.lane == lane_family, c.lane.startswith(f"{lane_family}:", autoescape=True))
    query = sa.select(sa.func.count()).where(theirs, sa.or_(claimable(), in_state(OutboxState.SENDING)))
    with db.read() as connection:
        return connection.execute(query).scalar_one()


def open_breakers(db: Database) -> dict[str, str]:
    """Return lanes that are misconfigured or fail repeatedly → the class name of the last failure."""
    query = sa.select(lanes.c.lane, lanes.c.reason).where(
        sa.or_(lanes.c.broken_since.is_not(None), lanes.c.failures >= OUTAGE_AFTER_FAILURES)
    )
    return {row.lane: row.reason or "" for row in db.rows(query)}


@dataclass(frozen=True, slots=True)
class BrokenLane:
    """A lane whose destination is misconfigured, or rejects the portal's key. reason: the failure's class name."""

    lane: str
    since: datetime
    reason: str | None


def lock_broken(connection: sa.Connection) -> list[BrokenLane]:
    """Return misconfigured lanes, which somebody has to fix, locked until the caller's transaction ends."""
    query = sa.select(lanes).where(lanes.c.broken_since.is_not(None)).order_by(lanes.c.lane).with_for_update()
    return [BrokenLane(row.lane, row.broken_since, row.reason) for row in connection.execute(query)]


def pauses_left(db: Database, now: datetime) -> dict[str, float]:
    """Return paused lanes → the seconds that are left of the pause."""
    query = sa.select(lanes.c.lane, lanes.c.paused_until).where(lanes.c.paused_until > now)
    return {row.lane: (row.paused_until - now).total_seconds() for row in db.rows(query)}


def _is_unreadable() -> sa.ColumnElement[bool]:
    return sa.and_(outbox.c.outcome == UNREADABLE, outbox.c.state.not_in(FINISHED))


def _matching(kind: str, tenant: str | None) -> sa.ColumnElement[bool]:
    of_tenant = sa.true() if tenant is None else outbox.c.tenant == tenant
    return sa.and_(outbox.c.kind == kind, of_tenant)


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
    """The state of one lane. broken_since: since when it is misconfigured. reason: the failure's class name.

    failing_since: when its first failure was recorded.
    """

    failures: int
    rests_until: datetime | None
    broken_since: datetime | None
    reason: str | None
    failing_since: datetime | None

    @property
    def in_trouble(self) -> bool:
        """Whether the failure is more than a brief interruption."""
        return self.broken_since is not None or self.failures >= OUTAGE_AFTER_FAILURES


def row_of(db: Database, kind: str, subject: str) -> RowDetail | None:
    """Return the row of one subject; None once it has been removed."""
    c = outbox.c
    columns = (c.lane, c.state, c.attempts, c.refusals, c.maybe_arrived, c.lease_until, c.worker, c.resend_at)
    row = db.row(sa.select(*columns).where(c.kind == kind, c.subject == subject))
    return RowDetail(**{**row._asdict(), "state": OutboxState(row.state)}) if row else None


def all_lanes(db: Database) -> dict[str, Lane]:
    """Return all lanes by name; a lane that never failed has no row."""
    return {
        row.lane: Lane(row.failures, row.paused_until, row.broken_since, row.reason, row.failing_since)
        for row in db.rows(sa.select(lanes))
    }
