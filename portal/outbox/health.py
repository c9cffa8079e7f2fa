"""How delivery is: counts, the oldest that waits, and breakers; for /metrics."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.outbox.decide import TROUBLE
from portal.outbox.states import UNFINISHED, HeldFor, State
from portal.outbox.tables import in_state, lanes, of_kinds, outbox


def counts(db: Database, kind: str, *, tenant: str | None = None) -> dict[State, int]:
    """How many rows of a kind, perhaps of one tenant, are in each state; every state is named."""
    query = sa.select(outbox.c.state, sa.func.count()).where(_matching(kind, tenant)).group_by(outbox.c.state)
    with db.read() as connection:
        found = {row[0]: row[1] for row in connection.execute(query)}
    return {state: found.get(state, 0) for state in State}


@dataclass(frozen=True, slots=True)
class Depth:
    """Rows of a kind, a tenant and a state. attempts: made for them. oldest: as `oldest_unfinished` has it."""

    kind: str
    tenant: str
    state: State
    count: int
    attempts: int
    oldest: datetime | None


def depths(db: Database) -> list[Depth]:
    """All that is in the queue, sorted."""
    c = outbox.c
    waits = sa.and_(c.state.in_(UNFINISHED), c.held_for.is_(None))
    query = (
        sa.select(
            c.kind,
            c.tenant,
            c.state,
            sa.func.count(),
            sa.func.coalesce(sa.func.sum(c.attempts), 0),
            sa.func.min(sa.case((waits, c.created_at)), type_=c.created_at.type),
        )
        .group_by(c.kind, c.tenant, c.state)
        .order_by(c.kind, c.tenant, c.state)
    )
    with db.read() as connection:
        return [
            Depth(kind, tenant, State(state), count, int(attempts), oldest)
            for kind, tenant, state, count, attempts, oldest in connection.execute(query)
        ]


def waiting(db: Database, kind: str) -> dict[tuple[str, HeldFor], int]:
    """(tenant, for whom) → how many rows of a kind are held until they let them go on."""
    c = outbox.c
    query = sa.select(c.tenant, c.held_for, sa.func.count()).where(
        in_state(State.HELD), of_kinds([kind]), c.held_for.is_not(None)
    )
    with db.read() as connection:
        return {(row[0], HeldFor(row[1])): row[2] for row in connection.execute(query.group_by(c.tenant, c.held_for))}


def oldest_unfinished(db: Database, kind: str, *, tenant: str | None = None) -> datetime | None:
    """Since when the one waits that waits longest, or since an operator last sent it again.

    What is held for somebody does not count: no worker and no service has to do anything about it.
    """
    unfinished = sa.and_(outbox.c.state.in_(UNFINISHED), outbox.c.held_for.is_(None))
    query = sa.select(sa.func.min(outbox.c.created_at)).where(_matching(kind, tenant), unfinished)
    with db.read() as connection:
        return connection.execute(query).scalar()


def open_breakers(db: Database) -> dict[str, str]:
    """Lanes that are misconfigured or fail again and again → the last failure's class name."""
    query = sa.select(lanes.c.lane, lanes.c.reason).where(
        sa.or_(lanes.c.broken_since.is_not(None), lanes.c.failures >= TROUBLE)
    )
    with db.read() as connection:
        return {row.lane: row.reason or "" for row in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class BrokenLane:
    """A lane whose other side is misconfigured, or believes that we are. reason: the failure's class name."""

    lane: str
    since: datetime
    reason: str | None


def lock_broken(connection: sa.Connection) -> list[BrokenLane]:
    """Lanes that time alone will not mend, locked until the caller's transaction ends."""
    query = sa.select(lanes).where(lanes.c.broken_since.is_not(None)).order_by(lanes.c.lane).with_for_update()
    return [BrokenLane(row.lane, row.broken_since, row.reason) for row in connection.execute(query)]


def resting(db: Database, now: datetime) -> dict[str, float]:
    """Lanes that rest → for how many seconds more."""
    query = sa.select(lanes.c.lane, lanes.c.paused_until).where(lanes.c.paused_until > now)
    with db.read() as connection:
        return {row.lane: (row.paused_until - now).total_seconds() for row in connection.execute(query)}


def _matching(kind: str, tenant: str | None) -> sa.ColumnElement[bool]:
    of_tenant = sa.true() if tenant is None else outbox.c.tenant == tenant
    return sa.and_(outbox.c.kind == kind, of_tenant)
