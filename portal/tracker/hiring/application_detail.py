"""One application in full: what was submitted, what colleagues think of it, and where its CV is."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.tracker import candidates as records
from portal.tracker.hiring.application_list import HiringStage, all_stages, full_name, inside, with_person
from portal.tracker.hiring.colleagues import HiringTenant
from portal.tracker.hiring.tables import notes, ratings
from portal.tracker.tables import applications, candidates, vacancies

_MOST = 100
"""Entries of each kind that are shown: candidates can add more."""
_a = applications.c


@dataclass(frozen=True, slots=True)
class HiringNote:
    """What a colleague wrote about an application."""

    id: int
    by: str
    at: datetime
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class EarlierApplication:
    """Another application of the same person. title: of its job."""

    id: str
    title: str
    at: datetime
    stage: str


@dataclass(frozen=True, slots=True)
class ApplicationDetail:
    """Everything on the page. links: (text, address or None if it is not to be followed). ratings: by colleague."""

    id: str
    name: str
    at: datetime
    vacancy_id: str
    title: str
    stage_id: str
    stage: str
    is_rejected: bool
    emails: list[str]
    phones: list[str]
    links: list[tuple[str, str | None]]
    places: list[str]
    has_cv: bool
    stages: list[HiringStage]
    notes: list[HiringNote]
    ratings: dict[str, int]
    others: list[EarlierApplication]


def detail(db: Database, company: HiringTenant, application_id: str) -> ApplicationDetail | None:
    """Return an application of the company, None if there is none with this id."""
    with db.read() as connection:
        row = connection.execute(_query(connection, company.id, application_id)).one_or_none()
        if row is None:
            return None
        person = json.loads(row.candidate) if row.candidate else {"emails": {"emails": _copied_emails(row.own)}}
        stages = all_stages(connection, company.id)
        pipeline = [one for one in stages if one.template == row.template]
        return ApplicationDetail(
            id=row.id,
            name=_joined(row.first, row.last),
            at=row.turn,
            vacancy_id=row.vacancy_id or "",
            title=str(row.title or ""),
            stage_id=row.stage_id or "",
            stage=str(row.stage or ""),
            is_rejected=row.is_rejected,
            emails=_texts(person, "emails", "email"),
            phones=_texts(person, "phoneNumbers", "phoneNumber"),
            links=[(text, _address(text)) for text in _texts(person, "socialMedia", "url")],
            places=[_place(one) for one in _entries(person, "locations")],
            has_cv=_cv_key(person, company.slug) is not None,
            stages=pipeline or stages,
            notes=_notes(connection, company.id, row.id),
            ratings=_ratings(connection, company.id, row.id),
            others=_others(connection, company.id, row.id, row.candidate_id),
        )


def applicant_cv(db: Database, company: HiringTenant, application_id: str) -> tuple[str, str] | None:
    """Return the applicant's name and the key of their latest CV; None if there is no application or no CV."""
    with db.read() as connection:
        query = with_person(sa.select(candidates.c.record, *full_name(connection)), company.id)
        row = connection.execute(query.where(_a.id == application_id)).one_or_none()
    key = _cv_key(json.loads(row[0]), company.slug) if row and row[0] else None
    return (_joined(row[1], row[2]), key) if row and key else None


def _query(connection: sa.Connection, tenant_id: int, application_id: str) -> sa.Select[Any]:
    first, last = full_name(connection)
    query: sa.Select[Any] = sa.select(
        *(_a.id, _a.turn, _a.vacancy_id, _a.candidate_id, _a.stage_id, _a.is_rejected, _a.record.label("own")),
        candidates.c.record.label("candidate"),
        first.label("first"),
        last.label("last"),
        _title(connection).label("title"),
        inside(connection, _a.record, "stage", "name").label("stage"),
        inside(connection, _a.record, "stage", "templateId").label("template"),
    )
    return _with_job(with_person(query, tenant_id)).where(_a.id == application_id)


def _with_job(query: sa.Select[Any]) -> sa.Select[Any]:
    v = vacancies.c
    return query.outerjoin(vacancies, sa.and_(v.tenant_id == _a.tenant_id, v.id == _a.vacancy_id))


def _title(connection: sa.Connection) -> sa.ColumnElement[Any]:
    return inside(connection, vacancies.c.record, "name", "name")


def _notes(connection: sa.Connection, tenant_id: int, application_id: str) -> list[HiringNote]:
    n = notes.c
    query = sa.select(n.id, n.by, n.at, n.text).where(n.tenant_id == tenant_id, n.application_id == application_id)
    return [HiringNote(*row) for row in connection.execute(query.order_by(n.id.desc()))]


def _ratings(connection: sa.Connection, tenant_id: int, application_id: str) -> dict[str, int]:
    r = ratings.c
    query = sa.select(r.by, r.rating).where(r.tenant_id == tenant_id, r.application_id == application_id)
    return {row.by: row.rating for row in connection.execute(query.order_by(r.at))}


def _others(
    connection: sa.Connection, tenant_id: int, application_id: str, candidate_id: str | None
) -> list[EarlierApplication]:
    if candidate_id is None:
        return []
    stage = inside(connection, _a.record, "stage", "name")
    query = _with_job(sa.select(_a.id, _title(connection), _a.turn, stage))
    theirs = (_a.tenant_id == tenant_id, _a.candidate_id == candidate_id, _a.id != application_id)
    rows = connection.execute(query.where(*theirs).order_by(_a.turn.desc()).limit(_MOST))
    return [EarlierApplication(one, str(title or ""), at, str(name or "")) for one, title, at, name in rows]


def _entries(person: dict[str, Any], wrapper: str) -> list[dict[str, Any]]:
    found = person.get(wrapper)
    entries = found.get(wrapper) if isinstance(found, dict) else None
    return [one for one in entries[:_MOST] if isinstance(one, dict)] if isinstance(entries, list) else []


def _texts(person: dict[str, Any], wrapper: str, name: str) -> list[str]:
    return [one[name] for one in _entries(person, wrapper) if isinstance(one.get(name), str) and one[name]]


def _copied_emails(own: str) -> list[Any]:
    """Return the addresses in a loaded application's own copy of its candidate."""
    copy = json.loads(own).get("candidate")
    found = copy.get("emails") if isinstance(copy, dict) else None
    return found if isinstance(found, list) else []


def _place(location: dict[str, Any]) -> str:
    parts = (location.get(name) for name in ("address", "postalCode", "city", "region", "country"))
    return _joined(*parts, between=", ")


def _joined(*parts: object, between: str = " ") -> str:
    return between.join(str(part) for part in parts if part)


def _address(text: str) -> str | None:
    """Return a link's address if a browser may follow it, else None: it is then shown as text."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return text if parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc else None


def _cv_key(person: dict[str, Any], slug: str) -> str | None:
    """Return the key of the latest CV. Applications bring keys and anybody can send one: only the company's count."""
    attributes = person.get("customAttributes")
    keys: Iterable[Any] = ()
    for one in attributes if isinstance(attributes, list) else ():
        if isinstance(one, dict) and one.get("attributeDefinitionId") == records.CV_ATTRIBUTE:
            keys = one["value"] if isinstance(one.get("value"), list) else ()
    return next((key for key in reversed(list(keys)) if isinstance(key, str) and key.startswith(f"{slug}/")), None)
