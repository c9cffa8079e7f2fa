"""API keys (§5) and rate limits.

A key is `trk_{key id}_{secret}` with a secret of 256 random bits. The database stores only its SHA-256: a secret of
that size needs no slow hash. Keys and tenants are read from the database on every call, so revoking a key takes effect
immediately.
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

from portal.platform.database.prepared import AnyConnection, PreparedStatement
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.rate_limits import Limit, Throttle
from portal.tracker.problems import ServiceProblem
from portal.tracker.tables import keys, tenants

_KEY = re.compile(r"trk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
# Built once: building a statement costs several times what the database takes to run it.
BY_ID = (
    sa.select(keys.c.hash, keys.c.tenant_id, keys.c.id.label("key_id"), tenants.c.cursor_secret)
    .select_from(keys)
    .join(tenants, tenants.c.id == keys.c.tenant_id)
    .where(keys.c.id == sa.bindparam("key_id"), keys.c.revoked_at.is_(None))
)
"""Selects an active key and its tenant; a query for one record joins this, to save a second query."""
_BY_ID = PreparedStatement(BY_ID)
_DUMMY_HASH = hashlib.sha256(b"").hexdigest()
"""Compared with the keys of unknown callers, so that checking a key takes constant time also for unknown keys."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The holder of an API key: belongs to exactly one tenant."""

    tenant_id: int
    key_id: str
    cursor_secret: str


def create(connection: sa.Connection, tenant_id: int, now: datetime) -> str:
    """Create a random key and return it. Only its hash is stored, so it cannot be shown again."""
    key_id = secrets.token_hex(6)
    key = f"trk_{key_id}_{secrets.token_urlsafe(32)}"
    facts = {"id": key_id, "tenant_id": tenant_id, "hash": _hash(key), "created_at": now}
    connection.execute(sa.insert(keys).values(facts))
    return key


def authenticate(connection: AnyConnection, presented: str | None) -> Caller:
    """Return the caller with this key; ServiceProblem 401 if it is not valid."""
    key_id = id_of(presented)
    return verify(key_id and _BY_ID.first(connection, {"key_id": key_id}), presented)


def id_of(presented: str | None) -> str | None:
    """Return the id in a well-formed key, else None."""
    found = _KEY.fullmatch(presented or "")
    return None if found is None else found[1]


def verify(row: Any, presented: str | None) -> Caller:  # noqa: ANN401  a row of BY_ID or of what was made of it
    """Return the caller if the secret matches the row's hash; else ServiceProblem 401."""
    matches = hmac.compare_digest(_hash(presented or ""), _DUMMY_HASH if row is None else row.hash)
    if row is None or not matches:
        if presented:
            log_security_event(SecurityEvent.KEY_WRONG)
        text = "This API key is not valid." if presented else "This operation needs an API key in the header x-api-key."
        challenge = 'ApiKey realm="tracker", header="x-api-key"'
        raise ServiceProblem(HTTPStatus.UNAUTHORIZED, text, headers={"WWW-Authenticate": challenge})
    return Caller(row.tenant_id, row.key_id, row.cursor_secret)


class RequestLimit:
    """A limit of requests per minute. kind: "key", counted by API key, or "network", for calls without a key."""

    def __init__(self, kind: str, per_minute: int, throttle: Throttle) -> None:
        self._kind = kind
        self._limit = Limit(f"tracker-{kind}", per_minute, 60)
        self._throttle = throttle

    def count_request(self, who: str) -> dict[str, str]:
        """Count one request and return the RateLimit headers. ServiceProblem 429 if the limit is exceeded."""
        result = self._throttle.hit_fixed_window(self._limit, who)
        headers = {
            "RateLimit-Policy": f'"{self._kind}";q={self._limit.most};w={self._limit.seconds}',
            "RateLimit": f'"{self._kind}";r={result.remaining};t={result.reset_after}',
        }
        if not result.allowed:
            log_security_event(SecurityEvent.LIMITED, limit=self._limit.name)
            detail = f"This {self._kind} may make {self._limit.most} requests a minute."
            raise ServiceProblem(
                HTTPStatus.TOO_MANY_REQUESTS, detail, headers=headers | {"Retry-After": str(result.reset_after)}
            )
        return headers


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
