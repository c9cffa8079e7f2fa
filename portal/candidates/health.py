"""How the index is: for `portal check` and /metrics."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.candidates.tables import candidate_passes
from portal.db import Database

_STALE = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Health:
    """One tenant's index. age: seconds since a pass last succeeded, None before the first. failures: in a row.

    error: of the last pass, without anything personal; also deletions that were not believed.
    """

    age: float | None
    failures: int
    error: str | None


def all_of(db: Database, now: datetime) -> dict[str, Health]:
    """Every indexed tenant's health, by slug."""
    c = candidate_passes.c
    with db.read() as connection:
        rows = connection.execute(sa.select(c.tenant, c.succeeded_at, c.failures, c.error)).all()
    return {
        row.tenant: Health(
            age=max(0.0, (now - row.succeeded_at).total_seconds()) if row.succeeded_at else None,
            failures=row.failures,
            error=row.error,
        )
        for row in rows
    }


def problems(db: Database, tenant: str, now: datetime) -> list[str]:
    """What an operator should know of a tenant's index, a line each; empty when all is well."""
    known = all_of(db, now).get(tenant)
    if known is None:
        return ["never read: `portal worker` does it by itself, `portal sync` at once"]
    lines: list[str] = []
    if known.failures:
        lines.append(f"{known.failures} passes failed in a row: {known.error}")
    elif known.error:
        lines.append(f"{known.error}: `portal sync {tenant} --full` believes it")
    if known.age is None:
        lines.append("no pass has succeeded yet: nobody can sign in")
    elif known.age > _STALE.total_seconds():
        lines.append(f"the data is {int(known.age // 60)} minutes old: is `portal worker` running?")
    return lines
