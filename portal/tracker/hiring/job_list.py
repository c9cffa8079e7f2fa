"""A company's jobs as a list: vacancies and drafts, with the number of their applications."""

import json
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.tracker import revisions
from portal.tracker.hiring.jobs import STATES, JobState, inside, is_published
from portal.tracker.hiring.tables import applications_seen, job_drafts
from portal.tracker.tables import applications
from portal.tracker.tables import vacancies as records

PAGE = 50


@dataclass(frozen=True, slots=True)
class JobLine:
    """A job in the list. received: its applications. fresh: those that nobody has seen. since: written or published."""

    id: str
    state: JobState
    title: str
    since: str
    received: int
    fresh: int
    is_changed: bool


def page(db: Database, tenant_id: int, number: int) -> tuple[list[JobLine], bool]:
    """Return the jobs of a page, from 1, and whether there are more: open ones first, then those changed last."""
    v, d, a, s = records.c, job_drafts.c, applications.c, applications_seen.c
    none, unpublished = sa.literal(value=False), (d.tenant_id == tenant_id, ~is_published(job_drafts))
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
    received, fresh = count.where(*its), count.where(*its, a.turn > sa.func.coalesce(seen, sa.text("0")))
    query = sa.select(jobs, received.scalar_subquery().label("received"), fresh.scalar_subquery().label("fresh"))
    with db.read() as connection:
        rows = connection.execute(query.order_by(*_order(jobs))).all()
    return [_line(row) for row in rows[:PAGE]], len(rows) > PAGE


def _order(jobs: sa.Subquery) -> tuple[sa.ColumnElement[Any], ...]:
    rank = sa.case({"open": 0, "draft": 1, "hold": 2}, value=jobs.c.status, else_=3)
    return rank, jobs.c.at.desc(), jobs.c.id


def _line(row: sa.Row[Any]) -> JobLine:
    record, state = json.loads(row.record), STATES.get(row.status, JobState.CLOSED)
    if state is JobState.DRAFT:
        title, since = record["title"], revisions.stamp(row.at)
    else:
        title, since = inside(record, "name"), inside(record, "createdAt")
    return JobLine(row.id, state, title, since, row.received, row.fresh, bool(row.is_changed))
