"""How changes and requests are: for `portal check` and /metrics."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database
from portal.outbox import health as outbox
from portal.outbox.states import State
from portal.records.change import KIND
from portal.records.tables import owed_requests

_WAITS_TOO_LONG = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Owed:
    """Withdrawals and erasures that a tenant has not answered. oldest: seconds since the first was asked; 0: none."""

    open: int
    overdue: int
    oldest: float


@dataclass(frozen=True, slots=True)
class Line:
    """What `portal check` says. fine: nobody has to act."""

    fine: bool
    says: str


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


def changes_of(db: Database, tenant: str, now: datetime) -> Line:
    """Where the changes of a tenant's candidates are."""
    counts = {state: count for state, count in outbox.counts(db, KIND, tenant=tenant).items() if count}
    says = ", ".join(f"{count} {state}" for state, count in counts.items()) or "none"
    since = outbox.oldest_unfinished(db, KIND, tenant=tenant)
    waits = now - since if since else timedelta()
    if since:
        says += f"; the oldest undelivered waits for {int(waits.total_seconds() // 60)} minutes"
    if State.DEAD in counts:
        says += "; see `portal submissions list --state dead`"
    return Line(waits <= _WAITS_TOO_LONG and State.DEAD not in counts, says)


def requests_of(db: Database, tenant: str, now: datetime) -> Line:
    """Whether a tenant owes somebody an answer."""
    known = owed(db, now).get(tenant)
    if known is None:
        return Line(fine=True, says="none is open")
    says = f"{known.open} open, the oldest for {int(known.oldest // 86_400)} days"
    if known.overdue:
        return Line(fine=False, says=f"{says}, {known.overdue} overdue: see `portal requests list`")
    return Line(fine=True, says=says)
