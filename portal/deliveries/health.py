"""How delivery is, in words for `portal check`."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database
from portal.deliveries.tables import deliveries
from portal.outbox import health as outbox
from portal.outbox.states import HeldFor, State

_WAITS_TOO_LONG = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Line:
    """fine: nobody has to act."""

    fine: bool
    says: str


def suspicions(db: Database) -> dict[tuple[str, str], int]:
    """(tenant, reason) → how many deliveries a program may have sent; one may have several reasons."""
    d = deliveries.c
    query = sa.select(d.tenant, d.suspicion, sa.func.count()).where(d.suspicion.is_not(None))
    found: Counter[tuple[str, str]] = Counter()
    with db.read() as connection:
        for tenant, reasons, count in connection.execute(query.group_by(d.tenant, d.suspicion)):
            for reason in reasons.split(","):
                found[tenant, reason] += count
    return dict(found)


def of(db: Database, kind: str, tenant: str, now: datetime) -> Line:
    """Where a tenant's deliveries of a kind are."""
    counts = {state: count for state, count in outbox.counts(db, kind, tenant=tenant).items() if count}
    says = ", ".join(f"{count} {state}" for state, count in counts.items()) or "none"
    since = outbox.oldest_unfinished(db, kind, tenant=tenant)
    waits = now - since if since else timedelta()
    if since:
        says += f"; the oldest undelivered waits for {int(waits.total_seconds() // 60)} minutes"
    if looks := outbox.waiting(db, kind).get((tenant, HeldFor.OPERATOR)):
        says += f"; {looks} held for a look: see `portal submissions list --state held`"
    if State.DEAD in counts:
        says += "; see `portal submissions list --state dead`"
    return Line(waits <= _WAITS_TOO_LONG and State.DEAD not in counts, says)
