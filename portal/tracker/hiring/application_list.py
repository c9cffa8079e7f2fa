"""A job's applications as a list: by stage, newest first, found by name.

Names and titles are taken out of the JSON records by the database, so that a page parses no record.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.jobs.search.folding import folded
from portal.platform.database.db import Database
from portal.site.forms.fields.text import displayable
from portal.tracker.hiring.tables import applications_seen, ratings
from portal.tracker.tables import applications, candidates, stages, vacancies

PAGE = 50
PAGES_MOST = 400
NAME_LONGEST = 100
"""Characters of a name that is searched for."""
_SEARCHED = PAGE * PAGES_MOST
_a = applications.c


@dataclass(frozen=True, slots=True)
class HiringStage:
    """A stage of applications. template: of the pipeline that it belongs to."""

    id: str
    name: str
    template: str | None
    is_rejection: bool


@dataclass(frozen=True, slots=True)
class ListedApplication:
    """One line. name: "" if the record has none. rating: the average of its colleagues' ratings."""

    id: str
    name: str
    at: datetime
    stage_id: str
    stage: str
    is_rejected: bool
    is_new: bool
    rating: float | None


@dataclass(frozen=True, slots=True)
class ApplicationsPage:
    """A page of a job's applications. total: how many match. counts: of all applications, by stage id.

    newest: the latest arrival on the page, None if nothing on it is new.
    """

    vacancy_id: str
    title: str
    total: int
    number: int
    entries: list[ListedApplication]
    stages: list[HiringStage]
    counts: dict[str, int]
    newest: datetime | None

    @property
    def has_next(self) -> bool:
        """Return whether another page follows."""
        return self.number * PAGE < min(self.total, _SEARCHED)


def inside(connection: sa.Connection, column: sa.ColumnElement[Any], *path: str) -> sa.ColumnElement[Any]:
    """Return the text at a path in a column of JSON; NULL if there is nothing."""
    if connection.dialect.name == "sqlite":
        return sa.func.json_extract(column, "$." + ".".join(path), type_=sa.Text)
    return sa.func.json_extract_path_text(sa.cast(column, sa.JSON), *path, type_=sa.Text)


def job_title(connection: sa.Connection) -> sa.ColumnElement[Any]:
    """Return the title of a job in a query on vacancies."""
    return inside(connection, vacancies.c.record, "name", "name").label("title")


def names(connection: sa.Connection) -> list[sa.ColumnElement[Any]]:
    """Return `first` and `last` name in a query on applications and candidates: the candidate's, or the copy's."""
    return [
        sa.case(
            (candidates.c.id.is_not(None), inside(connection, candidates.c.record, "name", part)),
            else_=inside(connection, _a.record, "candidate", part),
        ).label(label)
        for part, label in (("firstName", "first"), ("lastName", "last"))
    ]


def of_applicants(connection: sa.Connection, tenant_id: int, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Select from a tenant's applications with names(), joined to candidates and jobs."""
    c, v = candidates.c, vacancies.c
    query = sa.select(*columns, *names(connection)).select_from(applications)
    query = query.outerjoin(candidates, sa.and_(c.tenant_id == _a.tenant_id, c.id == _a.candidate_id))
    query = query.outerjoin(vacancies, sa.and_(v.tenant_id == _a.tenant_id, v.id == _a.vacancy_id))
    return query.where(_a.tenant_id == tenant_id)


def full_name(row: sa.Row[Any]) -> str:
    """Return the name of a row with names(), without characters that reorder or break a line."""
    return displayable(" ".join(str(part) for part in (row.first, row.last) if part))


def title_of(row: sa.Row[Any]) -> str:
    """Return the title of a row with job_title(), as full_name() returns a name; "" without one."""
    return displayable(str(row.title or ""))


def all_stages(connection: sa.Connection, tenant_id: int) -> list[HiringStage]:
    """Return a tenant's stages in their order."""
    s = stages.c
    columns = (s.id, inside(connection, s.record, "name"), s.template_id, inside(connection, s.record, "type"))
    rows = connection.execute(sa.select(*columns).where(s.tenant_id == tenant_id).order_by(s.position, s.id))
    return [
        HiringStage(known_as, str(name or known_as), template, str(kind).casefold() == "rejected")
        for known_as, name, template, kind in rows
    ]


def page(
    db: Database, tenant_id: int, vacancy_id: str, *, stage: str = "", name: str = "", number: int = 1
) -> ApplicationsPage | None:
    """Return a page of a job's applications, None if there is no such job.

    stage: only those in this stage. name: only people whose name contains each of these
    words, without case and accents.
    """
    here = [_a.vacancy_id == vacancy_id, *([_a.stage_id == stage] if stage else [])]
    v, start = vacancies.c, (number - 1) * PAGE
    with db.read() as connection:
        its = sa.select(job_title(connection)).where(v.tenant_id == tenant_id, v.id == vacancy_id)
        job = connection.execute(its).one_or_none()
        if job is None:
            return None
        counts = _counts(connection, tenant_id, vacancy_id)
        if name:
            found = _named(connection, tenant_id, here, name)
            entries = _entries(connection, tenant_id, vacancy_id, [_a.id.in_(found[start : start + PAGE])])
            total = len(found)
        else:
            entries = _entries(connection, tenant_id, vacancy_id, here, start)
            total = counts.get(stage, 0) if stage else sum(counts.values())
        newest = max((one.at for one in entries if one.is_new), default=None)
        shown = all_stages(connection, tenant_id)
    return ApplicationsPage(vacancy_id, title_of(job), total, number, entries, shown, counts, newest)


def _counts(connection: sa.Connection, tenant_id: int, vacancy_id: str) -> dict[str, int]:
    query = sa.select(_a.stage_id, sa.func.count()).where(_a.tenant_id == tenant_id, _a.vacancy_id == vacancy_id)
    return {stage_id or "": count for stage_id, count in connection.execute(query.group_by(_a.stage_id))}


def _named(connection: sa.Connection, tenant_id: int, here: Collection[sa.ColumnElement[bool]], name: str) -> list[str]:
    """Return the ids of those whose name matches, newest first, among the newest _SEARCHED."""
    words = folded(name[:NAME_LONGEST]).split()
    query = of_applicants(connection, tenant_id, _a.id).where(*here).order_by(_a.turn.desc()).limit(_SEARCHED)
    people = ((row.id, folded(full_name(row)[:1_000])) for row in connection.execute(query))
    return [known_as for known_as, person in people if all(word in person for word in words)]


def _entries(
    connection: sa.Connection,
    tenant_id: int,
    vacancy_id: str,
    here: Collection[sa.ColumnElement[bool]],
    start: int = 0,
) -> list[ListedApplication]:
    seen, r = applications_seen.c, ratings.c
    until = connection.scalar(sa.select(seen.at).where(seen.tenant_id == tenant_id, seen.vacancy_id == vacancy_id))
    stage = inside(connection, _a.record, "stage", "name").label("stage")
    query = of_applicants(connection, tenant_id, _a.id, _a.turn, _a.stage_id, _a.is_rejected, stage).where(*here)
    rows = connection.execute(query.order_by(_a.turn.desc()).limit(PAGE).offset(start)).all()
    of_these = (r.tenant_id == tenant_id, r.application_id.in_([row.id for row in rows]))
    averages = sa.select(r.application_id, sa.func.avg(r.rating)).where(*of_these).group_by(r.application_id)
    rated = {known_as: float(average) for known_as, average in connection.execute(averages)}
    return [
        ListedApplication(
            row.id,
            full_name(row),
            row.turn,
            row.stage_id or "",
            str(row.stage or ""),
            row.is_rejected,
            until is None or row.turn > until,
            rated.get(row.id),
        )
        for row in rows
    ]
