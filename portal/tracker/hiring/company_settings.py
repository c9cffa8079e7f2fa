"""What owners set for a company: in whose name emails are sent, and how long applications are kept."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

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

    @property
    def version(self) -> str:
        """What a form says that it was made of."""
        return f"{self.retention_days} {self.sender or ''}"


class SettingsConflict(Exception):
    """A colleague changed the settings meanwhile; `now` is what they are now."""

    def __init__(self, now: CompanySettings) -> None:
        super().__init__("the settings were changed meanwhile")
        self.now = now


def of(db: Database, tenant_id: int) -> CompanySettings:
    """Return a company's settings."""
    with db.read() as connection:
        return _of(connection, _query(tenant_id))


def save(
    db: Database, company: HiringTenant, settings: CompanySettings, version: str, *, by: str, now: datetime
) -> None:
    """Store a company's settings in place of those of this version. Raises SettingsConflict."""
    with db.write() as connection:
        stored = _of(connection, _query(company.id).with_for_update())
        if stored.version != version:
            raise SettingsConflict(stored)
        values = {"sender": settings.sender, "retention_days": settings.retention_days}
        connection.execute(hiring_settings.update().where(hiring_settings.c.tenant_id == company.id).values(values))
        activity_log.write(connection, company.id, by=by, what=Activity.SETTINGS, now=now)


def _query(tenant_id: int) -> sa.Select[Any]:
    c = hiring_settings.c
    return sa.select(c.sender, c.retention_days).where(c.tenant_id == tenant_id)


def _of(connection: sa.Connection, query: sa.Select[Any]) -> CompanySettings:
    row = connection.execute(query).one_or_none()
    return CompanySettings(*row) if row else CompanySettings()
