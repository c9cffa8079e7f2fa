"""Candidates (§2.5): created, loaded, found by address, and what is added to their records."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

import sqlalchemy as sa

from portal.contract.candidates import Candidate
from portal.contract.shapes import Location
from portal.straight import Step, Straight, together
from portal.tracker import people, put
from portal.tracker.problems import Problem, Wrong, pointer
from portal.tracker.shapes import Json, completed, rendered, written
from portal.tracker.tables import addresses, candidates, companies, users
from portal.tracker.turns import Turn, stamp

CV_ATTRIBUTE = "cv"
BROUGHT_MOST = 100
"""Phone numbers, links and locations to which submissions add, and CVs: strangers can send any number of them."""
_BY_ID = Straight(
    sa.select(candidates.c.id, candidates.c.record, candidates.c.background).where(
        candidates.c.tenant_id == sa.bindparam("tenant"), candidates.c.id == sa.bindparam("candidate")
    )
)
_KEEP = Straight(
    sa.update(candidates)
    .where(candidates.c.tenant_id == sa.bindparam("tenant"), candidates.c.id == sa.bindparam("candidate"))
    .values(modified=sa.bindparam("at"), edited=sa.bindparam("at"), record=sa.bindparam("text"))
)
_WRAPPED = (
    *("gender", "nationality", "status", "emails", "phoneNumbers", "locations", "dateOfBirth"),
    *("socialMedia", "languages", "compensation"),
)
"""Members of a body (§4.5) that are the one property of a wrapper of their own name (§2.5)."""


@dataclass(slots=True)
class Known:
    """A stored candidate; `record` is changed in place and then kept."""

    id: str
    record: Json


def create(connection: sa.Connection, turn: Turn, body: Json) -> str:
    """§4.5; Problem 422 when a user or a company is unknown. Returns the id, which nobody can guess."""
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


def added(turn: Turn, record: Json, *, background: Json | None = None) -> tuple[str, list[Step]]:
    """A new candidate, and the steps that store it; its id is its key to §4.10, so it is 192 random bits."""
    candidate_id = secrets.token_hex(24)
    now = stamp(turn.at)
    facts = {
        "id": candidate_id,
        "createdAt": now,
        "modifiedAt": now,
        "lastActivityDate": now,
        "isDiffingNetwork": False,
    }
    background = background or {"education": [], "workExperiences": []}
    row = _row(turn.tenant_id, facts | record, turn.at, edited=turn.at, background=written(background))
    at = {"tenant_id": turn.tenant_id, "candidate_id": candidate_id, "since": turn.at}
    steps = [put.new_step(addresses, at | {"email": email}) for email in _addresses(record)]
    return candidate_id, [put.step(candidates, row), *steps]


def load(connection: sa.Connection, turn: Turn, records: Sequence[tuple[Json, datetime]]) -> None:
    """Records with their turns, as they are, in place of those of the same id."""
    _store(connection, turn.tenant_id, records, edited=None, background='{"education":[],"workExperiences":[]}')


def get(connection: sa.Connection, tenant_id: int, candidate_id: str) -> Known | None:
    """One candidate."""
    row = _BY_ID.first(connection, {"tenant": tenant_id, "candidate": candidate_id})
    return None if row is None else Known(row.id, json.loads(row.record))


def kept(turn: Turn, known: Known) -> Step:
    """The step that stores a changed record; it is modified now."""
    known.record["modifiedAt"] = stamp(turn.at)
    text = rendered(Candidate, known.record)
    return _KEEP, {"tenant": turn.tenant_id, "candidate": known.id, "at": turn.at, "text": text}


def index(connection: sa.Connection, turn: Turn, known: Known) -> None:
    """Make the candidate found by the addresses that the record has now, and by no other."""
    at = sa.and_(addresses.c.tenant_id == turn.tenant_id, addresses.c.candidate_id == known.id)
    emails = _addresses(known.record)
    connection.execute(sa.delete(addresses).where(at, addresses.c.email.not_in(emails)))
    _add_addresses(connection, turn.tenant_id, [(known.id, email, turn.at) for email in emails])


def folded(email: str) -> str:
    """The form in which addresses are compared."""
    return email.strip().lower()[:320]


def entries(record: Json, wrapper: str, name: str) -> list[Any]:
    """The list inside a wrapper of this record, made where it is missing, to be changed in place."""
    if not isinstance(record.get(wrapper), dict):
        record[wrapper] = {}
    inside = record[wrapper]
    if not isinstance(inside.get(name), list):
        inside[name] = []
    found: list[Any] = inside[name]
    return found


def add_phone(record: Json, number: str) -> bool:
    """Beside those that are there; whether it was new."""
    numbers = entries(record, "phoneNumbers", "phoneNumbers")
    if len(numbers) >= BROUGHT_MOST or any(_digits(entry.get("phoneNumber")) == _digits(number) for entry in numbers):
        return False
    numbers.append({"purpose": "personal", "phoneNumber": number, "isPrimary": not numbers})
    return True


def add_network_url(record: Json, url: str | None) -> bool:
    """Beside those that are there; whether it was new."""
    links = entries(record, "socialMedia", "socialMedia")
    if url is None or len(links) >= BROUGHT_MOST or any(entry.get("url") == url for entry in links):
        return False
    links.append({"url": url, "type": "PROFESSIONAL_NETWORK", "isPrimary": not links})
    return True


def add_location(record: Json, location: Json) -> bool:
    """Beside those that are there; whether it was new and said anything."""
    said = {name: value for name, value in location.items() if value is not None and name != "type"}
    places = entries(record, "locations", "locations")
    if (
        not said
        or len(places) >= BROUGHT_MOST
        or any({name: place.get(name) for name in said} == said for place in places)
    ):
        return False
    places.append(completed(Location, {**location, "type": location.get("type") or "primary_home"}))
    return True


def add_cv(record: Json, attachment_id: str) -> bool:
    """The interface has no member for a CV, so the record has a custom attribute: attachment ids, latest last."""
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
    kept_ids = [known for known in before if known != attachment_id][1 - BROUGHT_MOST :]
    held["value"] = [*kept_ids, attachment_id]
    return True


def _digits(number: object) -> str:
    return "".join(c for c in number if c.isdigit() or c == "+") if isinstance(number, str) else ""


def _addresses(record: Json) -> list[str]:
    found = [entry.get("email") for entry in entries(record, "emails", "emails") if isinstance(entry, dict)]
    return list(dict.fromkeys(folded(email) for email in found if isinstance(email, str) and email.strip()))


def _add_addresses(connection: sa.Connection, tenant_id: int, found: Sequence[tuple[str, str, datetime]]) -> None:
    put.put_if_new(
        connection,
        addresses,
        [{"tenant_id": tenant_id, "candidate_id": c, "email": email, "since": at} for c, email, at in found],
    )


def _store(
    connection: sa.Connection,
    tenant_id: int,
    found: Sequence[tuple[Json, datetime]],
    *,
    edited: datetime | None,
    background: str,
) -> None:
    rows, known_as = {}, []
    for record, at in found:
        rows[record["id"]] = _row(tenant_id, record, at, edited=edited, background=background)
        known_as += [(record["id"], email, at) for email in _addresses(record)]
    put.put(connection, candidates, list(rows.values()))
    if edited is None:
        connection.execute(
            sa.delete(addresses).where(addresses.c.tenant_id == tenant_id, addresses.c.candidate_id.in_(rows))
        )
    _add_addresses(connection, tenant_id, known_as)


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


def _unknown(where: str, detail: str) -> Problem:
    wrong = [Wrong(detail, where)]
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "The body names something that does not exist.", wrong=wrong)
