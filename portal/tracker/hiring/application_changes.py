"""Changes to applications by colleagues: stages, notes, ratings, and which applications were seen.

Changes of an application's record lock the tenant (revisions.require), so concurrent changes do not overwrite each
other.
"""

import json
import secrets
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from werkzeug.exceptions import NotFound

from portal.contract.applications import Application
from portal.platform.clock import Clock
from portal.platform.database.db import Database, insert
from portal.tracker import revisions, stages, upsert, vacancies
from portal.tracker.hiring import colleagues
from portal.tracker.hiring.application_list import all_stages
from portal.tracker.hiring.colleagues import Activity, HiringTenant
from portal.tracker.hiring.guard import HiringVisit
from portal.tracker.hiring.tables import applications_seen, notes, ratings
from portal.tracker.revisions import Revision, stamp
from portal.tracker.shapes import Json, rendered, written
from portal.tracker.tables import applications
from portal.tracker.tables import vacancies as jobs

MOST = 200
"""Applications that are moved at once."""
NOTES_MOST = 500
NOTE_LONGEST = 5_000
_REJECTED = "rejected"
_a = applications.c


def move(
    db: Database, clock: Clock, company: HiringTenant, seen: Mapping[str, str], stage_id: str, *, by: str
) -> list[str] | None:
    """Move applications to a stage; return the ids of those that a colleague moved or erased meanwhile: these are not
    moved.

    seen: for each application the id of the stage in which the colleague saw it, at most MOST. None if there is no such
    stage.
    """
    with db.write() as connection:
        turn = revisions.require(connection, clock, company.id)
        stage = stages.stage_of_application(connection, company.id, stage_id)
        if stage is None:
            return None
        rows = _movable(connection, company.id, seen)
        late = set(seen) - {row.id for row in rows if row.stage_id == stage_id or (row.stage_id or "") == seen[row.id]}
        _move(connection, turn, [row for row in rows if row.id not in late], stage, by=by)
    return [one for one in seen if one in late]


def reject(db: Database, clock: Clock, tenant_id: int, application_id: str, *, by: str) -> None:
    """Move an application to its pipeline's stage for rejections; without such a stage, reject it in its current
    stage."""
    with db.write() as connection:
        turn = revisions.require(connection, clock, tenant_id)
        rows = [row for row in _movable(connection, tenant_id, [application_id]) if not row.is_rejected]
        if not rows:
            return
        own = (json.loads(rows[0].record).get("stage") or {}).get("templateId")
        fitting = [one for one in all_stages(connection, tenant_id) if one.is_rejection]
        fitting.sort(key=lambda one: one.template != own)
        stage = stages.stage_of_application(connection, tenant_id, fitting[0].id) if fitting else None
        if stage is not None:
            _move(connection, turn, rows, stage, by=by)
        else:
            _store(connection, turn, rows[0], json.loads(rows[0].record) | {"applicationState": {"state": _REJECTED}})
            colleagues.log(connection, tenant_id, by=by, what=Activity.MOVED, about=application_id, now=turn.at)


def add_note(db: Database, visit: HiringVisit, application_id: str, text: str, now: datetime) -> bool:
    """Store a note; return False if there are too many. Raises NotFound."""
    key = {"tenant_id": visit.tenant.id, "application_id": application_id}
    with db.write() as connection:
        _expect(connection, visit.tenant.id, application_id)
        count = sa.select(sa.func.count()).select_from(notes).filter_by(**key)
        if (connection.scalar(count) or 0) >= NOTES_MOST:
            return False
        connection.execute(notes.insert().values(key | {"by": visit.colleague.email, "at": now, "text": text}))
        visit.log(connection, Activity.NOTED, application_id, now)
    return True


def delete_note(db: Database, visit: HiringVisit, application_id: str, number: int, now: datetime) -> None:
    """Delete a note of this colleague. Raises NotFound."""
    key = {"tenant_id": visit.tenant.id, "application_id": application_id, "id": number, "by": visit.colleague.email}
    with db.write() as connection:
        if not connection.execute(notes.delete().filter_by(**key)).rowcount:
            raise NotFound
        visit.log(connection, Activity.NOTE_DELETED, application_id, now)


def rate(db: Database, visit: HiringVisit, application_id: str, rating: int, now: datetime) -> None:
    """Store this colleague's rating, from 1 to 5, or remove it if 0. Raises NotFound."""
    key = {"tenant_id": visit.tenant.id, "application_id": application_id, "by": visit.colleague.email}
    with db.write() as connection:
        _expect(connection, visit.tenant.id, application_id)
        if rating:
            upsert.put(connection, ratings, [key | {"at": now, "rating": rating}])
        else:
            connection.execute(ratings.delete().filter_by(**key))
        visit.log(connection, Activity.RATED, application_id, now)


def mark_seen(db: Database, visit: HiringVisit, vacancy_id: str, until: datetime) -> None:
    """Record that a job's applications have been seen up to this arrival time. An earlier time changes nothing."""
    key, s = {"tenant_id": visit.tenant.id, "vacancy_id": vacancy_id}, applications_seen.c
    with db.write() as connection:
        if connection.execute(sa.select(jobs.c.id).filter_by(tenant_id=visit.tenant.id, id=vacancy_id)).first():
            storing = insert(connection, applications_seen).values(key | {"at": until})
            storing = storing.on_conflict_do_update(index_elements=list(key), set_={"at": until}, where=s.at < until)
            connection.execute(storing)


def lock(connection: sa.Connection, tenant_id: int, application_id: str) -> bool:
    """Return whether the application exists; it cannot be erased before this transaction ends."""
    query = sa.select(_a.id).where(_a.tenant_id == tenant_id, _a.id == application_id)
    return connection.execute(query.with_for_update()).first() is not None


def _expect(connection: sa.Connection, tenant_id: int, application_id: str) -> None:
    if not lock(connection, tenant_id, application_id):
        raise NotFound


def _movable(connection: sa.Connection, tenant_id: int, ids: Collection[str]) -> Sequence[sa.Row[Any]]:
    query: sa.Select[Any] = sa.select(_a.id, _a.stage_id, _a.vacancy_id, _a.is_loaded, _a.is_rejected, _a.record)
    return connection.execute(query.where(_a.tenant_id == tenant_id, _a.id.in_(ids))).all()


def _move(connection: sa.Connection, turn: Revision, rows: Sequence[sa.Row[Any]], stage: Json, *, by: str) -> None:
    moved = [row for row in rows if row.stage_id != stage["id"]]
    for row in moved:
        _put_in_stage(connection, turn, row, stage)
        colleagues.log(connection, turn.tenant_id, by=by, what=Activity.MOVED, about=row.id, now=turn.at)
    _count(connection, turn.tenant_id, moved, stage["id"])


def _put_in_stage(connection: sa.Connection, turn: Revision, row: sa.Row[Any], stage: Json) -> None:
    """Store the record as if it had been loaded in this stage; in a stage for rejections, add a rejection."""
    state = {"state": (stage.get("status") or {}).get("id") or "for-review"}
    is_rejected = str(stage.get("type") or "").casefold() == _REJECTED
    news = {"stage": stage, "applicationState": state}
    _store(connection, turn, row, json.loads(row.record) | news, is_rejected=is_rejected)


def _store(
    connection: sa.Connection, turn: Revision, row: sa.Row[Any], record: Json, *, is_rejected: bool = True
) -> None:
    rejection = record.get("rejection") if is_rejected else None
    if is_rejected and rejection is None:
        now = stamp(turn.at)
        rejection = {"id": secrets.token_hex(16), "applicationId": row.id, "createdAt": now, "modifiedAt": now}
    record["rejection"] = rejection
    stage_id = (record.get("stage") or {}).get("id")
    news = {"stage_id": stage_id, "is_rejected": is_rejected, "record": rendered(Application, record)}
    itself = (_a.tenant_id == turn.tenant_id, _a.id == row.id)
    connection.execute(applications.update().where(*itself).values(news))


def _count(connection: sa.Connection, tenant_id: int, moved: list[sa.Row[Any]], stage_id: str) -> None:
    """Recount applications by stage. Loaded totals include loaded applications, so the totals must be shifted too."""
    vacancies.recount(connection, tenant_id, {row.vacancy_id for row in moved if row.vacancy_id})
    shifts: dict[str, Counter[str]] = {}
    for row in moved:
        if row.is_loaded and row.vacancy_id:
            shift = shifts.setdefault(row.vacancy_id, Counter())
            shift[row.stage_id or ""] -= 1
            shift[stage_id] += 1
    for vacancy_id, shift in shifts.items():
        here = (jobs.c.tenant_id == tenant_id, jobs.c.id == vacancy_id)
        totals = connection.scalar(sa.select(jobs.c.totals).where(*here))
        if totals:
            parsed = json.loads(totals)
            for entry in parsed["totals"]:
                entry["total"] = max((entry.get("total") or 0) + shift[entry.get("id")], 0)
            connection.execute(jobs.update().where(*here).values(totals=written(parsed)))
