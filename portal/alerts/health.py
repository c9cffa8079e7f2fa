"""How many alerts a tenant's readers have: for `portal check` and /metrics, without anybody's address."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.alerts.tables import alerts
from portal.db import Database


@dataclass(frozen=True, slots=True)
class Standing:
    """asked: waiting for their owners to confirm. late: seconds since the oldest was due."""

    confirmed: int = 0
    asked: int = 0
    late: float = 0.0

    @property
    def says(self) -> str:
        """In a line."""
        return f"{self.confirmed} confirmed, {self.asked} not confirmed yet"


def standing(db: Database, now: datetime) -> dict[str, Standing]:
    """By tenant, those without any left out."""
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
        row.tenant: Standing(
            row.confirmed, row.all - row.confirmed, max(0.0, (now - row.due).total_seconds()) if row.due else 0.0
        )
        for row in rows
    }
