"""API keys (§5) and how often each may call.

A key is `trk_{key id}_{secret}`, the secret 256 random bits, of which the database has a SHA-256 alone: a secret of
that size needs no slow hash. The tables of keys and tenants are read on every call, so a revoked key is refused at
once.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any

import sqlalchemy as sa

from portal.logs import Seen, seen
from portal.straight import At, Straight
from portal.throttling import Limit, Throttle
from portal.tracker.problems import Problem
from portal.tracker.tables import keys, tenants

_KEY = re.compile(r"trk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
# Built once: putting a statement together costs several times what the database takes for it.
BY_ID = (
    sa.select(keys.c.hash, keys.c.tenant_id, keys.c.id.label("key_id"), tenants.c.cursor_secret)
    .select_from(keys)
    .join(tenants, tenants.c.id == keys.c.tenant_id)
    .where(keys.c.id == sa.bindparam("key_id"), keys.c.revoked_at.is_(None))
)
"""An active key and its tenant; a caller that reads one record joins it, to ask once."""
_BY_ID = Straight(BY_ID)
_NOBODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever holds a key: one tenant, and nothing beside it."""

    tenant_id: int
    key_id: str
    cursor_secret: str


def create(connection: sa.Connection, tenant_id: int, now: datetime) -> str:
    """A key that nobody can guess. It is shown this once; what is stored is its hash."""
    key_id = secrets.token_hex(6)
    key = f"trk_{key_id}_{secrets.token_urlsafe(32)}"
    facts = {"id": key_id, "tenant_id": tenant_id, "hash": _hash(key), "created_at": now}
    connection.execute(sa.insert(keys).values(facts))
    return key


def caller(connection: At, presented: str | None) -> Caller:
    """Who presents this key; Problem 401 if nobody does."""
    key_id = id_of(presented)
    row = None if key_id is None else _BY_ID.first(connection, {"key_id": key_id})
    return verified(row, presented)


def id_of(presented: str | None) -> str | None:
    """The id inside of what looks like a key."""
    found = _KEY.fullmatch(presented or "")
    return None if found is None else found[1]


def verified(row: Any, presented: str | None) -> Caller:  # noqa: ANN401  a row of BY_ID or of what was made of it
    """The caller, if the secret is the key's; else Problem 401."""
    matches = hmac.compare_digest(_hash(presented or ""), _NOBODY if row is None else row.hash)
    if row is None or not matches:
        said = "This API key is not valid." if presented else "This operation needs an API key in the header x-api-key."
        challenge = 'ApiKey realm="tracker", header="x-api-key"'
        raise Problem(HTTPStatus.UNAUTHORIZED, said, headers={"WWW-Authenticate": challenge})
    return Caller(row.tenant_id, row.key_id, row.cursor_secret)


class Allowance:
    """Requests a minute that one of a kind may make: a `key`, or a `network` without one."""

    def __init__(self, kind: str, a_minute: int, throttle: Throttle) -> None:
        self._kind = kind
        self._limit = Limit(f"tracker-{kind}", a_minute, 60)
        self._throttle = throttle

    def spend(self, who: str) -> dict[str, str]:
        """Count one request; the headers that say what is left. Problem 429 when nothing is."""
        spent = self._throttle.spend(self._limit, who)
        headers = {
            "RateLimit-Policy": f'"{self._kind}";q={self._limit.most};w={self._limit.seconds}',
            "RateLimit": f'"{self._kind}";r={spent.left};t={spent.seconds}',
        }
        if not spent.allowed:
            seen(Seen.LIMITED, limit=self._limit.name)
            detail = f"This {self._kind} may make {self._limit.most} requests a minute."
            raise Problem(HTTPStatus.TOO_MANY_REQUESTS, detail, headers=headers | {"Retry-After": str(spent.seconds)})
        return headers


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
