"""How passes over a list go: for `portal check`, /readyz and /metrics."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database
from portal.passes import state
from portal.passes.tables import ListName, passes

_STALE = timedelta(minutes=30)
NOT_YET = "never read yet: `portal worker` does it by itself, `portal sync` at once"
"""How it is in a new installation, and while the first pass lasts, so nothing that has failed."""


@dataclass(frozen=True, slots=True)
class Health:
    """One tenant's list. age: seconds since it was last read with success, None before the first time.

    age is up to half a minute too high: passes that find nothing new are written down together. failures: in a
    row. error: of the last pass, without anything personal. alarm: what the last full pass has an operator know.
    """

    age: float | None
    failures: int
    failing_since: datetime | None
    error: str | None
    alarm: str | None


def all_of(db: Database, name: ListName, now: datetime) -> dict[str, Health]:
    """The health of one list by tenant, for each that was ever looked at."""
    return {
        tenant: Health(
            age=max(0.0, (now - found.succeeded_at).total_seconds()) if found.succeeded_at else None,
            failures=found.failures,
            failing_since=found.failing_since,
            error=found.error,
            alarm=found.alarm,
        )
        for (of, tenant), found in state.all_of(db).items()
        if of == name
    }


def was_read_whole(db: Database, name: ListName, tenant: str) -> bool:
    """Whether a full pass over a tenant's list ever came to its end."""
    with db.read() as connection:
        query = sa.select(passes.c.full_at).where(passes.c.list == name, passes.c.tenant == tenant)
        return connection.scalar(query) is not None


def problems(db: Database, name: ListName, tenant: str, now: datetime) -> list[str]:
    """What an operator should know of the passes over a tenant's list, a line each; empty when all is well."""
    known = all_of(db, name, now).get(tenant)
    if known is None or (known.age is None and not known.failures):
        return [NOT_YET]
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
