"""A tenant's turns: modification times that strictly increase, at least a microsecond apart.

Taking a turn locks the tenant's row until the transaction ends, so turns become visible in their order. That is what
makes a time usable as a cursor (§4.1): whoever has read up to a turn has missed nothing before it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import EPOCH
from portal.tracker.tables import tenants

MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Turn:
    """A locked tenant, and the first of the turns that were taken."""

    tenant_id: int
    at: datetime


def take(
    connection: sa.Connection, clock: Clock, *, slug: str | None = None, tenant_id: int | None = None, count: int = 1
) -> Turn | None:
    """Lock the tenant and take `count` turns, a microsecond apart; None if there is no such tenant."""
    now = microseconds(clock.now())
    last = sa.type_coerce(tenants.c.last_turn, sa.BigInteger)
    statement = (
        sa.update(tenants)
        .where(tenants.c.slug == slug if slug is not None else tenants.c.id == tenant_id)
        .values(last_turn=sa.case((last >= now, last + count), else_=now + count - 1))
        .returning(tenants.c.id, tenants.c.last_turn)
    )
    row = connection.execute(statement).one_or_none()
    return None if row is None else Turn(row.id, row.last_turn - (count - 1) * MICROSECOND)


def microseconds(moment: datetime) -> int:
    """Since 1970."""
    return (moment.astimezone(UTC) - EPOCH) // MICROSECOND


def stamp(moment: datetime) -> str:
    """ISO 8601 to the microsecond, as the service writes its own times."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
