"""What tenants owe people an answer to: for `portal check` and /metrics."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.deliveries.health import Line
from portal.requests.tables import owed_requests


@dataclass(frozen=True, slots=True)
class Owed:
    """Withdrawals and erasures that a tenant has not answered. oldest: seconds since the first was asked; 0: none."""

    open: int
    overdue: int
    oldest: float


def owed(db: Database, now: datetime) -> dict[str, Owed]:
    """By tenant, those that owe nothing left out."""
    r = owed_requests.c
    late = sa.func.sum(sa.case((r.due_at < now, 1), else_=0))
    query = sa.select(
        r.tenant, sa.func.count().label("open"), late.label("late"), sa.func.min(r.asked_at).label("since")
    )
    with db.read() as connection:
        rows = connection.execute(query.where(r.done_at.is_(None)).group_by(r.tenant)).all()
    return {row.tenant: Owed(row.open, row.late, max(0.0, (now - row.since).total_seconds())) for row in rows}


def of(db: Database, tenant: str, now: datetime) -> Line:
    """Whether a tenant owes somebody an answer."""
    known = owed(db, now).get(tenant)
    if known is None:
        return Line(fine=True, says="none is open")
    says = f"{known.open} open, the oldest for {int(known.oldest // 86_400)} days"
    if known.overdue:
        return Line(fine=False, says=f"{says}, {known.overdue} overdue: see `portal requests list`")
    return Line(fine=True, says=says)
