"""A company's jobs: the vacancies of the service and drafts of them, which only these pages have.

A draft is what colleagues write; publishing makes it the vacancy's record. Both have the same id, and a version:
saving, publishing or moving a job that a colleague has changed meanwhile raises JobConflict, and nothing is
overwritten.
"""

import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from flask_babel import gettext
from werkzeug.exceptions import NotFound

from portal.platform.clock import Clock
from portal.platform.database.db import Database, delete_old
from portal.tracker import people, revisions, upsert, vacancies
from portal.tracker.hiring import guard, job_form
from portal.tracker.hiring.application_list import is_new
from portal.tracker.hiring.colleagues import Activity, HiringTenant
from portal.tracker.hiring.guard import HiringVisit
from portal.tracker.hiring.job_form import JobFields
from portal.tracker.hiring.tables import applications_seen, job_drafts
from portal.tracker.revisions import Revision
from portal.tracker.shapes import Json, written
from portal.tracker.tables import applications, companies, users
from portal.tracker.tables import vacancies as records

PAGE = 50
DRAFTS_MOST = 200
"""Maximum number of a company's jobs that were never published."""
DRAFTS_KEPT = timedelta(days=90)
"""How long an unchanged draft is kept."""
NEW = "0-0"
"""The version of a job that does not exist yet."""


class JobState(StrEnum):
    """The status of a job, in the order of the list."""

    OPEN = "open"
    DRAFT = "draft"
    PAUSED = "paused"
    CLOSED = "closed"


STATES = {"open": JobState.OPEN, "hold": JobState.PAUSED, "draft": JobState.DRAFT}
MOVES = {"hold": Activity.JOB_PAUSED, "closed": Activity.JOB_CLOSED, "filled": Activity.JOB_CLOSED}
"""Statuses of §3 that a colleague moves a job to."""


@dataclass(frozen=True, slots=True)
class EditedJob:
    """A job as its page shows it. edited_by: the author of the draft; None for a vacancy without a draft.

    is_changed: not all of it is published. is_stale: the vacancy was changed elsewhere after the draft was written.
    modified: when the vacancy was changed; None without one.
    """

    id: str
    version: str
    state: JobState
    fields: JobFields
    published: JobFields | None
    edited_by: str | None
    is_changed: bool
    is_stale: bool
    created_at: str
    modified: datetime | None


class JobConflict(Exception):
    """A colleague changed the job meanwhile; `now` is its current state."""

    def __init__(self, now: EditedJob) -> None:
        super().__init__("the job was changed meanwhile")
        self.now = now


class JobRefused(Exception):
    """A change that cannot be made; says why, in the language of the page."""


def listed(db: Database, tenant_id: int, number: int) -> tuple[list[Json], bool]:
    """Return the jobs of a page, from 1, and whether there are more: open ones first, then those changed last.

    The variables of the template. received: number of applications. fresh: of new ones. since: when it was written or
    published.
    """
    v, d, a, s = records.c, job_drafts.c, applications.c, applications_seen.c
    none, unpublished = sa.literal(value=False), (d.tenant_id == tenant_id, ~_is_published(job_drafts))
    vacant = sa.select(
        v.id, v.status, v.record, v.modified.label("at"), sa.func.coalesce(d.is_changed, none).label("is_changed")
    ).select_from(records.outerjoin(job_drafts, sa.and_(d.tenant_id == v.tenant_id, d.id == v.id)))
    drafted = sa.select(d.id, sa.literal("draft"), d.fields, d.edited_at, none).where(*unpublished)
    every = sa.union_all(vacant.where(v.tenant_id == tenant_id), drafted).subquery()
    # Only the applications of the jobs on this page are counted.
    jobs = sa.select(every).order_by(*_order(every)).offset((number - 1) * PAGE).limit(PAGE + 1).subquery()
    its = (a.tenant_id == tenant_id, a.vacancy_id == jobs.c.id)
    seen = sa.select(sa.func.max(s.at)).where(s.tenant_id == tenant_id, s.vacancy_id == jobs.c.id).scalar_subquery()
    count = sa.select(sa.func.count()).select_from(applications)
    received, fresh = count.where(*its), count.where(*its, is_new(seen))
    query = sa.select(jobs, received.scalar_subquery().label("received"), fresh.scalar_subquery().label("fresh"))
    with db.read() as connection:
        rows = connection.execute(query.order_by(*_order(jobs))).all()
    return [_line(row) for row in rows[:PAGE]], len(rows) > PAGE


def _order(jobs: sa.Subquery) -> tuple[sa.ColumnElement[Any], ...]:
    rank = sa.case({"open": 0, "draft": 1, "hold": 2}, value=jobs.c.status, else_=3)
    return rank, jobs.c.at.desc(), jobs.c.id


def _line(row: sa.Row[Any]) -> Json:
    record, state = json.loads(row.record), STATES.get(row.status, JobState.CLOSED)
    if state is JobState.DRAFT:
        title, since = record["title"], revisions.stamp(row.at)
    else:
        title, since = _text(record, "name"), _text(record, "createdAt")
    return row._asdict() | {"state": state, "title": title, "since": since}


def _text(record: Json, name: str) -> str:
    """Return the text of a view wrapper (§2.3), "" without one."""
    return str(people.inside(record, name, name) or "")


def find(db: Database, tenant_id: int, job_id: str) -> EditedJob:
    """Return a job. Raises NotFound."""
    with db.read() as connection:
        return _job(connection, tenant_id, job_id)


def save(db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str, fields: JobFields) -> str:
    """Store the draft and return its version; NEW begins one. Raises JobConflict, JobRefused, NotFound."""
    with db.write() as connection:
        turn = revisions.require(connection, clock, visit.tenant.id)
        try:
            job = _existing(connection, visit, job_id, version)
        except NotFound:
            if version != NEW or not re.fullmatch("[0-9a-f]{32}", job_id):
                raise
            job = None
            _expect_room(connection, visit.tenant.id)
        if job and job.fields == fields:
            return job.version
        if job is None:
            visit.log(connection, Activity.JOB_DRAFTED, job_id, turn.at)
        elif not job.is_changed or job.edited_by != visit.colleague.email:
            visit.log(connection, Activity.JOB_EDITED, job_id, turn.at)
        base = job.modified if job else None
        _store(connection, visit, job_id, fields, edited_at=turn.at, base=base, is_changed=True)
        return _version(turn.at, base)


def _expect_room(connection: sa.Connection, tenant_id: int) -> None:
    here = (job_drafts.c.tenant_id == tenant_id, ~_is_published(job_drafts))
    drafts = sa.select(sa.func.count()).select_from(job_drafts).where(*here)
    if (connection.scalar(drafts) or 0) >= DRAFTS_MOST:
        message = gettext(
            "Not saved: there are %(most)s drafts already. Publish or delete one of them first.", most=DRAFTS_MOST
        )
        raise JobRefused(message)


def _is_published(draft: sa.FromClause) -> sa.Exists:
    """Return the condition that a draft has a vacancy."""
    return sa.exists().where(records.c.tenant_id == draft.c.tenant_id, records.c.id == draft.c.id)


def publish(db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str) -> None:
    """Make the draft the vacancy's record, and the vacancy open. Raises JobConflict, JobRefused, NotFound."""
    with _changed(db, clock, visit, job_id, version, Activity.JOB_PUBLISHED) as (connection, turn, job):
        if not job.fields.title:
            raise JobRefused(gettext("A job needs a title before it is published."))
        known = people.found(connection, users, turn.tenant_id, job.fields.team)
        body = job_form.body(job.fields, job.published)
        if "teamUserIds" in body:
            body["teamUserIds"] = [one for one in body["teamUserIds"] if one in known]
        if job.published is None:
            whole = body | {"status": "open", "clientTeamUserIds": []}
            vacancies.create(connection, turn, _company(connection, visit.tenant), whole, vacancy_id=job_id)
        else:
            # An open job keeps its stage: a company can have several that are public.
            status = None if job.state is JobState.OPEN else "open"
            vacancies.change(connection, turn, job_id, body, status=status)
        _store(connection, visit, job_id, job.fields, edited_at=turn.at, base=turn.at, is_changed=False)


def move(db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str, status: str) -> None:
    """Pause or close a published job; its draft stays as it is. status: of MOVES. Raises JobConflict, NotFound."""
    with _changed(db, clock, visit, job_id, version, MOVES[status]) as (connection, turn, job):
        if job.published is None:
            raise NotFound
        vacancies.change(connection, turn, job_id, {}, status=status)
        itself = {"tenant_id": turn.tenant_id, "id": job_id, "base": job.modified}
        connection.execute(job_drafts.update().filter_by(**itself).values(base=turn.at))


def duplicate(db: Database, clock: Clock, visit: HiringVisit, job_id: str) -> str:
    """Begin a draft with the fields of a job, without its dates; return its id. Raises JobRefused, NotFound."""
    copy, fields = secrets.token_hex(16), find(db, visit.tenant.id, job_id).fields
    save(db, clock, visit, copy, NEW, replace(fields, starts="", ends=""))
    return copy


def discard(db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str) -> None:
    """Delete a draft; a published job keeps its published content. Raises JobConflict, NotFound."""
    with _changed(db, clock, visit, job_id, version, Activity.JOB_DISCARDED) as (connection, turn, _):
        connection.execute(job_drafts.delete().filter_by(tenant_id=turn.tenant_id, id=job_id))


def forget_drafts(db: Database, now: datetime) -> None:
    """Delete drafts unchanged for DRAFTS_KEPT; a published job keeps its published content."""
    delete_old(db, job_drafts, sa.and_(job_drafts.c.is_changed, job_drafts.c.edited_at < now - DRAFTS_KEPT))


@contextmanager
def _changed(
    db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str, what: Activity
) -> Iterator[tuple[sa.Connection, Revision, EditedJob]]:
    """Change an existing job of this version in a transaction that ends with a line in the log."""
    with db.write() as connection:
        turn = revisions.require(connection, clock, visit.tenant.id)
        yield connection, turn, _existing(connection, visit, job_id, version)
        visit.log(connection, what, job_id, turn.at)


def _job(connection: sa.Connection, tenant_id: int, job_id: str) -> EditedJob:
    itself, about = {"tenant_id": tenant_id, "id": job_id}, (records.c.record, records.c.status, records.c.modified)
    draft = connection.execute(sa.select(job_drafts).filter_by(**itself)).one_or_none()
    vacancy = connection.execute(sa.select(*about).filter_by(**itself)).one_or_none()
    if draft is None and vacancy is None:
        raise NotFound
    record: Json = json.loads(vacancy.record) if vacancy else {}
    published = job_form.of_record(record, guard.page_language()) if vacancy else None
    modified = vacancy.modified if vacancy else None
    is_current = draft is not None and draft.base == modified
    used = draft if draft is not None and (draft.is_changed or is_current) else None
    fields = JobFields.stored(used.fields) if used else published
    if used and published and not used.is_changed:
        published = fields  # as written: the record's description was converted to HTML
    return EditedJob(
        id=job_id,
        version=_version(draft.edited_at if draft else None, modified),
        state=STATES.get(vacancy.status, JobState.CLOSED) if vacancy else JobState.DRAFT,
        fields=fields or JobFields(),
        published=published,
        edited_by=used.edited_by if used else None,
        is_changed=bool(used and used.is_changed),
        is_stale=bool(vacancy and used and used.is_changed and not is_current),
        created_at=_text(record, "createdAt"),
        modified=modified,
    )


def _existing(connection: sa.Connection, visit: HiringVisit, job_id: str, version: str) -> EditedJob:
    job = _job(connection, visit.tenant.id, job_id)
    if job.version != version:
        raise JobConflict(job)
    return job


def _version(edited: datetime | None, modified: datetime | None) -> str:
    """Return the version of a job: when its draft was written and its vacancy changed; each change has a new
    version."""
    return "-".join(str(revisions.microseconds(one)) if one else "0" for one in (edited, modified))


def _store(connection: sa.Connection, visit: HiringVisit, job_id: str, fields: JobFields, **row: object) -> None:
    whole = {"tenant_id": visit.tenant.id, "id": job_id, "edited_by": visit.colleague.email}
    upsert.put(connection, job_drafts, [whole | {"fields": written(asdict(fields))} | row])


def _company(connection: sa.Connection, tenant: HiringTenant) -> str:
    """Return the id of the company that has the tenant's name; add one if there is none."""
    c, name = companies.c, written(tenant.name)
    named = c.record.contains(f'"name":{name}', autoescape=True)
    found: str | None = connection.scalar(sa.select(c.id).where(c.tenant_id == tenant.id, named).order_by(c.id))
    if found is None:
        found = secrets.token_hex(16)
        people.load(connection, companies, tenant.id, [{"id": found, "name": tenant.name}])
    return found
