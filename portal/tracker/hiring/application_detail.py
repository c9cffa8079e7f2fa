"""One application in full: what was submitted, what colleagues think of it, and where its CV is."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.site.forms.fields.text import REPLACEMENT, displayable
from portal.tracker import candidates as records
from portal.tracker.hiring.application_list import (
    HiringStage,
    all_stages,
    full_name,
    inside,
    job_title,
    of_applicants,
    title_of,
)
from portal.tracker.hiring.colleagues import HiringTenant
from portal.tracker.hiring.tables import notes, ratings
from portal.tracker.shapes import Json
from portal.tracker.tables import applications, candidates

_MOST = 100
"""Entries of each kind that are shown: candidates can add more."""
_a = applications.c
PERSON = (candidates.c.record.label("candidate"), _a.record.label("own"))
"""The columns that person_of() reads."""


@dataclass(frozen=True, slots=True)
class ApplicationDetail:
    """Everything on the page. links: (text, address or None if it is not to be followed). ratings: by colleague.

    notes: rows of id, by, at, text, the newest first. others: rows of id, title, at, stage of the same person's other
    applications.
    """

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
    notes: Sequence[sa.Row[Any]] = field(repr=False)
    ratings: dict[str, int]
    others: Sequence[sa.Row[Any]]


def detail(db: Database, company: HiringTenant, application_id: str) -> ApplicationDetail | None:
    """Return an application of the company, None if there is none with this id."""
    with db.read() as connection:
        columns = (_a.id, _a.turn, _a.vacancy_id, _a.candidate_id, _a.stage_id, _a.is_rejected, *PERSON)
        stage = [inside(connection, _a.record, "stage", name).label(name) for name in ("name", "templateId")]
        query = of_applicants(connection, company.id, *columns, *stage, job_title(connection))
        row = connection.execute(query.where(_a.id == application_id)).one_or_none()
        if row is None:
            return None
        person, stages = person_of(row), all_stages(connection, company.id)
        n, r = notes.c, ratings.c
        noted: sa.Select[Any] = sa.select(n.id, n.by, n.at, n.text).where(
            n.tenant_id == company.id, n.application_id == row.id
        )
        rated = sa.select(r.by, r.rating).where(r.tenant_id == company.id, r.application_id == row.id)
        return ApplicationDetail(
            id=row.id,
            name=full_name(row),
            at=row.turn,
            vacancy_id=row.vacancy_id or "",
            title=title_of(row),
            stage_id=row.stage_id or "",
            stage=str(row.name or ""),
            is_rejected=row.is_rejected,
            emails=texts(person, "emails", "email"),
            phones=texts(person, "phoneNumbers", "phoneNumber"),
            links=[(link, _address(link)) for link in texts(person, "socialMedia", "url")],
            places=places(person),
            has_cv=_cv_key(person, company.slug) is not None,
            stages=[one for one in stages if one.template == row.templateId] or stages,
            notes=connection.execute(noted.order_by(n.id.desc())).all(),
            ratings={one.by: one.rating for one in connection.execute(rated.order_by(r.at))},
            others=_others(connection, company.id, row),
        )


def applicant_cv(db: Database, company: HiringTenant, application_id: str) -> tuple[str, str] | None:
    """Return the applicant's name and the key of their latest CV; None if there is no application or no CV."""
    with db.read() as connection:
        query = of_applicants(connection, company.id, *PERSON).where(_a.id == application_id)
        row = connection.execute(query).one_or_none()
    key = _cv_key(person_of(row), company.slug) if row else None
    return (full_name(row), key) if row and key else None


def person_of(row: sa.Row[Any]) -> Json:
    """Return the record of a row's candidate; for a loaded application without one what its own copy has of it."""
    if row.candidate:
        found: Json = json.loads(row.candidate)
        return found
    copy = json.loads(row.own).get("candidate")
    emails = copy.get("emails") if isinstance(copy, dict) else None
    return {"emails": {"emails": [{"email": one} for one in emails]}} if isinstance(emails, list) else {}


def entries(person: Json, wrapper: str) -> list[Json]:
    """Return the objects of a list in a candidate's record, at most _MOST."""
    found = person.get(wrapper)
    listed = found.get(wrapper) if isinstance(found, dict) else None
    return [one for one in listed[:_MOST] if isinstance(one, dict)] if isinstance(listed, list) else []


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


def _others(connection: sa.Connection, tenant_id: int, row: sa.Row[Any]) -> Sequence[sa.Row[Any]]:
    stage = inside(connection, _a.record, "stage", "name").label("stage")
    query = of_applicants(connection, tenant_id, _a.id, job_title(connection), _a.turn.label("at"), stage)
    theirs = query.where(_a.candidate_id == row.candidate_id, _a.id != row.id)  # none without a candidate: NULL
    return connection.execute(theirs.order_by(_a.turn.desc()).limit(_MOST)).all()


def _address(link: str) -> str | None:
    """Return a link's address if a browser may follow it, else None: it is then shown as text."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    is_web = parts.scheme in {"http", "https"} and parts.hostname and "@" not in parts.netloc
    return link if is_web and REPLACEMENT not in link else None


def cv_keys(person: Json) -> list[str]:
    """Return the keys of the CVs in a candidate's record, the latest last. Anybody can send any key."""
    found = person.get("customAttributes")
    attributes = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    values = [one.get("value") for one in attributes if one.get("attributeDefinitionId") == records.CV_ATTRIBUTE]
    keys = values[-1] if values else None
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def _cv_key(person: Json, slug: str) -> str | None:
    """Return the key of the latest CV that is the company's."""
    return next((key for key in reversed(cv_keys(person)) if key.startswith(f"{slug}/")), None)
