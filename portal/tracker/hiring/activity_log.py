"""What colleagues did: written in the transaction that does it, read by owners."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.tracker.hiring.tables import hiring_log

COMMAND = "command line"
"""Who did what `portal tracker colleague` did."""


class Activity(StrEnum):
    """What was done."""

    INVITED = "invited"
    ROLE_CHANGED = "role-changed"
    REMOVED = "removed"
    SIGNED_IN = "signed-in"
    REPLIED = "replied"
    REPLY_UNDONE = "reply-undone"
    REPLY_WORDS = "reply-words"
    ERASED = "erased"
    SETTINGS = "settings"
    JOB_DRAFTED = "job-drafted"
    JOB_EDITED = "job-edited"
    JOB_PUBLISHED = "job-published"
    JOB_PAUSED = "job-paused"
    JOB_CLOSED = "job-closed"
    JOB_DISCARDED = "job-discarded"
    MOVED = "moved"
    NOTED = "noted"
    NOTE_DELETED = "note-deleted"
    RATED = "rated"


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """One line. by: a colleague's address. about: whom or what it was done to."""

    number: int
    at: datetime
    by: str
    what: str
    about: str | None


def write(
    connection: sa.Connection, tenant_id: int, *, by: str, what: Activity, now: datetime, about: str | None = None
) -> None:
    """Write one line."""
    row = {"tenant_id": tenant_id, "at": now, "by": by, "what": what.value, "about": about}
    connection.execute(hiring_log.insert().values(row))


def entries(db: Database, tenant_id: int, *, before: int | None, limit: int) -> list[ActivityEntry]:
    """Return the newest lines of a tenant; before: older than the one of this number."""
    c = hiring_log.c
    query = sa.select(c.id, c.at, c.by, c.what, c.about).where(c.tenant_id == tenant_id)
    if before is not None:
        query = query.where(c.id < before)
    with db.read() as connection:
        return [ActivityEntry(*row) for row in connection.execute(query.order_by(c.id.desc()).limit(limit))]
