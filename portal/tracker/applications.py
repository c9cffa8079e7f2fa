"""Applications: one in full (§4.7), those of a vacancy (§4.6), and how they are stored."""

import json
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter, ValidationError

from portal.contract.applications import Application, ApplicationSummary
from portal.contract.model import Timestamp
from portal.platform.database.prepared import Step
from portal.tracker import people, upsert
from portal.tracker.revisions import Revision, stamp
from portal.tracker.shapes import Json, completed, rendered
from portal.tracker.tables import applications, candidates, companies, vacancies

_TIMESTAMP: TypeAdapter[datetime] = TypeAdapter(Timestamp)


def detail(connection: sa.Connection, tenant_id: int, application_id: str) -> Json | None:
    """Return an application (§2.6), or None if there is none with this id.

    Candidate and vacancy are shown in their current state; a loaded application shows its own copy until they change.
    """
    row = connection.execute(
        sa.select(
            applications,
            candidates.c.record.label("candidate"),
            candidates.c.edited.label("candidate_edited"),
            vacancies.c.record.label("vacancy"),
            vacancies.c.edited.label("vacancy_edited"),
            vacancies.c.status,
        )
        .outerjoin(candidates, _same(candidates, applications.c.candidate_id))
        .outerjoin(vacancies, _same(vacancies, applications.c.vacancy_id))
        .where(applications.c.tenant_id == tenant_id, applications.c.id == application_id)
    ).one_or_none()
    if row is None:
        return None
    record: Json = json.loads(row.record)
    if row.candidate is not None and _newer(row, row.candidate_edited):
        record["candidate"] = _overlaid(record["candidate"], _person(json.loads(row.candidate)), loaded=row.is_loaded)
    if row.vacancy is not None and _newer(row, row.vacancy_edited):
        vacancy = json.loads(row.vacancy)
        record["vacancy"] = (record["vacancy"] or {}) | _vacancy(vacancy, row.status)
        record["client"] = (record["client"] or {}) | {"client": (vacancy["client"] or {}).get("client")}
        team = (vacancy["clientTeam"] or {}).get("clientTeam") or []
        record["clientTeam"] = (record["clientTeam"] or {}) | {"clientTeam": team}
    return completed(Application, record)


def of_vacancy(connection: sa.Connection, tenant_id: int, vacancy_id: str, now: datetime) -> list[Json]:
    """Return the summaries (§2.7) of a vacancy's applications, oldest first."""
    rows = connection.execute(
        sa.select(
            applications,
            candidates.c.record.label("candidate"),
            candidates.c.edited.label("candidate_edited"),
            candidates.c.background,
        )
        .outerjoin(candidates, _same(candidates, applications.c.candidate_id))
        .where(applications.c.tenant_id == tenant_id, applications.c.vacancy_id == vacancy_id)
        .order_by(applications.c.turn)
    )
    summaries = [_summary(row, now) for row in rows]
    _name_companies(connection, tenant_id, summaries)
    return summaries


def renewed(connection: sa.Connection, tenant_id: int, vacancy_id: str, candidate_id: str, *, cv: str) -> bool:
    """Note the CV that is submitted again, and return whether there is an application to it that was not rejected."""
    c = applications.c
    # The vacancy as an expression, because SQLite would otherwise read all of its applications, not the candidate's.
    theirs = (c.tenant_id == tenant_id, c.candidate_id == candidate_id, c.vacancy_id.concat("") == vacancy_id)
    noting = applications.update().where(*theirs, sa.not_(c.is_rejected)).values(cv=cv)
    return connection.execute(noting).rowcount > 0


def added(turn: Revision, *, vacancy_id: str, candidate_id: str, stage: Json, cv: str) -> Step:
    """Return the step that stores a `standardApplication` submitted through §4.8."""
    application_id = secrets.token_hex(16)
    activity = {"type": "applicationCreated", "isInbound": True, "date": stamp(turn.at)}
    state = (stage.get("status") or {}).get("id") or "for-review"
    record = {
        "id": application_id,
        "candidateApplicationType": "standardApplication",
        "latestActivity": activity | dict.fromkeys(_NOBODY),
        "stage": stage,
        "applicationState": {"state": state},
        "commentCount": 0,
        "candidate": {"id": candidate_id},
        "vacancy": {"id": vacancy_id},
    }
    return upsert.step(applications, _row(turn.tenant_id, record, turn.at, is_loaded=False) | {"cv": cv})


def load(connection: sa.Connection, turn: Revision, records: Sequence[tuple[Json, datetime]]) -> set[str]:
    """Store records (§2.6) unchanged, each with its modification time, and return the ids of their vacancies."""
    for record, _ in records:
        if isinstance(record.get("comments"), list):
            record.setdefault("commentCount", len(record["comments"]))
    rows = {record["id"]: _row(turn.tenant_id, record, at, is_loaded=True) for record, at in records}
    upsert.put(connection, applications, list(rows.values()))
    return {row["vacancy_id"] for row in rows.values() if row["vacancy_id"] is not None}


_NOBODY = ("triggeredByUserId", "triggeredByUserName", "triggeredByUserAvatarUrl")


def _row(tenant_id: int, record: Json, at: datetime, *, is_loaded: bool) -> dict[str, Any]:
    return {
        "tenant_id": tenant_id,
        "id": record["id"],
        "turn": at,
        "is_loaded": is_loaded,
        "vacancy_id": _id_of(record.get("vacancy")),
        "candidate_id": _id_of(record.get("candidate")),
        "stage_id": _id_of(record.get("stage")),
        "is_rejected": record.get("rejection") is not None,
        "record": rendered(Application, record),
    }


def _summary(row: sa.Row[Any], now: datetime) -> Json:
    record: Json = json.loads(row.record)
    candidate = json.loads(row.candidate) if row.candidate is not None else None
    shown = record["candidate"] or {}
    if candidate is not None and _newer(row, row.candidate_edited):
        shown = _overlaid(shown, _person(candidate), loaded=row.is_loaded)
    notes = record["notes"]
    person = {
        name: shown.get(name)
        for name in ("id", "firstName", "lastName", "avatarUrl", "lastInteractionWith", "lastInteractionDate")
    }
    person["emails"] = [entry.get("email") for entry in shown.get("emails") or [] if entry.get("email")]
    person["lastActivityAt"] = candidate["lastActivityDate"] if candidate is not None else None
    person["lastWorkExperience"] = _last_work(json.loads(row.background)) if row.background else None
    copied_fields = {name: record[name] for name in ("id", "latestActivity", "stage", "owner", "applicationState")}
    return completed(
        ApplicationSummary,
        copied_fields
        | {
            "candidate": person,
            "isPlaced": bool(record["placements"]),
            "noteCount": len(notes.get("notes") or []) if isinstance(notes, dict) else 0,
            "commentCount": record["commentCount"] or 0,
            "uncompletedTaskCount": 0,
            "nextInterview": _next_interview(record["interviews"] or [], now),
        },
    )


def _person(candidate: Json) -> Json:
    """Return a candidate's record (§2.5) as the `candidate` of §2.6."""
    name, emails = candidate["name"] or {}, candidate["emails"] or {}
    with_whom = (candidate["lastInteractionWith"] or {}).get("user")
    return {
        "id": candidate["id"],
        "firstName": name.get("firstName"),
        "lastName": name.get("lastName"),
        "avatarUrl": name.get("avatarUrl"),
        "emails": emails.get("emails") or [],
        "lastInteractionWith": people.actor(with_whom),
        "lastInteractionDate": (candidate["lastInteractionDate"] or {}).get("lastInteractionDate"),
    }


def _overlaid(application_copy: Json | None, person: Json, *, loaded: bool) -> Json:
    """Merge the current candidate into an application's copy.

    A loaded application keeps its own interactions: the interface changes only names and addresses.
    """
    if loaded:
        person = {name: person[name] for name in ("id", "firstName", "lastName", "avatarUrl", "emails")}
    return (application_copy or {}) | person


def _vacancy(vacancy: Json, status: str) -> Json:
    return {
        "id": vacancy["id"],
        "status": status,
        "title": (vacancy["name"] or {}).get("name"),
        "description": (vacancy["description"] or {}).get("description"),
        "location": (vacancy["location"] or {}).get("location"),
        "client": (vacancy["client"] or {}).get("client"),
    }


def _last_work(background: Json) -> Json | None:
    """Return the work experience that ended last; one without an end date counts as the latest."""
    entries = background.get("workExperiences") or []
    if not entries:
        return None
    latest = max(entries, key=lambda e: (e.get("endDate") is None, e.get("endDate") or "", e.get("startDate") or ""))
    return {name: latest.get(name) for name in ("companyId", "jobTitle", "description", "startDate", "endDate")}


def _name_companies(connection: sa.Connection, tenant_id: int, summaries: list[Json]) -> None:
    """Add name and size of each company that §4.5 names only by `companyId`, as they are known now."""
    jobs = [summary["candidate"]["lastWorkExperience"] for summary in summaries]
    at_companies = [job for job in jobs if job and job["companyId"]]
    known = people.found(connection, companies, tenant_id, [job["companyId"] for job in at_companies])
    for job in at_companies:
        company = known.get(job["companyId"], {})
        job.update(companyName=company.get("name"), companySize=company.get("size"))


def _next_interview(interviews: list[Json], now: datetime) -> Json | None:
    """Return the earliest interview that has not started yet."""
    ahead: list[tuple[datetime, int, Json]] = []
    for interview in interviews:
        try:
            begins = _TIMESTAMP.validate_python(interview.get("startTime"))
        except ValidationError:
            continue
        if begins >= now.astimezone(UTC):
            ahead.append((begins, len(ahead), interview))
    return min(ahead)[2] if ahead else None


def _newer(row: sa.Row[Any], edited: datetime | None) -> bool:
    return not row.is_loaded or (edited is not None and edited > row.turn)


def _same(table: sa.Table, column: sa.Column[Any]) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.tenant_id == applications.c.tenant_id, table.c.id == column)


def _id_of(shape: object) -> str | None:
    found = shape.get("id") if isinstance(shape, dict) else None
    return found if isinstance(found, str) else None
