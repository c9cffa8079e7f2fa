"""The public operations §4.8 and §4.10. They need no API key and ignore one that is sent.

Requests are limited per minute and network (a /24 of IPv4 or a /48 of IPv6).
"""

import json
import secrets
from dataclasses import dataclass, replace
from http import HTTPStatus

import sqlalchemy as sa
from flask import Blueprint, Response, g, request

from portal.contract.operations import SUBMIT_APPLICATION, UPDATE_CANDIDATE
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.database.prepared import PreparedStatement, Step, together
from portal.platform.rate_limits import wide_network_of
from portal.tracker import applications, idempotency, request_reading, revisions, upsert
from portal.tracker.candidates import (
    StoredCandidate,
    add_cv,
    add_location,
    add_network_url,
    add_phone,
    added,
    entries,
    folded,
    get,
    index,
    keep,
)
from portal.tracker.idempotency import IdempotencyKey, RecordedResponse
from portal.tracker.keys import RequestLimit
from portal.tracker.problems import ServiceProblem, not_found
from portal.tracker.request_reading import known_id
from portal.tracker.revisions import Revision, stamp
from portal.tracker.shapes import Json, written
from portal.tracker.tables import addresses, candidates, decoys, tallies, tenants, vacancies

RECEIVED = RecordedResponse(HTTPStatus.CREATED, '{"received":true}')
UPDATED = RecordedResponse(HTTPStatus.OK, '{"updated":true}')


def _within(table: sa.Table, condition: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.tenant_id == vacancies.c.tenant_id, condition)


_POSTING = PreparedStatement(
    sa.select(vacancies.c.status, tallies.c.counts, tenants.c.first_stage, candidates.c.id, candidates.c.record)
    .join(tenants, tenants.c.id == vacancies.c.tenant_id)
    .outerjoin(tallies, _within(tallies, tallies.c.id == vacancies.c.id))
    .outerjoin(addresses, _within(addresses, addresses.c.email == sa.bindparam("email")))
    .outerjoin(candidates, _within(candidates, candidates.c.id == addresses.c.candidate_id))
    .where(vacancies.c.tenant_id == sa.bindparam("tenant"), vacancies.c.id == sa.bindparam("vacancy"))
    .order_by(candidates.c.id.is_(None), addresses.c.since, addresses.c.candidate_id)
    .limit(1)
)
"""Selects a posting together with the candidate who has had this address longest, to save a query."""


@dataclass(frozen=True, slots=True)
class _Posting:
    """An open posting: its tally, the stage in which an application starts, and the applicant if they are known."""

    id: str
    tally: dict[str, list[int]]
    stage: Json
    applicant: StoredCandidate | None


def submit(
    database: Database, clock: Clock, slug: str, posting_id: str, body: Json, asked: IdempotencyKey | None
) -> RecordedResponse:
    """Store an application (§4.8); ServiceProblem 404 for an unknown tenant or posting, 409 for a posting not open."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        before = idempotency.earlier(connection, turn, asked)
        if before is not None:
            return before
        posting = _open_posting(connection, turn.tenant_id, posting_id, body["email"])
        if posting.applicant is None:
            candidate_id, steps = added(turn, _newcomer(body))
            steps += _application(turn, posting, candidate_id, body)
        else:
            steps = _of_known(connection, turn, posting, posting.applicant, body)
        together(connection, [*steps, *idempotency.remembered(turn, asked, RECEIVED)])
    return RECEIVED


def update(
    database: Database, clock: Clock, slug: str, candidate_id: str, body: Json, asked: IdempotencyKey | None
) -> RecordedResponse:
    """Update a candidate (§4.10); ServiceProblem 404 if unknown, after as much work as a known one takes."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        before = idempotency.earlier(connection, turn, asked)
        if before is not None:
            return before
        known = get(connection, turn.tenant_id, candidate_id) if known_id(candidate_id) else None
        is_there = known is not None
        known = known or StoredCandidate(secrets.token_hex(24), {"emails": {"emails": []}})
        _change(known, body, turn)
        keep(connection, turn, known)
        together(connection, idempotency.remembered(turn, asked if is_there else _never(asked), UPDATED))
        index(connection, turn, known) if is_there else _write_decoy(connection, turn, known)
    if not is_there:
        raise not_found("candidate")
    return UPDATED


def _turn(connection: sa.Connection, clock: Clock, slug: str) -> Revision:
    turn = revisions.take(connection, clock, slug=slug) if known_id(slug) else None
    if turn is None:
        raise not_found("tenant")
    return turn


def _open_posting(connection: sa.Connection, tenant_id: int, posting_id: str, email: str) -> _Posting:
    row = None
    if known_id(posting_id):
        row = _POSTING.first(connection, {"tenant": tenant_id, "vacancy": posting_id, "email": folded(email)})
    if row is None:
        raise not_found("job posting")
    if row.status != "open":
        raise ServiceProblem(HTTPStatus.CONFLICT, "This job posting is not open.")
    applicant = None if row.id is None else StoredCandidate(row.id, json.loads(row.record))
    return _Posting(posting_id, json.loads(row.counts or "{}"), json.loads(row.first_stage), applicant)


def _newcomer(body: Json) -> Json:
    record: Json = {
        "name": {"firstName": body["firstName"], "lastName": body["lastName"]},
        "emails": {"emails": [{"purpose": "personal", "email": body["email"], "isPrimary": True}]},
        "acquisitionSource": {"acquisitionSource": "vacancy_portal"},
    }
    _merge(record, body)
    return record


def _merge(record: Json, body: Json) -> bool:
    """Add the submission's phone number, link, location and CV to the record; returns whether anything was new."""
    brought = [
        add_phone(record, body["phoneNumber"]),
        add_network_url(record, body["networkUrl"]),
        add_location(record, body["location"]),
        add_cv(record, body["cvAttachmentId"]),
    ]
    return any(brought)


def _of_known(
    connection: sa.Connection, turn: Revision, posting: _Posting, known: StoredCandidate, body: Json
) -> list[Step]:
    brought = _merge(known.record, body)
    cv = body["cvAttachmentId"]
    is_new = not applications.renewed(connection, turn.tenant_id, posting.id, known.id, cv=cv)
    if is_new:
        known.record["lastActivityDate"] = stamp(turn.at)
    if brought or is_new:
        keep(connection, turn, known)
    return _application(turn, posting, known.id, body) if is_new else []


def _application(turn: Revision, posting: _Posting, candidate_id: str, body: Json) -> list[Step]:
    stage_id, cv = posting.stage.get("id"), body["cvAttachmentId"]
    steps = [applications.added(turn, vacancy_id=posting.id, candidate_id=candidate_id, stage=posting.stage, cv=cv)]
    if stage_id is not None:
        before, here = posting.tally.get(stage_id, (0, 0))
        tally = posting.tally | {stage_id: [before, here + 1]}
        row = {"tenant_id": turn.tenant_id, "id": posting.id, "counts": written(tally)}
        steps.append(upsert.step(tallies, row))
    return steps


def _change(known: StoredCandidate, body: Json, turn: Revision) -> None:
    """Apply the update: lists that are sent replace those in the record, lists that are absent stay."""
    record = known.record
    record["name"] = (record.get("name") or {}) | {name: body[name] for name in ("firstName", "lastName")}
    for name in ("emails", "phoneNumbers", "socialMedia"):
        if name in body:
            record[name] = (record.get(name) or {}) | {name: body[name]}
    if "latestCvAttachmentId" in body:
        add_cv(record, body["latestCvAttachmentId"])
    record["lastActivityDate"] = stamp(turn.at)


def _write_decoy(connection: sa.Connection, turn: Revision, known: StoredCandidate) -> None:
    """Write as many rows and bytes as for a known candidate, but none of the data that was sent."""
    emails = [{"email": f"{secrets.token_hex(8)}@nobody.invalid"} for _ in entries(known.record, "emails", "emails")]
    index(connection, turn, StoredCandidate("decoy", {"emails": {"emails": emails}}))
    filling = "x" * len(written(known.record))
    upsert.put(connection, decoys, [{"tenant_id": turn.tenant_id, "filling": filling}])


def _never(asked: IdempotencyKey | None) -> IdempotencyKey | None:
    """Return the key under which the response to an unknown candidate is stored.

    It is the same for all and no client can send it, because it contains a space.
    """
    return None if asked is None else replace(asked, stored_as="not found")


NAME = "public"


def blueprint(database: Database, clock: Clock, rate_limit: RequestLimit) -> Blueprint:
    """Return the blueprint of both operations. rate_limit: rate limit of a network, counted before the body is read."""
    pages = Blueprint(NAME, __name__)

    @pages.before_request
    def count() -> None:
        g.rate_limit = rate_limit.count_request(wide_network_of(request.remote_addr))

    @pages.post("/<slug>/vacancy-portal/jobs/<posting_id>")
    def submit_application(slug: str, posting_id: str) -> Response:
        body = request_reading.body(request, SUBMIT_APPLICATION)
        asked = _asked(body, applicant=("email", folded(body["email"])))
        return _json(submit(database, clock, slug, posting_id, body, asked))

    @pages.post("/<slug>/candidate-portal/<candidate_id>")
    def update_candidate(slug: str, candidate_id: str) -> Response:
        body = request_reading.body(request, UPDATE_CANDIDATE)
        asked = _asked(body, applicant=("candidate", candidate_id))
        return _json(update(database, clock, slug, candidate_id, body, asked))

    return pages


def _asked(body: Json, *, applicant: tuple[str, str]) -> IdempotencyKey | None:
    return idempotency.key_of_request(request.headers.get("Idempotency-Key"), request.path, body, applicant=applicant)


def _json(answer: RecordedResponse) -> Response:
    return Response(answer.body, answer.status, content_type="application/json")
