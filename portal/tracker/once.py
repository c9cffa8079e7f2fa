"""Idempotency-Key: the first answer again for the same request, 409 for another one, forgotten after seven days."""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

import sqlalchemy as sa

from portal.straight import Step, Straight
from portal.tracker import put
from portal.tracker.problems import Problem
from portal.tracker.shapes import Json
from portal.tracker.tables import answered
from portal.tracker.turns import Turn

KEPT = timedelta(days=7)
_EARLIER = Straight(
    sa.select(answered.c.fingerprint, answered.c.status, answered.c.body, answered.c.at).where(
        answered.c.tenant_id == sa.bindparam("tenant"), answered.c.key == sa.bindparam("key")
    )
)
_FORGET = Straight(sa.delete(answered).where(answered.c.at < sa.bindparam("until")))


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a JSON text."""

    status: int
    body: str


@dataclass(frozen=True, slots=True)
class Once:
    """A request's key and what it asks for."""

    key: str
    fingerprint: str


def once(key: str | None, path: str, body: Json) -> Once | None:
    """None without a key; Problem 400 for one that is no key."""
    if key is None:
        return None
    if not re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        raise Problem(HTTPStatus.BAD_REQUEST, "Idempotency-Key: expected 1 to 255 printable ASCII characters.")
    text = json.dumps([path, body], sort_keys=True, ensure_ascii=False)
    return Once(key, hashlib.sha256(text.encode()).hexdigest())


def earlier(connection: sa.Connection, turn: Turn, asked: Once | None) -> Answer | None:
    """The answer that this request had before; Problem 409 when the key was used for another one.

    The tenant is locked (turns.py), so two requests with one key come one after the other.
    """
    if asked is None:
        return None
    row = _EARLIER.first(connection, {"tenant": turn.tenant_id, "key": asked.key})
    if row is None or row.at < turn.at - KEPT:
        return None
    if row.fingerprint != asked.fingerprint:
        raise Problem(HTTPStatus.CONFLICT, "This Idempotency-Key was used for another request.")
    return Answer(row.status, row.body)


def remembered(turn: Turn, asked: Once | None, answer: Answer) -> list[Step]:
    """The steps that keep the answer for the next seven days, and forget those that are older."""
    if asked is None:
        return []
    facts = {"fingerprint": asked.fingerprint, "status": int(answer.status), "body": answer.body, "at": turn.at}
    return [
        (_FORGET, {"until": turn.at - KEPT}),
        put.step(answered, {"tenant_id": turn.tenant_id, "key": asked.key} | facts),
    ]
