"""How passes over a list go: for `portal check`, /readyz and /metrics."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database
from portal.passes.tables import ListName, passes

_STALE = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Health:
    """One tenant's list. age: seconds since it was last read with success, None before the first time.

    age is up to five minutes too high: a pass that finds nothing new is not written down more often. failures: in a
    row. error: of the last pass, without anything personal. alarm: what the last full pass has an operator know.
    """

    age: float | None
    failures: int
    failing_since: datetime | None
    error: str | None
    alarm: str | None


def all_of(db: Database, name: ListName, now: datetime) -> dict[str, Health]:
    """The health of one list by tenant, for each that was ever looked at."""
    c = passes.c
    query = sa.select(c.tenant, c.succeeded_at, c.failures, c.failing_since, c.error, c.alarm).where(c.list == name)
    with db.read() as connection:
        rows = connection.execute(query).all()
    return {
        row.tenant: Health(
            age=max(0.0, (now - row.succeeded_at).total_seconds()) if row.succeeded_at else None,
            failures=row.failures,
            failing_since=row.failing_since,
            error=row.error,
            alarm=row.alarm,
        )
        for row in rows
    }


def problems(db: Database, name: ListName, tenant: str, now: datetime) -> list[str]:
    """What an operator should know of the passes over a tenant's list, a line each; empty when all is well."""
    known = all_of(db, name, now).get(tenant)
    if known is None:
        return ["never read: `portal worker` does it by itself, `portal sync` at once"]
    lines: list[str] = []
    if known.failures:
        since = f"{known.failing_since:%Y-%m-%d %H:%M} UTC" if known.failing_since else "the last pass"
        lines.append(f"failing since {since}, {known.failures} in a row: {known.error}")
    if known.age is None:
        lines.append("no pass has succeeded yet")
    elif known.age > _STALE.total_seconds():
        lines.append(f"the data is {int(known.age // 60)} minutes old: is `portal worker` running?")
    if known.alarm:
        lines.append(known.alarm)
    return lines
