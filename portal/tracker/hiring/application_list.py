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


def full_name(connection: sa.Connection) -> tuple[sa.ColumnElement[Any], sa.ColumnElement[Any]]:
    """Return first and last name in a query with_person(): the candidate's, or else the application's copy."""
    return _name(connection, "firstName"), _name(connection, "lastName")


def _name(connection: sa.Connection, part: str) -> sa.ColumnElement[Any]:
    own = inside(connection, candidates.c.record, "name", part)
    copy = inside(connection, _a.record, "candidate", part)
    return sa.case((candidates.c.id.is_not(None), own), else_=copy)


def with_person(query: sa.Select[Any], tenant_id: int) -> sa.Select[Any]:
    """Return the query on a tenant's applications, joined to their candidates."""
    c = candidates.c
    joined = query.outerjoin(candidates, sa.and_(c.tenant_id == _a.tenant_id, c.id == _a.candidate_id))
    return joined.where(_a.tenant_id == tenant_id)


def job_title(connection: sa.Connection, tenant_id: int, vacancy_id: str) -> str | None:
    """Return the title of a job, None if there is no such job."""
    v = vacancies.c
    query = sa.select(inside(connection, v.record, "name", "name")).where(v.tenant_id == tenant_id, v.id == vacancy_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else str(row[0] or "")


def all_stages(connection: sa.Connection, tenant_id: int) -> list[HiringStage]:
    """Return a tenant's stages in their order."""
    s = stages.c
    query = sa.select(s.id, inside(connection, s.record, "name"), s.template_id).where(s.tenant_id == tenant_id)
    return [
        HiringStage(row[0], str(row[1] or row[0]), row[2])
        for row in connection.execute(query.order_by(s.position, s.id))
    ]


def page(
    db: Database, tenant_id: int, vacancy_id: str, *, stage: str = "", name: str = "", number: int = 1
) -> ApplicationsPage | None:
    """Return a page of a job's applications, None if there is no such job.

    stage: only those in this stage. name: only people whose name contains each of these
    words, without case and accents.
    """
    here = [_a.vacancy_id == vacancy_id, *([_a.stage_id == stage] if stage else [])]
    with db.read() as connection:
        title = job_title(connection, tenant_id, vacancy_id)
        if title is None:
            return None
        counts = _counts(connection, tenant_id, vacancy_id)
        start = (number - 1) * PAGE
        if name:
            found = _named(connection, tenant_id, here, name)
            rows = _rows(connection, tenant_id, [_a.id.in_(found[start : start + PAGE])])
            total = len(found)
        else:
            rows = _rows(connection, tenant_id, here, start)
            total = counts.get(stage, 0) if stage else sum(counts.values())
        entries = _entries(connection, tenant_id, vacancy_id, rows)
        fresh = [one.at for one in entries if one.is_new]
        newest = max(fresh) if fresh else None
        shown = all_stages(connection, tenant_id)
    return ApplicationsPage(vacancy_id, title, total, number, entries, shown, counts, newest)


def _counts(connection: sa.Connection, tenant_id: int, vacancy_id: str) -> dict[str, int]:
    query = sa.select(_a.stage_id, sa.func.count()).where(_a.tenant_id == tenant_id, _a.vacancy_id == vacancy_id)
    return {stage_id or "": count for stage_id, count in connection.execute(query.group_by(_a.stage_id))}


def _named(connection: sa.Connection, tenant_id: int, here: Collection[sa.ColumnElement[bool]], name: str) -> list[str]:
    """Return the ids of those whose name matches, newest first, among the newest _SEARCHED."""
    words = folded(name[:NAME_LONGEST]).split()
    query = with_person(sa.select(_a.id, *full_name(connection)), tenant_id).where(*here)
    rows = connection.execute(query.order_by(_a.turn.desc()).limit(_SEARCHED))
    people = ((known_as, folded(f"{first or ''} {last or ''}"[:1_000])) for known_as, first, last in rows)
    return [known_as for known_as, person in people if all(word in person for word in words)]


def _rows(
    connection: sa.Connection, tenant_id: int, here: Collection[sa.ColumnElement[bool]], start: int = 0
) -> list[sa.Row[Any]]:
    columns = (_a.id, _a.turn, _a.stage_id, _a.is_rejected, inside(connection, _a.record, "stage", "name"))
    query = with_person(sa.select(*columns, *full_name(connection)), tenant_id).where(*here)
    return list(connection.execute(query.order_by(_a.turn.desc()).limit(PAGE).offset(start)))


def _entries(
    connection: sa.Connection, tenant_id: int, vacancy_id: str, rows: list[sa.Row[Any]]
) -> list[ListedApplication]:
    seen, r = applications_seen.c, ratings.c
    until = connection.execute(
        sa.select(seen.at).where(seen.tenant_id == tenant_id, seen.vacancy_id == vacancy_id).order_by(seen.at.desc())
    ).scalar()
    ids = [row.id for row in rows]
    query = sa.select(r.application_id, sa.func.avg(r.rating)).where(
        r.tenant_id == tenant_id, r.application_id.in_(ids)
    )
    rated = {known_as: float(average) for known_as, average in connection.execute(query.group_by(r.application_id))}
    return [
        ListedApplication(
            known_as,
            " ".join(str(part) for part in (first, last) if part),
            at,
            stage_id or "",
            str(stage or ""),
            is_rejected,
            until is None or at > until,
            rated.get(known_as),
        )
        for known_as, at, stage_id, is_rejected, stage, first, last in map(tuple, rows)
    ]
