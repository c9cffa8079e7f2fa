"""Open requests of each tenant, for `portal check` and /metrics."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.delivery.envelopes.health import HealthLine
from portal.delivery.privacy_requests.tables import owed_requests
from portal.platform.database.db import Database


@dataclass(frozen=True, slots=True)
class OpenRequests:
    """A tenant's open withdrawals and erasures. oldest: seconds since the first was made."""

    open: int
    overdue: int
    oldest: float


def by_tenant(db: Database, now: datetime) -> dict[str, OpenRequests]:
    """Return the open requests by tenant; tenants without any are left out."""
    r = owed_requests.c
    late = sa.func.sum(sa.case((r.due_at < now, 1), else_=0))
    query = sa.select(
        r.tenant, sa.func.count().label("open"), late.label("late"), sa.func.min(r.asked_at).label("since")
    )
    rows = db.rows(query.where(r.done_at.is_(None)).group_by(r.tenant))
    return {row.tenant: OpenRequests(row.open, row.late, max(0.0, (now - row.since).total_seconds())) for row in rows}


def status_of(db: Database, tenant: str, now: datetime) -> HealthLine:
    """Return whether a tenant has open requests, and whether any is overdue."""
    known = by_tenant(db, now).get(tenant)
    if known is None:
        return HealthLine(ok=True, says="none open")
    says = f"{known.open} open, the oldest for {int(known.oldest // 86_400)} days"
    if known.overdue:
        return HealthLine(ok=False, says=f"{says}, {known.overdue} overdue: see `portal requests list`")
    return HealthLine(ok=True, says=says)
