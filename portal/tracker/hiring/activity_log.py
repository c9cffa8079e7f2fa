"""What colleagues did: written in the transaction that does it, read by owners."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.tracker.hiring.application_list import full_name, inside, names
from portal.tracker.hiring.tables import hiring_log, job_drafts
from portal.tracker.tables import applications, candidates, vacancies

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
    """One line. by: a colleague's address. about: another colleague's address, or the id of a job or application.

    page: of that job or application, below /{slug}/hiring; None if it is not there any more. named: the job's title or
    the applicant's name, None for neither.
    """

    number: int
    at: datetime
    by: str
    what: str
    about: str | None
    page: str | None
    named: str | None


def write(
    connection: sa.Connection, tenant_id: int, *, by: str, what: Activity, now: datetime, about: str | None = None
) -> None:
    """Write one line."""
    row = {"tenant_id": tenant_id, "at": now, "by": by, "what": what.value, "about": about}
    connection.execute(hiring_log.insert().values(row))


def entries(db: Database, tenant_id: int, *, before: int | None, limit: int) -> list[ActivityEntry]:
    """Return the newest lines of a tenant; before: older than the one of this number."""
    c, v, d, a, p = hiring_log.c, vacancies.c, job_drafts.c, applications.c, candidates.c
    with db.read() as connection:
        title = sa.func.coalesce(inside(connection, d.fields, "title"), inside(connection, v.record, "name", "name"))
        query: sa.Select[Any] = (
            sa.select(c.id, c.at, c.by, c.what, c.about, title.label("title"), *names(connection))
            .add_columns(sa.func.coalesce(v.id, d.id).label("job"), a.id.label("application"))
            .outerjoin(vacancies, sa.and_(v.tenant_id == tenant_id, v.id == c.about))
            .outerjoin(job_drafts, sa.and_(d.tenant_id == tenant_id, d.id == c.about))
            .outerjoin(applications, sa.and_(a.tenant_id == tenant_id, a.id == c.about))
            .outerjoin(candidates, sa.and_(p.tenant_id == tenant_id, p.id == a.candidate_id))
            .where(c.tenant_id == tenant_id, c.id < before if before is not None else sa.true())
        )
        return [_entry(row) for row in connection.execute(query.order_by(c.id.desc()).limit(limit))]


def _entry(row: sa.Row[Any]) -> ActivityEntry:
    is_job = row.what.startswith("job-")
    page = f"/{'jobs' if is_job else 'applications'}/{quote(row.about or '', safe='')}"
    is_there = row.job if is_job else row.application
    named = row.title if is_job else full_name(row)
    return ActivityEntry(row.id, row.at, row.by, row.what, row.about, page if is_there else None, named or None)
