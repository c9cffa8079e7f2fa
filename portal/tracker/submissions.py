"""The public operations: an application to a posting (§4.8), and an update of one's own record (§4.10).

Each is one durable transaction that starts by locking the tenant, so nothing races within a tenant. Nobody proved the
address of a submission: it never replaces anything, and the answer does not tell whether the address was known.
"""

import json
import secrets
from dataclasses import dataclass
from http import HTTPStatus

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.tracker import applications, candidates, once, put, turns
from portal.tracker.candidates import Known
from portal.tracker.once import Answer, Once
from portal.tracker.problems import Problem, not_found
from portal.tracker.reading import known_id
from portal.tracker.shapes import Json, written
from portal.tracker.tables import decoys, tallies, tenants, vacancies
from portal.tracker.turns import Turn, stamp

RECEIVED = Answer(HTTPStatus.CREATED, '{"received":true}')
UPDATED = Answer(HTTPStatus.OK, '{"updated":true}')


_POSTING = (
    sa.select(vacancies.c.status, tallies.c.counts, tenants.c.first_stage)
    .join(tenants, tenants.c.id == vacancies.c.tenant_id)
    .outerjoin(tallies, sa.and_(tallies.c.tenant_id == vacancies.c.tenant_id, tallies.c.id == vacancies.c.id))
    .where(vacancies.c.tenant_id == sa.bindparam("tenant"), vacancies.c.id == sa.bindparam("vacancy"))
)


@dataclass(frozen=True, slots=True)
class _Posting:
    """An open posting: its tally, and the stage in which an application to it lands."""

    id: str
    tally: dict[str, list[int]]
    stage: Json


def submit(database: Database, clock: Clock, slug: str, posting_id: str, body: Json, asked: Once | None) -> Answer:
    """§4.8; Problem 404 for an unknown tenant or posting, 409 for a posting that is not open."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        before = once.earlier(connection, turn, asked)
        if before is not None:
            return before
        posting = _open_posting(connection, turn.tenant_id, posting_id)
        known = candidates.with_address(connection, turn.tenant_id, body["email"])
        if known is None:
            _apply(connection, turn, posting, candidates.add(connection, turn, _newcomer(body)))
        else:
            _of_known(connection, turn, posting, known, body)
        return once.remember(connection, turn, asked, RECEIVED)


def update(database: Database, clock: Clock, slug: str, candidate_id: str, body: Json, asked: Once | None) -> Answer:
    """§4.10; an unknown candidate is Problem 404, after as much work as a known one takes."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        before = once.earlier(connection, turn, asked)
        if before is not None:
            return before
        known = candidates.get(connection, turn.tenant_id, candidate_id) if known_id(candidate_id) else None
        is_there = known is not None
        known = known or Known(secrets.token_hex(24), {"emails": {"emails": []}}, {})
        _change(known, body, turn)
        candidates.keep(connection, turn, known)
        candidates.index(connection, turn, known) if is_there else _pretend(connection, turn, known)
        once.remember(connection, turn, asked if is_there else _never(asked), UPDATED)
    if not is_there:
        raise not_found("candidate")
    return UPDATED


def _turn(connection: sa.Connection, clock: Clock, slug: str) -> Turn:
    turn = turns.take(connection, clock, slug=slug) if known_id(slug) else None
    if turn is None:
        raise not_found("tenant")
    return turn


def _open_posting(connection: sa.Connection, tenant_id: int, posting_id: str) -> _Posting:
    row = None
    if known_id(posting_id):
        row = connection.execute(_POSTING, {"tenant": tenant_id, "vacancy": posting_id}).one_or_none()
    if row is None:
        raise not_found("job posting")
    if row.status != "open":
        raise Problem(HTTPStatus.CONFLICT, "This job posting is not open.")
    return _Posting(posting_id, json.loads(row.counts or "{}"), json.loads(row.first_stage))


def _newcomer(body: Json) -> Json:
    record: Json = {
        "name": {"firstName": body["firstName"], "lastName": body["lastName"]},
        "emails": {"emails": [{"purpose": "personal", "email": body["email"], "isPrimary": True}]},
        "acquisitionSource": {"acquisitionSource": "vacancy_portal"},
    }
    _bring(record, body)
    return record


def _bring(record: Json, body: Json) -> bool:
    """Add what the submission brings anew; whether there was anything."""
    brought = [
        candidates.add_phone(record, body["phoneNumber"]),
        candidates.add_network_url(record, body["networkUrl"]),
        candidates.add_location(record, body["location"]),
        candidates.add_cv(record, body["cvAttachmentId"]),
    ]
    return any(brought)


def _of_known(connection: sa.Connection, turn: Turn, posting: _Posting, known: Known, body: Json) -> None:
    brought = _bring(known.record, body)
    is_new = not applications.open_one(connection, turn.tenant_id, posting.id, known.id)
    if is_new:
        known.record["lastActivityDate"] = stamp(turn.at)
        _apply(connection, turn, posting, known.id)
    if brought or is_new:
        candidates.keep(connection, turn, known)


def _apply(connection: sa.Connection, turn: Turn, posting: _Posting, candidate_id: str) -> None:
    applications.add(connection, turn, vacancy_id=posting.id, candidate_id=candidate_id, stage=posting.stage)
    stage_id = posting.stage.get("id")
    if stage_id is not None:
        before, here = posting.tally.get(stage_id, (0, 0))
        tally = posting.tally | {stage_id: [before, here + 1]}
        put.put(connection, tallies, [{"tenant_id": turn.tenant_id, "id": posting.id, "counts": written(tally)}])


def _change(known: Known, body: Json, turn: Turn) -> None:
    """Lists that are sent replace, lists that are absent stay."""
    record = known.record
    record["name"] = (record.get("name") or {}) | {name: body[name] for name in ("firstName", "lastName")}
    for name in ("emails", "phoneNumbers", "socialMedia"):
        if name in body:
            record[name] = (record.get(name) or {}) | {name: body[name]}
    if "latestCvAttachmentId" in body:
        candidates.add_cv(record, body["latestCvAttachmentId"])
    record["lastActivityDate"] = stamp(turn.at)


def _pretend(connection: sa.Connection, turn: Turn, known: Known) -> None:
    """Write as many rows and bytes as for a known candidate, and nothing of what was sent."""
    emails = [
        {"email": f"{secrets.token_hex(8)}@nobody.invalid"}
        for _ in candidates.entries(known.record, "emails", "emails")
    ]
    candidates.index(connection, turn, Known("decoy", {"emails": {"emails": emails}}, {}))
    filling = "x" * len(written(known.record))
    put.put(connection, decoys, [{"tenant_id": turn.tenant_id, "filling": filling}])


def _never(asked: Once | None) -> Once | None:
    """A stand-in under which an answer is kept that nobody will ask for."""
    return None if asked is None else Once("refused-" + secrets.token_hex(16), asked.fingerprint)
