"""How many alerts each tenant has, for `portal check` and /metrics, without any address."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.jobs.alerts.tables import alerts
from portal.platform.database.db import Database


@dataclass(frozen=True, slots=True)
class AlertCounts:
    """asked: waiting for confirmation. late: seconds since the most overdue one was due."""

    confirmed: int = 0
    asked: int = 0
    late: float = 0.0

    @property
    def in_words(self) -> str:
        """The counts as one line."""
        return f"{self.confirmed} confirmed, {self.asked} not confirmed yet"


def counts_by_tenant(db: Database, now: datetime) -> dict[str, AlertCounts]:
    """Return the counts by tenant, without tenants that have no alerts."""
    c = alerts.c
    query = sa.select(
        c.tenant,
        sa.func.count(c.confirmed_at).label("confirmed"),
        sa.func.count().label("all"),
        sa.func.min(c.due_at, type_=c.due_at.type).label("due"),
    ).group_by(c.tenant)
    with db.read() as connection:
        rows = connection.execute(query).all()
    return {
        row.tenant: AlertCounts(
            row.confirmed, row.all - row.confirmed, max(0.0, (now - row.due).total_seconds()) if row.due else 0.0
        )
        for row in rows
    }
