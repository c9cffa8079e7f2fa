"""Loads records from a file: JSON Lines or one JSON document, streamed, one transaction per batch, resumable."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import islice

import sqlalchemy as sa
from pydantic import ValidationError

from portal.contract import bounds
from portal.contract.applications import Application
from portal.contract.candidates import Candidate
from portal.contract.model import EXACT, Read
from portal.contract.pipeline import PipelineStage
from portal.contract.shapes import Client, UserBadge
from portal.contract.vacancies import VacancyDetail
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.errors import SettingsError
from portal.tracker import applications, candidates, people, revisions, stages, upsert, vacancies
from portal.tracker.administration import tenant_of
from portal.tracker.records import InputRecord, in_lines
from portal.tracker.request_reading import known_id, unstorable
from portal.tracker.revisions import MICROSECOND, Revision
from portal.tracker.shapes import Json
from portal.tracker.tables import client_people, companies, loads, users

BATCH = 500
SHAPES: dict[str, type[Read]] = {
    "company": Client,
    "user": UserBadge,
    "stage": PipelineStage,
    "vacancy": VacancyDetail,
    "candidate": Candidate,
    "application": Application,
}


def load(
    database: Database,
    clock: Clock,
    slug: str,
    lines: Iterable[str | InputRecord],
    *,
    progress: Callable[[int], None] | None = None,
    fingerprint: str | None = None,
) -> int:
    """Load records, each replacing the one with its id. Returns the number loaded, including those of an earlier run.

    lines: JSON Lines, or what records.in_document yields. progress: called with the count after each batch.
    fingerprint: identifies the source, so that an interrupted load resumes after its last batch; None always starts
    from the beginning. Raises SettingsError naming the line or position of an invalid record; the batches before it
    stay loaded.
    """
    with database.read() as connection:
        tenant_id = tenant_of(connection, slug)
        done = _done(connection, tenant_id, fingerprint)
    found = in_lines(lines)
    for _ in islice(found, done):
        pass
    met: set[tuple[str, str]] = set()
    while batch := list(islice(found, BATCH)):
        checked = [_checked(record) for record in batch]
        with database.write() as connection:
            _store(connection, clock, tenant_id, checked, met)
            done += len(batch)
            if fingerprint is not None:
                upsert.put(connection, loads, [{"tenant_id": tenant_id, "fingerprint": fingerprint, "records": done}])
        if progress is not None:
            progress(done)
    if fingerprint is not None:
        with database.write() as connection:
            connection.execute(
                sa.delete(loads).where(loads.c.tenant_id == tenant_id, loads.c.fingerprint == fingerprint)
            )
    return done


def _done(connection: sa.Connection, tenant_id: int, fingerprint: str | None) -> int:
    """Return how many records an earlier run with this file has stored."""
    if fingerprint is None:
        return 0
    where = (loads.c.tenant_id == tenant_id, loads.c.fingerprint == fingerprint)
    return connection.execute(sa.select(loads.c.records).where(*where)).scalar() or 0


def _checked(found: InputRecord) -> InputRecord:
    """Return the record after validating its shape and id; members that the interface does not know stay in it."""
    shape = SHAPES.get(found.kind)
    if shape is None:
        raise SettingsError(f"{found.where}: unknown kind; expected one of {', '.join(SHAPES)}")
    if problem := bounds.problem_of(found.record, most=bounds.VALUES_MAX):
        raise SettingsError(f"{found.where}: {found.kind}: {problem}, which is more than any client has to read")
    try:
        text = json.dumps(found.record, ensure_ascii=False).encode()
        if b"\\u0000" in text and any(unstorable(found.record)):
            raise SettingsError(f"{found.where}: holds NUL, which no text has")
        shape.model_validate_json(text, strict=True, context=EXACT)
    except UnicodeEncodeError:
        raise SettingsError(f"{found.where}: holds half a character (a lone surrogate)") from None
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False, include_context=False)[0]
        where = "/".join(str(step) for step in first["loc"])
        raise SettingsError(
            f"{found.where}: {found.kind} /{where}: {first['msg'].removeprefix('Value error, ')}"
        ) from None
    name = "userId" if found.kind == "user" else "id"
    if not isinstance(found.record.get(name), str) or known_id(found.record[name]) is None:
        raise SettingsError(f"{found.where}: {found.kind} /{name}: expected a string of 1 to 200 printable characters")
    return found


def _store(
    connection: sa.Connection, clock: Clock, tenant_id: int, batch: list[InputRecord], met: set[tuple[str, str]]
) -> None:
    turn = revisions.take(connection, clock, tenant_id=tenant_id, count=len(batch))
    if turn is None:
        raise SettingsError("the tenant is gone")
    kinds: dict[str, list[tuple[Json, datetime]]] = {kind: [] for kind in SHAPES}
    for place, found in enumerate(batch):
        kinds[found.kind].append((found.record, turn.at + place * MICROSECOND))
    for kind, table in (("company", companies), ("user", users)):
        people.load(connection, table, tenant_id, (record for record, _ in kinds[kind]))
    if kinds["stage"]:
        stages.load(connection, tenant_id, [record for record, _ in kinds["stage"]])
    _meet(connection, tenant_id, kinds, met)
    candidates.load(connection, turn, kinds["candidate"])
    _store_vacancies(connection, turn, kinds, met)


def _store_vacancies(
    connection: sa.Connection, turn: Revision, kinds: dict[str, list[tuple[Json, datetime]]], met: set[tuple[str, str]]
) -> None:
    standing = [record["stage"].get("stage") for record, _ in kinds["vacancy"] if isinstance(record.get("stage"), dict)]
    known = [stage for stage in standing if isinstance(stage, dict)]
    stages.remember_vacancy_stages(connection, turn.tenant_id, _new(known, "id", "vacancy stage", met))
    vacancies.load(connection, turn, kinds["vacancy"])
    changed = applications.load(connection, turn, kinds["application"])
    vacancies.recount(connection, turn.tenant_id, changed)


def _meet(
    connection: sa.Connection, tenant_id: int, kinds: dict[str, list[tuple[Json, datetime]]], met: set[tuple[str, str]]
) -> None:
    """Store companies and people that appear inside of records, unless they are known already."""
    found: dict[sa.Table, list[Json]] = {companies: [], users: [], client_people: []}
    for kind, met_in in people.MET_IN.items():
        for record, _ in kinds[kind]:
            for table, records in met_in(record).items():
                found[table] += records
    for table, records in found.items():
        people.add_if_unknown(connection, table, tenant_id, _new(records, people.key_of(table), table.name, met))


def _new(records: list[Json], key: str, kind: str, met: set[tuple[str, str]]) -> list[Json]:
    """Return the records not yet seen in this load, so that a client of 100,000 vacancies is written once."""
    fresh = []
    for record in records:
        name = (kind, record.get(key) or "")
        if name not in met:
            met.add(name)
            fresh.append(record)
    return fresh
