"""Edits of the service's records for which the interface has no operation, as recruiters make them in a real service.

Every function takes the tenant's slug.
"""

import json

import sqlalchemy as sa

from portal.contract.vacancies import Vacancy
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.tracker import candidates, revisions, stages, vacancies
from portal.tracker.revisions import Revision
from portal.tracker.shapes import Json, completed, written
from portal.tracker.tables import addresses, applications, tallies
from portal.tracker.tables import candidates as candidates_table
from portal.tracker.tables import vacancies as vacancies_table


def update_vacancy(database: Database, clock: Clock, slug: str, vacancy_id: str, **changes: object) -> bool:
    """Edit a vacancy; False if there is none.

    changes: name, description, startAt, endAt, salaryRange, location, employmentType, locationType as in §4.4; status,
    which moves the vacancy to the stage of that status; or stage, an object as in §2.3.
    """
    with database.write() as connection:
        return _edit(connection, _turn(connection, clock, slug), vacancy_id, changes)


def delete_vacancy(database: Database, clock: Clock, slug: str, vacancy_id: str) -> bool:
    """Delete a vacancy with its applications; False if there is none."""
    with database.write() as connection:
        tenant_id = _turn(connection, clock, slug).tenant_id
        _delete(connection, applications, tenant_id, vacancy_id=vacancy_id)
        _delete(connection, tallies, tenant_id, id=vacancy_id)
        return _delete(connection, vacancies_table, tenant_id, id=vacancy_id)


def update_candidate(database: Database, clock: Clock, slug: str, candidate_id: str, **changes: Json) -> bool:
    """Edit a candidate; False if there is none. changes: view wrappers of §2.5, such as name={"lastName": "Ito"}."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        known = candidates.get(connection, turn.tenant_id, candidate_id)
        if known is None:
            return False
        for wrapper, inside in changes.items():
            known.record[wrapper] = (known.record[wrapper] or {}) | inside
        candidates.keep(connection, turn, known)
        candidates.index(connection, turn, known)
        return True


def delete_candidate(database: Database, clock: Clock, slug: str, candidate_id: str) -> bool:
    """Delete a candidate with their applications; False if there is none."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        _forget_applications(connection, turn, candidate_id)
        _delete(connection, addresses, turn.tenant_id, candidate_id=candidate_id)
        return _delete(connection, candidates_table, turn.tenant_id, id=candidate_id)


def _edit(connection: sa.Connection, turn: Revision, vacancy_id: str, changes: Json) -> bool:
    """Replace the values in view wrappers: {"name": …, "status": …, "endAt": …}. False if there is no such vacancy."""
    tenant_id = turn.tenant_id
    row = connection.execute(
        sa.select(vacancies_table.c.record, vacancies_table.c.status).where(
            vacancies_table.c.tenant_id == tenant_id, vacancies_table.c.id == vacancy_id
        )
    ).one_or_none()
    if row is None:
        return False
    record, status = json.loads(row.record), changes.get("status", row.status)
    if "status" in changes:
        changes = changes | {"stage": stages.stage_of_status(connection, tenant_id, status)}
    for name, value in changes.items():
        if name != "status":
            record[name] = (record[name] or {}) | {name: value}
    connection.execute(
        sa.update(vacancies_table)
        .where(vacancies_table.c.tenant_id == tenant_id, vacancies_table.c.id == vacancy_id)
        .values(modified=turn.at, edited=turn.at, status=status, record=written(completed(Vacancy, record)))
    )
    return True


def _delete(connection: sa.Connection, table: sa.Table, tenant_id: int, **which: str) -> bool:
    """Delete a tenant's rows with these values; returns whether there were any."""
    return connection.execute(sa.delete(table).filter_by(tenant_id=tenant_id, **which)).rowcount > 0


def _forget_applications(connection: sa.Connection, turn: Revision, candidate_id: str) -> None:
    where = sa.and_(applications.c.tenant_id == turn.tenant_id, applications.c.candidate_id == candidate_id)
    columns = (applications.c.vacancy_id, applications.c.stage_id, applications.c.is_loaded)
    gone = connection.execute(sa.select(*columns).where(where)).all()
    connection.execute(sa.delete(applications).where(where))
    for row in gone:
        if row.is_loaded and row.vacancy_id is not None:
            _lower_total(connection, turn.tenant_id, row.vacancy_id, row.stage_id)
    vacancies.recount(connection, turn.tenant_id, {row.vacancy_id for row in gone if row.vacancy_id is not None})


def _lower_total(connection: sa.Connection, tenant_id: int, vacancy_id: str, stage_id: str | None) -> None:
    """Decrease the loaded stage total of a vacancy, which includes a loaded application that was deleted."""
    where = sa.and_(vacancies_table.c.tenant_id == tenant_id, vacancies_table.c.id == vacancy_id)
    text = connection.execute(sa.select(vacancies_table.c.totals).where(where)).scalar()
    if text is not None:
        totals = json.loads(text)
        for entry in totals["totals"]:
            if entry.get("id") == stage_id and (entry.get("total") or 0) > 0:
                entry["total"] -= 1
        connection.execute(sa.update(vacancies_table).where(where).values(totals=written(totals)))


def _turn(connection: sa.Connection, clock: Clock, slug: str) -> Revision:
    turn = revisions.take(connection, clock, slug=slug)
    assert turn is not None
    return turn
