"""A tenant's modification times ("turns"): they strictly increase and are at least a microsecond apart.

Taking a turn locks the tenant's row until the transaction ends, so changes become visible in the order of their turns.
That is why a modification time can serve as a cursor (§4.1): a client that has read up to one has missed nothing before
it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from portal.platform.clock import Clock
from portal.platform.database.db import EPOCH
from portal.platform.database.prepared import PreparedStatement
from portal.tracker.tables import tenants

MICROSECOND = timedelta(microseconds=1)


def _taking(condition: sa.ColumnElement[bool]) -> PreparedStatement:
    last = sa.type_coerce(tenants.c.last_turn, sa.BigInteger)
    now, count = sa.bindparam("now", type_=sa.BigInteger), sa.bindparam("count", type_=sa.BigInteger)
    after = sa.case((last >= now, last + count), else_=now + count - 1)
    taking = sa.update(tenants).where(condition).values(last_turn=after)
    return PreparedStatement(taking.returning(tenants.c.id, tenants.c.last_turn))


_TAKE_BY_SLUG = _taking(tenants.c.slug == sa.bindparam("wanted"))
_TAKE_BY_ID = _taking(tenants.c.id == sa.bindparam("wanted"))


@dataclass(frozen=True, slots=True)
class Revision:
    """A tenant that this transaction has locked, and the first of the modification times that were taken."""

    tenant_id: int
    at: datetime


def take(
    connection: sa.Connection, clock: Clock, *, slug: str | None = None, tenant_id: int | None = None, count: int = 1
) -> Revision | None:
    """Lock the tenant and take `count` modification times, a microsecond apart; None if there is no such tenant."""
    which = _TAKE_BY_SLUG if slug is not None else _TAKE_BY_ID
    asked = {"now": microseconds(clock.now()), "count": count, "wanted": tenant_id if slug is None else slug}
    row = which.first(connection, asked)
    return None if row is None else Revision(row.id, row.last_turn - (count - 1) * MICROSECOND)


def require(connection: sa.Connection, clock: Clock, tenant_id: int) -> Revision:
    """Take one modification time of a tenant that is there."""
    if (turn := take(connection, clock, tenant_id=tenant_id)) is None:
        raise LookupError("there is no such tenant")
    return turn


def microseconds(moment: datetime) -> int:
    """Return the microseconds since 1970."""
    return (moment.astimezone(UTC) - EPOCH) // MICROSECOND


def stamp(moment: datetime) -> str:
    """Return the time as ISO 8601 in UTC with microseconds, as the service writes its own times."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
