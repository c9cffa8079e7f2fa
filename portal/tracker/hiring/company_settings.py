"""What owners set for a company: in whose name emails are sent, and how long applications are kept."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.tracker.hiring import activity_log
from portal.tracker.hiring.activity_log import Activity
from portal.tracker.hiring.colleagues import HiringTenant
from portal.tracker.hiring.tables import hiring_settings

DAYS = 183
"""Six months."""


@dataclass(frozen=True, slots=True)
class CompanySettings:
    """sender: as in a From header; None: careers@ the host of TRACKER_BASE_URL. retention_days: after a job closed."""

    sender: str | None = None
    retention_days: int = DAYS


def of(db: Database, tenant_id: int) -> CompanySettings:
    """Return a company's settings."""
    c = hiring_settings.c
    with db.read() as connection:
        row = connection.execute(sa.select(c.sender, c.retention_days).where(c.tenant_id == tenant_id)).one_or_none()
    return CompanySettings(*row) if row else CompanySettings()


def save(db: Database, company: HiringTenant, settings: CompanySettings, *, by: str, now: datetime) -> None:
    """Store a company's settings."""
    with db.write() as connection:
        values = {"sender": settings.sender, "retention_days": settings.retention_days}
        connection.execute(hiring_settings.update().where(hiring_settings.c.tenant_id == company.id).values(values))
        activity_log.write(connection, company.id, by=by, what=Activity.SETTINGS, now=now)
