"""Idempotency-Key: the same request gets its first response again, another one with that key gets 409, for seven days.

A key belongs to one applicant: another applicant with the same key neither blocks the first nor learns anything.
The response is stored under the key as it was sent, where a server of the previous release also looks for it; if
another applicant's row has that place, under a hash of key and applicant. A row of the previous release, which does not
name its applicant, counts only for the request that it was made for.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import sqlalchemy as sa

from portal.platform.database.prepared import PreparedStatement, Step
from portal.tracker import upsert
from portal.tracker.problems import ServiceProblem
from portal.tracker.revisions import Revision
from portal.tracker.shapes import Json
from portal.tracker.tables import answered

KEPT = timedelta(days=7)
_EARLIER = PreparedStatement(
    sa.select(
        answered.c.key,
        answered.c.applicant,
        answered.c.fingerprint,
        answered.c.status,
        answered.c.body,
        answered.c.at,
    ).where(
        answered.c.tenant_id == sa.bindparam("tenant"),
        sa.or_(answered.c.key == sa.bindparam("key"), answered.c.key == sa.bindparam("own_key")),
    )
)
_FORGET = PreparedStatement(sa.delete(answered).where(answered.c.at < sa.bindparam("until")))


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """A status and a JSON body."""

    status: int
    body: str


@dataclass(slots=True)
class IdempotencyKey:
    """A request's idempotency key, its applicant and a fingerprint of path and body.

    stored_as: the key under which the response is stored.
    """

    key: str
    applicant: str
    fingerprint: str
    stored_as: str

    @property
    def own_key(self) -> str:
        """The key for this applicant alone; it contains a space, so it cannot equal a key that a client sends."""
        return "applicant " + _hash([self.applicant, self.key])


def key_of_request(key: str | None, path: str, body: Json, *, applicant: tuple[str, str]) -> IdempotencyKey | None:
    """Return the idempotency key of a request, None without one; ServiceProblem 400 if it is malformed.

    applicant: the kind of identifier, and the identifier.
    """
    if key is None:
        return None
    if not re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        raise ServiceProblem(HTTPStatus.BAD_REQUEST, "Idempotency-Key: expected 1 to 255 printable ASCII characters.")
    return IdempotencyKey(key, applicant=_hash(list(applicant)), fingerprint=_hash([path, body]), stored_as=key)


def earlier(connection: sa.Connection, turn: Revision, asked: IdempotencyKey | None) -> RecordedResponse | None:
    """Return the response that this request had before, if any.

    ServiceProblem 409 if its applicant used the key for another request. The tenant is locked (revisions.py), so two
    requests with the same key run one after the other.
    """
    if asked is None:
        return None
    found = _EARLIER.all(connection, {"tenant": turn.tenant_id, "key": asked.key, "own_key": asked.own_key})
    rows = [row for row in found if row.at >= turn.at - KEPT]
    for row in rows:
        if row.fingerprint == asked.fingerprint:
            return RecordedResponse(row.status, row.body)
    if any(row.applicant == asked.applicant for row in rows):
        raise ServiceProblem(HTTPStatus.CONFLICT, "This Idempotency-Key was used for another request.")
    if any(row.key == asked.key for row in rows):
        asked.stored_as = asked.own_key
    return None


def remembered(turn: Revision, asked: IdempotencyKey | None, answer: RecordedResponse) -> list[Step]:
    """Return the steps that store the response for seven days and delete older ones."""
    if asked is None:
        return []
    row = {"tenant_id": turn.tenant_id, "key": asked.stored_as, "applicant": asked.applicant}
    row |= {"fingerprint": asked.fingerprint, "status": int(answer.status), "body": answer.body, "at": turn.at}
    return [(_FORGET, {"until": turn.at - KEPT}), upsert.step(answered, row)]


def _hash(parts: list[Any]) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
