"""A job's applications: as a list, by stage, newest first, found by name; one in full with its CV; and all, exported.

Names and titles are taken out of the JSON records by the database, so that a list parses no record.
"""

import json
from collections.abc import Collection, Sequence
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from portal.jobs.search.folding import folded
from portal.platform.database.db import Database
from portal.site.forms.fields.text import REPLACEMENT, displayable
from portal.tracker import candidates as records
from portal.tracker import people
from portal.tracker.hiring.colleagues import HiringTenant
from portal.tracker.hiring.tables import applications_seen, notes, ratings, replies
from portal.tracker.shapes import Json
from portal.tracker.tables import applications, candidates, stages, vacancies

PAGE = 50
MAX_PAGES = 400
MAX_NAME_LENGTH = 100
"""Maximum length of a name to search for, in characters."""
_a = applications.c


STAGE_COLUMNS = (*(sa.func.coalesce(one, "").label(one.name) for one in (_a.vacancy_id, _a.stage_id)), _a.is_rejected)
"""The status of an application: the ids of its job and stage, "" without one, and whether it is rejected."""
_MOST = 100
"""Entries of each kind that are shown: candidates can add more."""
EXPORT_COLUMNS = ("applied", "name", "email", "phone", "place", "stage")
_MAX_EXPORTED = 20_000
PERSON_COLUMNS = (candidates.c.record.label("candidate"), _a.record.label("application"))
"""The columns that person_of() reads."""
arrival_order_without_index: sa.ColumnElement[Any] = sa.literal_column("+applications.turn")
"""The column applications.turn, the order of arrival, for sorting a few applications: the + keeps SQLite from using its
index, which would read all applications of the company."""


def json_text(connection: sa.Connection, column: sa.ColumnElement[Any], *path: str) -> sa.ColumnElement[Any]:
    """Return the text at a path in a column of JSON; NULL if there is nothing."""
    if connection.dialect.name == "sqlite":
        return sa.func.json_extract(column, "$." + ".".join(path), type_=sa.Text)
    return sa.func.json_extract_path_text(sa.cast(column, sa.JSON), *path, type_=sa.Text)


def job_title(connection: sa.Connection) -> sa.ColumnElement[Any]:
    """Return the title of a job in a query on vacancies."""
    return json_text(connection, vacancies.c.record, "name", "name").label("title")


def stage_name(connection: sa.Connection) -> sa.ColumnElement[Any]:
    """Return the name of an application's stage, in a query on applications."""
    return json_text(connection, _a.record, "stage", "name").label("stage")


def names(connection: sa.Connection) -> list[sa.ColumnElement[Any]]:
    """Return `first` and `last` name in a query on applications and candidates: the candidate's, or the copy's."""
    return [
        sa.case(
            (candidates.c.id.is_not(None), json_text(connection, candidates.c.record, "name", part)),
            else_=json_text(connection, _a.record, "candidate", part),
        ).label(label)
        for part, label in (("firstName", "first"), ("lastName", "last"))
    ]


def select_applications(connection: sa.Connection, tenant_id: int, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
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


def all_stages(connection: sa.Connection, tenant_id: int) -> Sequence[sa.Row[Any]]:
    """Return a tenant's stages in their order: rows of id, name, template (the pipeline's id) and is_rejection."""
    s = stages.c
    name, kind = json_text(connection, s.record, "name"), json_text(connection, s.record, "type")
    columns = (s.id, sa.func.coalesce(name, s.id).label("name"), s.template_id.label("template"))
    query: sa.Select[Any] = sa.select(*columns, (sa.func.lower(kind) == "rejected").label("is_rejection"))
    return connection.execute(query.where(s.tenant_id == tenant_id).order_by(s.position, s.id)).all()


def page(
    db: Database, tenant_id: int, vacancy_id: str, *, stage: str = "", name: str = "", number: int = 1
) -> Json | None:
    """Return a page of a job's applications, None if there is no such job.

    stage: only those in it. name: only people whose name contains each of these words, without case and accents.

    The variables of the template. total: how many match. entries: see _entries(). counts: of all applications, by stage
    id. newest: the latest arrival of a new application on the page, or None.
    """
    here = [_a.vacancy_id == vacancy_id, *([_a.stage_id == stage] if stage else [])]
    start, count = (number - 1) * PAGE, sa.select(_a.stage_id, sa.func.count()).group_by(_a.stage_id)
    with db.read() as connection:
        title_query = sa.select(job_title(connection)).filter_by(tenant_id=tenant_id, id=vacancy_id)
        job = connection.execute(title_query).one_or_none()
        if job is None:
            return None
        by_stage = connection.execute(count.filter_by(tenant_id=tenant_id, vacancy_id=vacancy_id))
        counts = {stage_id or "": count_of_stage for stage_id, count_of_stage in by_stage}
        if name:
            found = _named(connection, tenant_id, here, name)
            shown = _a.id.in_(found[start : start + PAGE])
            entries = _entries(connection, tenant_id, vacancy_id, [shown], order=arrival_order_without_index)
            total = len(found)
        else:
            entries = _entries(connection, tenant_id, vacancy_id, here, start)
            total = counts.get(stage, 0) if stage else sum(counts.values())
        return {
            "vacancy_id": vacancy_id,
            "title": title_of(job),
            "total": total,
            "number": number,
            "has_next": number * PAGE < min(total, PAGE * MAX_PAGES),
            "entries": entries,
            "stages": all_stages(connection, tenant_id),
            "counts": counts,
            "newest": max((one["at"] for one in entries if one["is_new"]), default=None),
        }


def _named(connection: sa.Connection, tenant_id: int, here: Collection[sa.ColumnElement[bool]], name: str) -> list[str]:
    """Return the ids of applications whose name matches, newest first; only the newest MAX_PAGES pages are searched."""
    words = folded(name[:MAX_NAME_LENGTH]).split()
    query = (
        select_applications(connection, tenant_id, _a.id).where(*here).order_by(_a.turn.desc()).limit(PAGE * MAX_PAGES)
    )
    people = ((row.id, folded(full_name(row)[:1_000])) for row in connection.execute(query))
    return [known_as for known_as, person in people if all(word in person for word in words)]


def is_new(until: sa.ScalarSelect[Any]) -> sa.ColumnElement[bool]:
    """Return the condition that an application arrived after `until` and has no note, rating or reply."""
    tables = (notes, ratings, replies)
    acts = (sa.exists().where(one.c.tenant_id == _a.tenant_id, one.c.application_id == _a.id) for one in tables)
    return sa.and_(_a.turn > sa.func.coalesce(until, sa.text("0")), sa.not_(sa.or_(*acts)))


def _entries(
    connection: sa.Connection,
    tenant_id: int,
    vacancy_id: str,
    here: Collection[sa.ColumnElement[bool]],
    start: int = 0,
    order: sa.ColumnElement[Any] = _a.turn,
) -> list[Json]:
    """Return applications as the list shows them, the newest first. order: the column turn.

    Each has id, name ("" if the record has none), at, is_new, STAGE_COLUMNS, the stage's name, and rating: the average
    of its colleagues' ratings, None without one.
    """
    seen, r = applications_seen.c, ratings.c
    until = sa.select(seen.at).filter_by(tenant_id=tenant_id, vacancy_id=vacancy_id).scalar_subquery()
    rating = sa.select(sa.func.avg(r.rating)).where(r.tenant_id == tenant_id, r.application_id == _a.id)
    facts = (
        _a.turn.label("at"),
        is_new(until).label("is_new"),
        sa.cast(rating.scalar_subquery(), sa.Float).label("rating"),
    )
    query = select_applications(connection, tenant_id, _a.id, *facts, *STAGE_COLUMNS, stage_name(connection)).where(
        *here
    )
    rows = connection.execute(query.order_by(order.desc()).limit(PAGE).offset(start))
    return [row._asdict() | {"name": full_name(row)} for row in rows]


def detail(db: Database, company: HiringTenant, application_id: str) -> Json | None:
    """Return everything on the page of an application of the company, None if there is none with this id.

    The variables of the template. links: (text, address or None if it is not to be followed). ratings: by colleague.
    notes: rows of id, by, at, text, the newest first. others: rows of id, title, at, stage of the same person's other
    applications.
    """
    with db.read() as connection:
        columns = (_a.id, _a.turn.label("at"), _a.candidate_id, *PERSON_COLUMNS, *STAGE_COLUMNS, stage_name(connection))
        template = json_text(connection, _a.record, "stage", "templateId").label("template")
        query = select_applications(connection, company.id, *columns, template, job_title(connection))
        row = connection.execute(query.where(_a.id == application_id)).one_or_none()
        if row is None:
            return None
        person, stages = person_of(row), all_stages(connection, company.id)
        n, r = notes.c, ratings.c
        columns = (_a.id, _a.turn.label("at"), job_title(connection), stage_name(connection))
        others = select_applications(connection, company.id, *columns)
        others = others.where(_a.candidate_id == row.candidate_id, _a.id != row.id)  # none without a candidate: NULL
        noted = sa.select(n.id, n.by, n.at, n.text).filter_by(tenant_id=company.id, application_id=row.id)
        rated = sa.select(r.by, r.rating).filter_by(tenant_id=company.id, application_id=row.id)
        return {
            **row._asdict(),
            "name": full_name(row),
            "title": title_of(row),
            "emails": texts(person, "emails", "email"),
            "phones": texts(person, "phoneNumbers", "phoneNumber"),
            "links": [(link, _address(link)) for link in texts(person, "socialMedia", "url")],
            "places": places(person),
            "has_cv": _cv_key(person, company.slug) is not None,
            "stages": [one for one in stages if one.template == row.template] or stages,
            "notes": connection.execute(noted.order_by(n.id.desc())).all(),
            "ratings": {one.by: one.rating for one in connection.execute(rated.order_by(r.at))},
            "others": connection.execute(others.order_by(arrival_order_without_index.desc()).limit(_MOST)).all(),
        }


def applicant_cv(db: Database, company: HiringTenant, application_id: str) -> tuple[str, str] | None:
    """Return the applicant's name and the key of their latest CV; None if there is no application or no CV."""
    with db.read() as connection:
        query = select_applications(connection, company.id, *PERSON_COLUMNS).where(_a.id == application_id)
        row = connection.execute(query).one_or_none()
    key = _cv_key(person_of(row), company.slug) if row else None
    return (full_name(row), key) if row and key else None


def export(db: Database, tenant_id: int, vacancy_id: str) -> list[dict[str, str]]:
    """Return the EXPORT_COLUMNS of each application to a job, the oldest first, at most _MAX_EXPORTED."""
    with db.read() as connection:
        query = select_applications(connection, tenant_id, _a.turn, stage_name(connection), *PERSON_COLUMNS)
        rows = connection.execute(query.where(_a.vacancy_id == vacancy_id).order_by(_a.turn).limit(_MAX_EXPORTED)).all()
    found = []
    for row in rows:
        person, applied = person_of(row), row.turn.isoformat(timespec="seconds")
        lists = (texts(person, "emails", "email"), texts(person, "phoneNumbers", "phoneNumber"), places(person))
        firsts = (next(iter(one), "") for one in lists)
        values = (applied, full_name(row), *firsts, displayable(row.stage or ""))
        found.append(dict(zip(EXPORT_COLUMNS, values, strict=True)))
    return found


def person_of(row: sa.Row[Any]) -> Json:
    """Return the record of a row's candidate; for a loaded application without one, the emails in its own copy."""
    if row.candidate:
        found: Json = json.loads(row.candidate)
        return found
    emails = people.inside(json.loads(row.application), "candidate", "emails")
    return {"emails": {"emails": [{"email": one} for one in emails]}} if isinstance(emails, list) else {}


def entries(person: Json, wrapper: str) -> list[Json]:
    """Return the objects of a list in a candidate's record, at most _MOST."""
    return people.only(people.inside(person, wrapper, wrapper))[:_MOST]


def texts(person: Json, wrapper: str, name: str) -> list[str]:
    """Return one text of each entry, as it may be shown."""
    return [displayable(one[name]) for one in entries(person, wrapper) if isinstance(one.get(name), str) and one[name]]


def places(person: Json) -> list[str]:
    """Return where the person lives, each in one line."""
    parts = ("address", "postalCode", "city", "region", "country")
    return [
        displayable(", ".join(str(one[part]) for part in parts if one.get(part)))
        for one in entries(person, "locations")
    ]


def _address(link: str) -> str | None:
    """Return a link's address if a browser may follow it, else None: it is then shown as text."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    is_web = parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc
    return link if is_web and REPLACEMENT not in link else None


def cv_keys(person: Json) -> list[str]:
    """Return the keys of the CVs in a candidate's record, the latest last. They are not trusted: any key can be
    sent."""
    attributes = people.only(person.get("customAttributes"))
    values = [one.get("value") for one in attributes if one.get("attributeDefinitionId") == records.CV_ATTRIBUTE]
    keys = values[-1] if values else None
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def _cv_key(person: Json, slug: str) -> str | None:
    """Return the key of the latest CV that belongs to the company."""
    return next((key for key in reversed(cv_keys(person)) if key.startswith(f"{slug}/")), None)
