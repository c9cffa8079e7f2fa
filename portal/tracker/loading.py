"""Records from a file: JSON Lines or one JSON document, streamed, a batch a transaction, resumed where it stopped."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import islice

import sqlalchemy as sa
from pydantic import ValidationError

from portal.clock import Clock
from portal.contract.applications import Application
from portal.contract.candidates import Candidate
from portal.contract.model import EXACT, Read
from portal.contract.pipeline import PipelineStage
from portal.contract.shapes import Client, UserBadge
from portal.contract.vacancies import VacancyDetail
from portal.db import Database
from portal.errors import SettingsError
from portal.tracker import applications, candidates, people, put, stages, turns, vacancies
from portal.tracker.administration import tenant_of
from portal.tracker.reading import known_id, unstorable
from portal.tracker.records import Found, in_lines
from portal.tracker.shapes import Json
from portal.tracker.tables import client_people, companies, loads, users
from portal.tracker.turns import MICROSECOND, Turn

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
    lines: Iterable[str | Found],
    *,
    progress: Callable[[int], None] | None = None,
    fingerprint: str | None = None,
) -> int:
    """Load records, each replacing the one of its id. Returns how many were loaded, those of an earlier try included.

    lines: JSON Lines, or what records.in_document yields. progress is told the count after each batch. fingerprint:
    names the source, so that a load which was cut off goes on after its last batch; None starts from the beginning.
    Raises SettingsError naming the line or place of a record that is wrong; the batches before it stay.
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
                put.put(connection, loads, [{"tenant_id": tenant_id, "fingerprint": fingerprint, "records": done}])
        if progress is not None:
            progress(done)
    if fingerprint is not None:
        with database.write() as connection:
            connection.execute(
                sa.delete(loads).where(loads.c.tenant_id == tenant_id, loads.c.fingerprint == fingerprint)
            )
    return done


def _done(connection: sa.Connection, tenant_id: int, fingerprint: str | None) -> int:
    """Records that an earlier try with this file has stored."""
    if fingerprint is None:
        return 0
    where = (loads.c.tenant_id == tenant_id, loads.c.fingerprint == fingerprint)
    return connection.execute(sa.select(loads.c.records).where(*where)).scalar() or 0


def _checked(found: Found) -> Found:
    """The record, known to have its shape and an id; what the interface does not know is kept."""
    shape = SHAPES.get(found.kind)
    if shape is None:
        raise SettingsError(f"{found.where}: unknown kind; expected one of {', '.join(SHAPES)}")
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
        raise SettingsError(f"{found.where}: {found.kind} /{where}: {_said(first['msg'])}") from None
    name = "userId" if found.kind == "user" else "id"
    if not isinstance(found.record.get(name), str) or known_id(found.record[name]) is None:
        raise SettingsError(f"{found.where}: {found.kind} /{name}: expected a string of 1 to 200 printable characters")
    return found


def _said(message: str) -> str:
    return message.removeprefix("Value error, ")


def _store(
    connection: sa.Connection, clock: Clock, tenant_id: int, batch: list[Found], met: set[tuple[str, str]]
) -> None:
    turn = turns.take(connection, clock, tenant_id=tenant_id, count=len(batch))
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
    connection: sa.Connection, turn: Turn, kinds: dict[str, list[tuple[Json, datetime]]], met: set[tuple[str, str]]
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
    """Companies and people inside of records count as known, unless more is known of them."""
    found: dict[sa.Table, list[Json]] = {companies: [], users: [], client_people: []}
    for kind, met_in in people.MET_IN.items():
        for record, _ in kinds[kind]:
            for table, records in met_in(record).items():
                found[table] += records
    for table, records in found.items():
        people.meet(connection, table, tenant_id, _new(records, people.key_of(table), table.name, met))


def _new(records: list[Json], key: str, kind: str, met: set[tuple[str, str]]) -> list[Json]:
    """Those that this load has not met yet, so that a client of 100,000 vacancies is written once."""
    fresh = []
    for record in records:
        name = (kind, record.get(key) or "")
        if name not in met:
            met.add(name)
            fresh.append(record)
    return fresh
