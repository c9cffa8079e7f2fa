"""How delivery is, in words for `portal check`."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from portal.db import Database
from portal.outbox import health as outbox
from portal.outbox.states import State

_WAITS_TOO_LONG = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Line:
    """fine: nobody has to act."""

    fine: bool
    says: str


def of(db: Database, kind: str, tenant: str, now: datetime) -> Line:
    """Where a tenant's deliveries of a kind are."""
    counts = {state: count for state, count in outbox.counts(db, kind, tenant=tenant).items() if count}
    says = ", ".join(f"{count} {state}" for state, count in counts.items()) or "none"
    since = outbox.oldest_unfinished(db, kind, tenant=tenant)
    waits = now - since if since else timedelta()
    if since:
        says += f"; the oldest undelivered waits for {int(waits.total_seconds() // 60)} minutes"
    if State.DEAD in counts:
        says += "; see `portal submissions list --state dead`"
    return Line(waits <= _WAITS_TOO_LONG and State.DEAD not in counts, says)
