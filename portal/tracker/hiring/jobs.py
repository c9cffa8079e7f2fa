"""A company's jobs: the vacancies of the service and drafts of them, which only these pages have.

A draft is what colleagues write; publishing makes it the vacancy's record. Both have the same id, and a version: who
saves, publishes or moves what somebody else has changed meanwhile gets JobConflict, and nothing is overwritten.
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
from werkzeug.exceptions import NotFound

from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.tracker import people, revisions, upsert, vacancies
from portal.tracker.hiring import activity_log, job_form
from portal.tracker.hiring.activity_log import Activity
from portal.tracker.hiring.colleagues import HiringTenant
from portal.tracker.hiring.guard import HiringVisit
from portal.tracker.hiring.job_form import JobFields
from portal.tracker.hiring.tables import job_drafts
from portal.tracker.request_reading import known_id
from portal.tracker.revisions import Revision
from portal.tracker.shapes import Json, written
from portal.tracker.tables import companies, users
from portal.tracker.tables import vacancies as records

DRAFTS_MOST = 200
"""Jobs of one company that were never published."""
DRAFTS_KEPT = timedelta(days=90)
"""How long a draft is kept that nobody changes."""
NEW = "0-0"
"""The version of a job that is not there yet."""


class JobState(StrEnum):
    """Where a job stands, in the order of the list."""

    OPEN = "open"
    DRAFT = "draft"
    PAUSED = "paused"
    CLOSED = "closed"


STATES = {"open": JobState.OPEN, "hold": JobState.PAUSED, "draft": JobState.DRAFT}
MOVES = {"hold": Activity.JOB_PAUSED, "closed": Activity.JOB_CLOSED, "filled": Activity.JOB_CLOSED}
"""Statuses of §3 that a colleague moves a job to."""


@dataclass(frozen=True, slots=True)
class EditedJob:
    """A job as its page shows it. edited_by: whose draft it is; None for a vacancy without a draft.

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
    """Somebody else changed the job meanwhile; `now` is what it is now."""

    def __init__(self, now: EditedJob) -> None:
        super().__init__("the job was changed meanwhile")
        self.now = now


class JobMissing(NotFound):
    """This company has no such job: 404."""


class UntitledJob(Exception):
    """A job without a title cannot be published."""


class TooManyDrafts(Exception):
    """The company has DRAFTS_MOST jobs that were never published."""


def inside(record: Json, name: str) -> str:
    """Return the text of a view wrapper (§2.3), "" without one."""
    return str((record.get(name) or {}).get(name) or "")


def find(db: Database, tenant_id: int, job_id: str, lang: str) -> EditedJob:
    """Return a job. lang: of the page. Raises JobMissing."""
    with db.read() as connection:
        return _job(connection, tenant_id, job_id, lang)


def save(db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str, fields: JobFields) -> str:
    """Store the draft and return its version; NEW begins one. Raises JobConflict, JobMissing, TooManyDrafts."""
    with db.write() as connection:
        turn = _lock(connection, clock, visit.tenant)
        try:
            job = _existing(connection, visit, job_id, version)
        except JobMissing:
            if version != NEW or not re.fullmatch("[0-9a-f]{32}", job_id):
                raise
            job = None
            _expect_room(connection, visit.tenant.id)
        if job and job.fields == fields:
            return job.version
        if job is None:
            _log(connection, visit, Activity.JOB_DRAFTED, job_id, turn.at)
        elif not job.is_changed or job.edited_by != visit.colleague.email:
            _log(connection, visit, Activity.JOB_EDITED, job_id, turn.at)
        base = job.modified if job else None
        _store(connection, visit, job_id, fields, edited_at=turn.at, base=base, is_changed=True)
        return _version(turn.at, base)


def _expect_room(connection: sa.Connection, tenant_id: int) -> None:
    here = (job_drafts.c.tenant_id == tenant_id, ~is_published(job_drafts))
    drafts = sa.select(sa.func.count()).select_from(job_drafts).where(*here)
    if (connection.scalar(drafts) or 0) >= DRAFTS_MOST:
        raise TooManyDrafts


def is_published(draft: sa.FromClause) -> sa.Exists:
    """Return the condition that a draft has a vacancy."""
    return sa.exists().where(records.c.tenant_id == draft.c.tenant_id, records.c.id == draft.c.id)


def publish(db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str) -> None:
    """Make the draft the vacancy's record, and the vacancy open. Raises JobConflict, JobMissing, UntitledJob."""
    with _changed(db, clock, visit, job_id, version, Activity.JOB_PUBLISHED) as (connection, turn, job):
        if not job.fields.title:
            raise UntitledJob
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
    """Pause or close a published job; its draft stays as it is. status: of MOVES. Raises JobConflict, JobMissing."""
    with _changed(db, clock, visit, job_id, version, MOVES[status]) as (connection, turn, job):
        if job.published is None:
            raise JobMissing
        vacancies.change(connection, turn, job_id, {}, status=status)
        here = (*_here(turn.tenant_id, job_id), job_drafts.c.base == job.modified)
        connection.execute(job_drafts.update().where(*here).values(base=turn.at))


def duplicate(db: Database, clock: Clock, visit: HiringVisit, job_id: str, lang: str) -> str:
    """Begin a draft with the fields of a job, without its dates; return its id. Raises JobMissing, TooManyDrafts."""
    copy, fields = secrets.token_hex(16), find(db, visit.tenant.id, job_id, lang).fields
    save(db, clock, visit, copy, NEW, replace(fields, starts="", ends=""))
    return copy


def discard(db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str) -> None:
    """Delete a draft; a published job stays as it was published. Raises JobConflict, JobMissing."""
    with _changed(db, clock, visit, job_id, version, Activity.JOB_DISCARDED) as (connection, turn, _):
        connection.execute(job_drafts.delete().where(*_here(turn.tenant_id, job_id)))


def forget_drafts(db: Database, now: datetime) -> None:
    """Delete drafts that nobody has changed for DRAFTS_KEPT; a published job stays as it was published."""
    with db.write() as connection:
        old = (job_drafts.c.is_changed, job_drafts.c.edited_at < now - DRAFTS_KEPT)
        connection.execute(job_drafts.delete().where(*old))


@contextmanager
def _changed(
    db: Database, clock: Clock, visit: HiringVisit, job_id: str, version: str, what: Activity
) -> Iterator[tuple[sa.Connection, Revision, EditedJob]]:
    """Change an existing job of this version in a transaction that ends with a line in the log."""
    with db.write() as connection:
        turn = _lock(connection, clock, visit.tenant)
        yield connection, turn, _existing(connection, visit, job_id, version)
        _log(connection, visit, what, job_id, turn.at)


def _lock(connection: sa.Connection, clock: Clock, tenant: HiringTenant) -> Revision:
    """Let changes of a company's jobs wait for each other."""
    turn = revisions.take(connection, clock, tenant_id=tenant.id)
    if turn is None:
        raise JobMissing
    return turn


def _job(connection: sa.Connection, tenant_id: int, job_id: str, lang: str) -> EditedJob:
    if known_id(job_id) is None:
        raise JobMissing
    v = records.c
    draft = connection.execute(sa.select(job_drafts).where(*_here(tenant_id, job_id))).one_or_none()
    about = sa.select(v.record, v.status, v.modified).where(v.tenant_id == tenant_id, v.id == job_id)
    vacancy = connection.execute(about).one_or_none()
    if draft is None and vacancy is None:
        raise JobMissing
    record: Json = json.loads(vacancy.record) if vacancy else {}
    published = job_form.of_record(record, lang) if vacancy else None
    modified = vacancy.modified if vacancy else None
    is_current = draft is not None and draft.base == modified
    used = draft if draft is not None and (draft.is_changed or is_current) else None
    fields = _fields(used) if used else published
    if used and published and not used.is_changed:
        published = fields  # as written: the record's description has been through HTML
    return EditedJob(
        id=job_id,
        version=_version(draft.edited_at if draft else None, modified),
        state=STATES.get(vacancy.status, JobState.CLOSED) if vacancy else JobState.DRAFT,
        fields=fields or JobFields(),
        published=published,
        edited_by=used.edited_by if used else None,
        is_changed=bool(used and used.is_changed),
        is_stale=bool(vacancy and used and used.is_changed and not is_current),
        created_at=inside(record, "createdAt"),
        modified=modified,
    )


def _here(tenant_id: int, job_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    return job_drafts.c.tenant_id == tenant_id, job_drafts.c.id == job_id


def _fields(draft: sa.Row[Any]) -> JobFields:
    stored = json.loads(draft.fields)
    return JobFields(**stored | {"team": tuple(stored["team"])})


def _existing(connection: sa.Connection, visit: HiringVisit, job_id: str, version: str) -> EditedJob:
    job = _job(connection, visit.tenant.id, job_id, visit.colleague.locale or "en")
    if job.version != version:
        raise JobConflict(job)
    return job


def _version(edited: datetime | None, modified: datetime | None) -> str:
    """Return the version of a job: when its draft was written and its vacancy changed, which no two changes share."""
    return "-".join(str(revisions.microseconds(one)) if one else "0" for one in (edited, modified))


def _store(connection: sa.Connection, visit: HiringVisit, job_id: str, fields: JobFields, **row: object) -> None:
    whole = {"tenant_id": visit.tenant.id, "id": job_id, "edited_by": visit.colleague.email}
    upsert.put(connection, job_drafts, [whole | {"fields": written(asdict(fields))} | row])


def _company(connection: sa.Connection, tenant: HiringTenant) -> str:
    """Return the id of the company of the tenant's own name, which is added if there is none."""
    c, name = companies.c, written(tenant.name)
    named = c.record.contains(f'"name":{name}', autoescape=True)
    found: str | None = connection.scalar(sa.select(c.id).where(c.tenant_id == tenant.id, named).order_by(c.id))
    if found is None:
        found = secrets.token_hex(16)
        people.load(connection, companies, tenant.id, [{"id": found, "name": tenant.name}])
    return found


def _log(connection: sa.Connection, visit: HiringVisit, what: Activity, job_id: str, now: datetime) -> None:
    activity_log.write(connection, visit.tenant.id, by=visit.colleague.email, what=what, about=job_id, now=now)
