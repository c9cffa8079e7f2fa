"""The health of delivery, in words for `portal check`."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.background.outbox import health as outbox
from portal.background.outbox.states import HeldFor, OutboxState
from portal.delivery.envelopes.tables import deliveries
from portal.platform.database.db import Database

WAITS_TOO_LONG = timedelta(hours=1)
"""Time from which on a waiting submission is reported."""


@dataclass(frozen=True, slots=True)
class HealthLine:
    """One line of the report. ok: no action is needed."""

    ok: bool
    says: str


def suspicions(db: Database) -> dict[tuple[str, str], int]:
    """Return (tenant, reason) → how many deliveries a bot may have sent; one may have several reasons."""
    d = deliveries.c
    query = sa.select(d.tenant, d.suspicion, sa.func.count()).where(d.suspicion.is_not(None))
    found: Counter[tuple[str, str]] = Counter()
    for tenant, reasons, count in db.rows(query.group_by(d.tenant, d.suspicion)):
        for reason in reasons.split(","):
            found[tenant, reason] += count
    return dict(found)


def status_of(db: Database, kind: str, tenant: str, now: datetime) -> HealthLine:
    """Return the status of a tenant's deliveries of one kind."""
    counts = {state: count for state, count in outbox.counts(db, kind, tenant=tenant).items() if count}
    says = ", ".join(f"{count} {state}" for state, count in counts.items()) or "none"
    since = outbox.oldest_unfinished(db, kind, tenant=tenant)
    waits = now - since if since else timedelta()
    if since:
        says += f"; the oldest undelivered has been waiting for {int(waits.total_seconds() // 60)} minutes"
    if looks := outbox.waiting(db, kind).get((tenant, HeldFor.OPERATOR)):
        says += f"; {looks} held for review: see `portal submissions list --state held`"
    if OutboxState.DEAD in counts:
        says += "; see `portal submissions list --state dead`"
    if unreadable := outbox.unreadable(db, kind, tenant=tenant):
        says += (
            f"; {unreadable} could not be read with the secret keys of the worker that tried last: add the key that is "
            "missing to PORTAL_SECRET_KEY_FALLBACKS; if none is, restart the workers with these settings; then retry"
        )
    return HealthLine(waits <= WAITS_TOO_LONG and OutboxState.DEAD not in counts and not unreadable, says)
