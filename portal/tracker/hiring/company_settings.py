"""Settings that owners make for a company: the sender of emails, and how long applications are kept."""

from dataclasses import asdict, dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.tracker.hiring.colleagues import Activity, HiringTenant, lock_company, log
from portal.tracker.hiring.tables import hiring_settings

DEFAULT_RETENTION_DAYS = 183
"""Six months."""


@dataclass(frozen=True, slots=True)
class CompanySettings:
    """sender: as in a From header; None: careers@ the host of TRACKER_BASE_URL. retention_days: after a job closed."""

    sender: str | None = None
    retention_days: int = DEFAULT_RETENTION_DAYS

    @property
    def version(self) -> str:
        """Identifies the settings that a form was built from."""
        return f"{self.retention_days} {self.sender or ''}"


def of(db: Database, tenant_id: int) -> CompanySettings:
    """Return a company's settings."""
    with db.read() as connection:
        return _of(connection, tenant_id)


def save(
    db: Database, company: HiringTenant, settings: CompanySettings, version: str, *, by: str, now: datetime
) -> CompanySettings | None:
    """Store a company's settings if the stored ones have this version; else return those that a colleague stored."""
    with db.write() as connection:
        lock_company(connection, company.id)
        stored = _of(connection, company.id)
        if stored.version != version:
            return stored
        connection.execute(hiring_settings.update().filter_by(tenant_id=company.id).values(asdict(settings)))
        log(connection, company.id, by=by, what=Activity.SETTINGS, now=now)
    return None


def _of(connection: sa.Connection, tenant_id: int) -> CompanySettings:
    c = hiring_settings.c
    row = connection.execute(sa.select(c.sender, c.retention_days).where(c.tenant_id == tenant_id)).one_or_none()
    return CompanySettings(*row) if row else CompanySettings()
