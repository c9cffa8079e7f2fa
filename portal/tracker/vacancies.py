"""Vacancies: pages (§4.1), one with its stage totals (§4.3), and creating, loading and editing them."""

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from itertools import accumulate
from typing import Any

import sqlalchemy as sa

from portal.contract.vacancies import Vacancy, VacancyDetail
from portal.platform.database.db import EPOCH
from portal.platform.database.prepared import AnyConnection, PreparedStatement
from portal.tracker import keys, people, stages, upsert
from portal.tracker.problems import ServiceProblem, ServiceProblemDetail
from portal.tracker.request_reading import refused_reference
from portal.tracker.revisions import MICROSECOND, Revision, stamp
from portal.tracker.shapes import Json, completed, names, written
from portal.tracker.tables import applications, candidates, client_people, companies, tallies, tenants, users, vacancies

_LISTED = names(Vacancy)
_WRAPPED = ("name", "description", "startAt", "endAt", "salaryRange", "location", "employmentType", "locationType")
"""Members of a body (§4.4) that a record holds in a view wrapper of the same name (§2.3)."""
WITH_KEY = PreparedStatement(
    keys.BY_ID.add_columns(vacancies.c.record, vacancies.c.more, vacancies.c.totals, tallies.c.counts, tenants.c.board)
    .outerjoin(vacancies, sa.and_(vacancies.c.tenant_id == tenants.c.id, vacancies.c.id == sa.bindparam("vacancy")))
    .outerjoin(tallies, sa.and_(tallies.c.tenant_id == tenants.c.id, tallies.c.id == vacancies.c.id))
)
"""Selects an active key with one vacancy of its tenant; the vacancy's columns are null if there is none."""


def _pages(table: sa.Table) -> PreparedStatement:
    return PreparedStatement(
        sa.select(table.c.record, sa.type_coerce(table.c.modified, sa.BigInteger).label("microseconds"))
        .where(table.c.tenant_id == sa.bindparam("tenant"), table.c.modified >= sa.bindparam("start"))
        .order_by(table.c.modified)
        .limit(sa.bindparam("most", type_=sa.Integer))
    )


_PAGE_LONGEST = 4_000_000
"""Characters of the records on a page, except where a single record is longer."""
_PAGES = {table: _pages(table) for table in (vacancies, candidates)}


@dataclass(frozen=True, slots=True)
class StoredVacancyPage:
    """Records as JSON text, and the modification time at which the next page starts, or None on the last page."""

    records: tuple[str, ...]
    next_turn: datetime | None


def page(
    connection: AnyConnection, table: sa.Table, tenant_id: int, *, start: datetime | None, size: int
) -> StoredVacancyPage:
    """Return records of vacancies or candidates from a modification time on (inclusive), oldest first.

    Fewer than `size`, at least one, if more would be longer than clients accept.
    """
    asked = {"tenant": tenant_id, "start": start or EPOCH, "most": size + 1}
    rows = _PAGES[table].all(connection, asked)
    records = [record for record, _ in rows[:size]]
    lengths = accumulate(map(len, records))
    fitting = max(1, sum(length <= _PAGE_LONGEST for length in lengths)) if records else 0
    further = EPOCH + rows[fitting].microseconds * MICROSECOND if len(rows) > fitting else None
    return StoredVacancyPage(tuple(records[:fitting]), further)


def detail(row: Any) -> str | None:  # noqa: ANN401  a row of WITH_KEY, however it was fetched
    """Return the JSON text of §2.4 for a row of WITH_KEY; None if the row has no vacancy."""
    if row.record is None:
        return None
    return f'{row.record[:-1]},"stageTotals":{_totals(row.totals, row.counts, row.board)},{row.more[1:]}'


def create(
    connection: sa.Connection, turn: Revision, company_id: str, body: Json, *, vacancy_id: str | None = None
) -> str:
    """Create a vacancy (§4.4) and return its id. ServiceProblem 422 if the company, a user or the stage is unknown.

    vacancy_id: the id it gets; None: a new one.
    """
    tenant_id = turn.tenant_id
    client = people.found(connection, companies, tenant_id, [company_id]).get(company_id)
    if client is None:
        wrong = ServiceProblemDetail("no company of this tenant has this id", parameter="companyId")
        raise ServiceProblem(
            HTTPStatus.UNPROCESSABLE_ENTITY, "companyId names something that does not exist.", wrong=[wrong]
        )
    team = _members(connection, users, tenant_id, body, "teamUserIds")
    client_team = _members(connection, client_people, tenant_id, body, "clientTeamUserIds")
    stage_id = body.get("stageId")
    if stage_id is None:
        stage: Json | None = stages.stage_of_status(connection, tenant_id, body["status"])
    else:
        stage = stages.vacancy_stage(connection, tenant_id, stage_id)
    if stage is None:
        raise refused_reference("stageId", "no vacancy stage of this tenant has this id")
    vacancy_id = vacancy_id or secrets.token_hex(16)
    record = {
        "id": vacancy_id,
        "client": {"client": client},
        "stage": {"stage": stage},
        "createdAt": {"createdAt": stamp(turn.at)},
        "team": {"team": team},
        "clientTeam": {"clientTeam": client_team},
    }
    wrapped = {name: {name: body.get(name)} for name in _WRAPPED}
    _store(connection, tenant_id, [(record | wrapped, body["status"], turn.at)], edited=turn.at)
    return vacancy_id


def change(connection: sa.Connection, turn: Revision, vacancy_id: str, body: Json, *, status: str | None) -> None:
    """Replace the members of an existing vacancy that a body (§4.4) has. status: None keeps its stage."""
    here = (vacancies.c.tenant_id == turn.tenant_id, vacancies.c.id == vacancy_id)
    record = json.loads(connection.execute(sa.select(vacancies.c.record).where(*here)).scalar_one())
    members = {name: body[name] for name in _WRAPPED if name in body}
    if "teamUserIds" in body:
        members["team"] = _members(connection, users, turn.tenant_id, body, "teamUserIds")
    values: Json = {"modified": turn.at, "edited": turn.at}
    if status is not None:
        members["stage"] = stages.stage_of_status(connection, turn.tenant_id, status)
        values["status"] = status
    for name, value in members.items():
        record[name] = (record.get(name) or {}) | {name: value}
    connection.execute(vacancies.update().where(*here).values(record=written(completed(Vacancy, record)), **values))


def load(connection: sa.Connection, turn: Revision, records: Sequence[tuple[Json, datetime]]) -> None:
    """Store records (§2.4) unchanged, each with its modification time, replacing those with the same id."""
    found = []
    for record, at in records:
        stage = record.get("stage")
        found.append((record, stages.status_of(stage.get("stage") if isinstance(stage, dict) else None), at))
    _store(connection, turn.tenant_id, found, edited=None)


def recount(connection: sa.Connection, tenant_id: int, vacancy_ids: Iterable[str]) -> None:
    """Recompute the number of applications of these vacancies by stage."""
    counts: dict[str, dict[str, list[int]]] = {vacancy_id: {} for vacancy_id in vacancy_ids}
    facts = (applications.c.vacancy_id, applications.c.stage_id, applications.c.is_loaded)
    rows = connection.execute(
        sa.select(*facts, sa.func.count().label("many"))
        .where(applications.c.tenant_id == tenant_id, applications.c.vacancy_id.in_(counts))
        .group_by(*facts)
    )
    for row in rows:
        if row.stage_id is not None:
            pair = counts[row.vacancy_id].setdefault(row.stage_id, [0, 0])
            pair[0 if row.is_loaded else 1] += row.many
    upsert.put(
        connection,
        tallies,
        [{"tenant_id": tenant_id, "id": known_as, "counts": written(pairs)} for known_as, pairs in counts.items()],
    )


def _store(
    connection: sa.Connection, tenant_id: int, found: Sequence[tuple[Json, str, datetime]], *, edited: datetime | None
) -> None:
    rows = {}
    for record, status, at in found:
        whole = completed(VacancyDetail, record)
        totals = whole.pop("stageTotals")
        says = isinstance(totals, dict) and bool(totals.get("totals"))
        rows[whole["id"]] = {
            "tenant_id": tenant_id,
            "id": whole["id"],
            "modified": at,
            "edited": edited,
            "status": status,
            "totals": written(totals) if says else None,
            "more": written({name: value for name, value in whole.items() if name not in _LISTED}),
            "record": written({name: value for name, value in whole.items() if name in _LISTED}),
        }
    upsert.put(connection, vacancies, list(rows.values()))


def _totals(loaded: str | None, counts: str | None, board: str) -> str:
    """Return the JSON of the stage totals: the loaded ones, or else the tenant's stages, plus the known applications.

    A loaded total already includes the loaded applications, even those that were not loaded with it; applications
    received here are added to it.
    """
    if counts in {None, "{}"}:
        return board if loaded is None else loaded
    tally = json.loads(counts or "{}")
    totals = json.loads(board)
    if loaded is not None:
        loaded_totals = json.loads(loaded)
        known = {entry.get("id") for entry in loaded_totals["totals"]}
        more = [entry for entry in totals["totals"] if entry["id"] in tally and entry["id"] not in known]
        totals = loaded_totals | {"totals": loaded_totals["totals"] + more}
    for entry in totals["totals"]:
        before, here = tally.pop(entry.get("id"), (0, 0))
        entry["total"] = max(entry.get("total") or 0, before) + here
    nameless = {"type": None, "name": None, "order": None}
    totals["totals"] += [nameless | {"id": stage_id, "total": sum(pair)} for stage_id, pair in tally.items()]
    return written(totals)


def _members(connection: sa.Connection, table: sa.Table, tenant_id: int, body: Json, name: str) -> list[Any]:
    known = people.found(connection, table, tenant_id, body[name])
    for index, wanted in enumerate(body[name]):
        if wanted not in known:
            raise refused_reference(name, "no person of this tenant has this id", index)
    return [known[wanted] for wanted in body[name]]
