"""Expiry dates of the certificates of tenants' services, as the sync last saw them."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa

from portal.platform.database.db import Database, Instant, insert, metadata
from portal.tenants.model import Tenant

WARNED_BELOW = 14
"""Days of validity below which operators are warned."""
_DAY = 86_400.0

service_certificates = sa.Table(
    "service_certificates",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("valid_until", Instant, nullable=False),
)


class Certificates:
    """The recorder of expiry dates; it writes only a date that this process has not written yet."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, datetime] = {}

    def note(self, tenant: str, valid_until: datetime | None) -> None:
        """Record an expiry date. valid_until: None if no connection of this process has shown it."""
        if valid_until is None or self._known.get(tenant) == valid_until:
            return
        with self._db.write() as connection:
            row = insert(connection, service_certificates).values(tenant=tenant, valid_until=valid_until)
            connection.execute(row.on_conflict_do_update(index_elements=["tenant"], set_={"valid_until": valid_until}))
        self._known[tenant] = valid_until

    def note_expired(self, tenant: str, now: datetime) -> None:
        """Record that a connection failed because the certificate is not valid now.

        Its date is unknown, so `now` is stored.
        """
        known = self._known.get(tenant)
        if known is None or known > now:
            self.note(tenant, now)


def days_left(db: Database, tenants: Iterable[Tenant], now: datetime) -> dict[str, float]:
    """Return slug → days until the service's certificate expires, negative afterwards; for https base URLs only."""
    secured = {tenant.slug for tenant in tenants if tenant.tracker.base_url.startswith("https:")}
    with db.read() as connection:
        rows = connection.execute(sa.select(service_certificates)).all()
    return {row.tenant: (row.valid_until - now).total_seconds() / _DAY for row in rows if row.tenant in secured}


def says(days: float) -> str:
    """Return the validity in words: `is valid for 9 more days`."""
    if days <= 0:
        return "has expired"
    whole = int(days)
    return f"is valid for {whole} more day{'' if whole == 1 else 's'}"
