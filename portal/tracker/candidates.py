"""Candidates (§2.5): creating, loading and finding them by email address, and adding to their records."""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

import sqlalchemy as sa

from portal.contract.bounds import ATTACHMENT_ID_MAX, pointer
from portal.contract.candidates import Candidate
from portal.contract.shapes import Location
from portal.platform.database.prepared import Step, together
from portal.tracker import people, upsert
from portal.tracker.problems import ServiceProblem, ServiceProblemDetail
from portal.tracker.revisions import Revision, stamp
from portal.tracker.shapes import Json, completed, rendered, written
from portal.tracker.tables import addresses, candidates, companies, former_cvs, users

CV_ATTRIBUTE = "cv"
_NO_BACKGROUND = '{"education":[],"workExperiences":[]}'
BROUGHT_MOST = 100
"""Entries up to which submissions add phone numbers, links, locations and CVs: anybody can send any number of
submissions."""
_BROUGHT_LONGEST = 2_000
"""Characters of JSON in a phone number or location that a submission adds: §4.8 bounds neither, and a record must stay
readable.
"""
_WRAPPED = (
    *("gender", "nationality", "status", "emails", "phoneNumbers", "locations", "dateOfBirth"),
    *("socialMedia", "languages", "compensation"),
)
"""Members of a body (§4.5) that a record holds in a view wrapper of the same name (§2.5)."""


@dataclass(slots=True)
class StoredCandidate:
    """A stored candidate; callers change `record` in place and then store it."""

    id: str
    record: Json


def create(connection: sa.Connection, turn: Revision, body: Json) -> str:
    """Create a candidate (§4.5) and return its unguessable id. ServiceProblem 422 if a user or a company is unknown."""
    contact = body.get("mainContact")
    user = None
    if contact is not None:
        user = people.found(connection, users, turn.tenant_id, [contact["userId"]]).get(contact["userId"])
        if user is None:
            raise _unknown(pointer("mainContact", "userId"), "no user of this tenant has this id")
    _check_companies(connection, turn.tenant_id, body)
    record: Json = {
        "name": {name: body.get(name) for name in ("avatarUrl", "firstName", "lastName")},
        "mainContact": {"user": user},
        "acquisitionSource": {"acquisitionSource": body.get("acquisitionSource") or "manual"},
        "customAttributes": body.get("customAttributes", []),
    }
    record |= {name: {name: body[name]} for name in _WRAPPED if name in body}
    background = {name: body.get(name, []) for name in ("education", "workExperiences")}
    candidate_id, steps = added(turn, record, background=background)
    together(connection, steps)
    return candidate_id


def added(turn: Revision, record: Json, *, background: Json | None = None) -> tuple[str, list[Step]]:
    """Return the id of a new candidate and the steps that store it. The id opens §4.10, so it is 192 random bits."""
    candidate_id = secrets.token_hex(24)
    now = stamp(turn.at)
    facts = {
        "id": candidate_id,
        "createdAt": now,
        "modifiedAt": now,
        "lastActivityDate": now,
        "isDiffingNetwork": False,
    }
    text = written(background) if background else _NO_BACKGROUND
    row = _row(turn.tenant_id, facts | record, turn.at, edited=turn.at, background=text)
    at = {"tenant_id": turn.tenant_id, "candidate_id": candidate_id, "since": turn.at}
    steps = [upsert.step(addresses, at | {"email": email}) for email in _addresses(record)]
    return candidate_id, [upsert.step(candidates, row), *steps]


def load(connection: sa.Connection, turn: Revision, records: Sequence[tuple[Json, datetime]]) -> None:
    """Store records unchanged, each with its modification time, replacing those with the same id."""
    rows, known_as = {}, []
    for record, at in records:
        rows[record["id"]] = _row(turn.tenant_id, record, at, edited=None, background=_NO_BACKGROUND)
        known_as += [(record["id"], email, at) for email in _addresses(record)]
    upsert.put(connection, candidates, list(rows.values()))
    connection.execute(
        sa.delete(addresses).where(addresses.c.tenant_id == turn.tenant_id, addresses.c.candidate_id.in_(rows))
    )
    _add_addresses(connection, turn.tenant_id, known_as)


def get(connection: sa.Connection, tenant_id: int, candidate_id: str) -> StoredCandidate | None:
    """Return the candidate with this id, or None."""
    c = candidates.c
    query = sa.select(c.id, c.record).where(c.tenant_id == tenant_id, c.id == candidate_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else StoredCandidate(row.id, json.loads(row.record))


def keep(connection: sa.Connection, turn: Revision, known: StoredCandidate) -> None:
    """Store a changed record and set its modification time."""
    known.record["modifiedAt"] = stamp(turn.at)
    _move_former_cvs(connection, turn, known)
    news = {"modified": turn.at, "edited": turn.at, "record": rendered(Candidate, known.record)}
    itself = (candidates.c.tenant_id == turn.tenant_id, candidates.c.id == known.id)
    connection.execute(sa.update(candidates).where(*itself).values(news))


def index(connection: sa.Connection, turn: Revision, known: StoredCandidate) -> None:
    """Update the email index, so that exactly the addresses now in the record find the candidate."""
    at = sa.and_(addresses.c.tenant_id == turn.tenant_id, addresses.c.candidate_id == known.id)
    emails = _addresses(known.record)
    connection.execute(sa.delete(addresses).where(at, addresses.c.email.not_in(emails)))
    _add_addresses(connection, turn.tenant_id, [(known.id, email, turn.at) for email in emails])


def folded(email: str) -> str:
    """Return the form in which email addresses are compared."""
    return email.strip().lower()[:320]


def entries(record: Json, wrapper: str, name: str) -> list[Any]:
    """Return the list inside a view wrapper, to be changed in place; creates it if it is missing."""
    if not isinstance(record.get(wrapper), dict):
        record[wrapper] = {}
    inside = record[wrapper]
    if not isinstance(inside.get(name), list):
        inside[name] = []
    found: list[Any] = inside[name]
    return found


def add_phone(record: Json, number: str) -> bool:
    """Add a phone number to those in the record; returns whether it was new."""
    numbers = entries(record, "phoneNumbers", "phoneNumbers")
    if (
        len(number) > _BROUGHT_LONGEST
        or len(numbers) >= BROUGHT_MOST
        or any(_digits(entry.get("phoneNumber")) == _digits(number) for entry in numbers)
    ):
        return False
    numbers.append({"purpose": "personal", "phoneNumber": number, "isPrimary": not numbers})
    return True


def add_network_url(record: Json, url: str | None) -> bool:
    """Add a link to those in the record; returns whether it was new."""
    links = entries(record, "socialMedia", "socialMedia")
    if url is None or len(links) >= BROUGHT_MOST or any(entry.get("url") == url for entry in links):
        return False
    links.append({"url": url, "type": "PROFESSIONAL_NETWORK", "isPrimary": not links})
    return True


def add_location(record: Json, location: Json) -> bool:
    """Add a location to those in the record; returns whether it was new and had any content."""
    filled_fields = {name: value for name, value in location.items() if value is not None and name != "type"}
    places = entries(record, "locations", "locations")
    if (
        not filled_fields
        or len(written(filled_fields)) > _BROUGHT_LONGEST
        or len(places) >= BROUGHT_MOST
        or any({name: place.get(name) for name in filled_fields} == filled_fields for place in places)
    ):
        return False
    places.append(completed(Location, {**location, "type": location.get("type") or "primary_home"}))
    return True


def add_cv(record: Json, attachment_id: str) -> bool:
    """Add a CV's attachment id; returns whether the record changed.

    The interface has no member for a CV, so the record has a custom attribute with attachment ids, latest last; keep()
    stores the latest BROUGHT_MOST of them.
    """
    if not isinstance(record.get("customAttributes"), list):
        record["customAttributes"] = []
    attributes = record["customAttributes"]
    held = next((entry for entry in attributes if entry.get("attributeDefinitionId") == CV_ATTRIBUTE), None)
    if held is None:
        held = {
            "value": [],
            "attributeDefinitionId": CV_ATTRIBUTE,
            "label": "CV",
            "description": "Attachment ids of the CVs that were sent, latest last",
            "filledByAI": False,
            "options": [],
        }
        attributes.append(held)
    value = held.get("value")
    before: list[Any] = value if isinstance(value, list) else []
    if before and before[-1] == attachment_id:
        return False
    held["value"] = [*(known for known in before if known != attachment_id), attachment_id]
    return True


def _move_former_cvs(connection: sa.Connection, turn: Revision, known: StoredCandidate) -> None:
    """Leave the latest CVs in the record, and the others where an erasure finds them."""
    for entry in people.only(known.record.get("customAttributes")):
        value = entry.get("value")
        if entry.get("attributeDefinitionId") == CV_ATTRIBUTE and isinstance(value, list):
            former = {key for key in value[:-BROUGHT_MOST] if isinstance(key, str) and key.isprintable()}
            entry["value"] = value[-BROUGHT_MOST:]
            at = {"tenant_id": turn.tenant_id, "candidate_id": known.id}
            upsert.put_if_new(
                connection, former_cvs, [at | {"key": key} for key in former if len(key) <= ATTACHMENT_ID_MAX]
            )


def drop_cvs(record: Json, attachment_ids: Collection[str]) -> None:
    """Remove CVs' attachment ids that add_cv() has added."""
    for entry in people.only(record.get("customAttributes")):
        if entry.get("attributeDefinitionId") == CV_ATTRIBUTE and isinstance(entry.get("value"), list):
            entry["value"] = [known for known in entry["value"] if known not in attachment_ids]


def _digits(number: object) -> str:
    return "".join(c for c in number if c.isdigit() or c == "+") if isinstance(number, str) else ""


def _addresses(record: Json) -> list[str]:
    found = [entry.get("email") for entry in entries(record, "emails", "emails") if isinstance(entry, dict)]
    return list(dict.fromkeys(folded(email) for email in found if isinstance(email, str) and email.strip()))


def _add_addresses(connection: sa.Connection, tenant_id: int, found: Sequence[tuple[str, str, datetime]]) -> None:
    upsert.put_if_new(
        connection,
        addresses,
        [{"tenant_id": tenant_id, "candidate_id": c, "email": email, "since": at} for c, email, at in found],
    )


def _row(tenant_id: int, record: Json, at: datetime, *, edited: datetime | None, background: str) -> dict[str, object]:
    return {
        "tenant_id": tenant_id,
        "id": record["id"],
        "modified": at,
        "edited": edited,
        "background": background,
        "record": rendered(Candidate, record),
    }


def _check_companies(connection: sa.Connection, tenant_id: int, body: Json) -> None:
    wanted = [
        (pointer(member, place, "companyId"), entry["companyId"])
        for member in ("education", "workExperiences")
        for place, entry in enumerate(body.get(member, []))
        if entry.get("companyId") is not None
    ]
    known = people.found(connection, companies, tenant_id, [company_id for _, company_id in wanted])
    for where, company_id in wanted:
        if company_id not in known:
            raise _unknown(where, "no company of this tenant has this id")


def _unknown(where: str, detail: str) -> ServiceProblem:
    wrong = [ServiceProblemDetail(detail, where)]
    return ServiceProblem(HTTPStatus.UNPROCESSABLE_ENTITY, "The body names something that does not exist.", wrong=wrong)
