"""Response → None, or the error that its status means. §4 shows no status codes, so they have their meaning in HTTP."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from portal.adapters.tracker_client.errors import (
    Conflicting,
    KeyRefused,
    MayHaveArrived,
    NotTheService,
    ProxyAnswered,
    RecordNotFound,
    Redirected,
    Rejected,
    TemporarilyUnavailable,
    Throttled,
    TrackerError,
)
from portal.contract import bounds

PAUSE_LEAST = 1.0
PAUSE_MOST = 86_400.0
DEFAULT_PAUSE = 60.0
"""Seconds to wait if the service asks to try later without a readable Retry-After."""
_DIGITS_MOST = 400
"""Digits of the longest integer that is parsed as one."""

KEY_REFUSED = "the service refuses the API key or the tenant slug"
_ERROR_OF_STATUS: dict[int, tuple[type[TrackerError], str]] = {
    401: (KeyRefused, KEY_REFUSED),
    403: (KeyRefused, KEY_REFUSED),
    404: (RecordNotFound, "the service has no record with this id"),
    410: (RecordNotFound, "the service no longer has a record with this id"),
    409: (Conflicting, "the service reports a conflict with its own data"),
    408: (TemporarilyUnavailable, "the service is temporarily unavailable"),
    425: (TemporarilyUnavailable, "the service is temporarily unavailable"),
    503: (TemporarilyUnavailable, "the service is temporarily unavailable"),
}


@dataclass(frozen=True, slots=True)
class ServiceResponse:
    """A response. Its body is read completely if the status is 2xx, otherwise not at all.

    operation: the section of §4 that was called.
    """

    operation: str
    status: int
    content_type: str
    retry_after: str | None
    served_at: datetime | None
    body: bytes

    def not_the_service(self, message: str) -> NotTheService:
        """Return the error for a 2xx response that cannot be from the service."""
        return NotTheService(message, operation=self.operation, status=self.status)


def failure_of(answer: ServiceResponse, *, now: datetime) -> TrackerError | None:
    """Return the error that the status means; None for 2xx."""
    status = answer.status
    if 200 <= status < 300:
        return None
    if status == 429 or (status == 503 and answer.retry_after is not None):
        pause = pause_of(answer.retry_after, now=answer.served_at or now)
        message = f"the service asks to wait {pause:.0f} s ({status})"
        return Throttled(message, operation=answer.operation, status=status, retry_after=pause)
    kind, message = _ERROR_OF_STATUS.get(status, (None, ""))
    if kind is None and 300 <= status < 400:
        kind, message = Redirected, "the service redirects, which is never followed: check base_url"
    elif kind is None and 400 <= status < 500:
        kind, message = Rejected, "the service refuses the request"
    elif kind is None:
        kind, message = MayHaveArrived, "the service failed while handling the request"
    return kind(f"{message} ({status})", operation=answer.operation, status=status)


def pause_of(retry_after: str | None, *, now: datetime) -> float:
    """Return the seconds to wait by Retry-After (RFC 9110 §10.2.3), within 1 s and 24 h."""
    text = (retry_after or "").strip()
    if re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", text):
        pause = float(text)
    elif (until := http_date(text)) is not None:
        pause = (until - now).total_seconds()
    else:
        pause = DEFAULT_PAUSE
    return min(max(pause, PAUSE_LEAST), PAUSE_MOST)


def http_date(text: str | None) -> datetime | None:
    """Return an HTTP date as an instant in UTC; None if it is not one."""
    try:
        moment = parsedate_to_datetime(text or "")
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None


def is_utf8(body: bytes) -> bool:
    """Return whether a body is text in UTF-8 without lone surrogates."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _bounded(digits: str) -> float:
    """Return an integer, or a float for one that is longer than any in the interface: Python refuses to parse it."""
    return int(digits) if len(digits) <= _DIGITS_MOST else float(digits)


def json_of(answer: ServiceResponse, *, most: int = bounds.RESPONSE_MAX_TOKENS) -> object:
    """Return a 2xx response's body as JSON, None if it is empty.

    most: tokens, as bounds.too_many_tokens counts them. Raises NotTheService if the body is not JSON or
    has more, and ProxyAnswered if it is HTML.
    """
    if "html" in answer.content_type.lower():
        raise ProxyAnswered(
            "the response is an HTML page: a proxy answered in its place, or base_url is wrong",
            operation=answer.operation,
            status=answer.status,
        )
    body = answer.body.removeprefix(b"\xef\xbb\xbf").strip()
    if not body:
        return None
    if bounds.too_many_tokens(body, most):
        raise answer.not_the_service(f"the response holds more than such an answer can: over {most} JSON tokens")
    try:
        # An error in one record's text or numbers must not affect other records: record_of detects it.
        text = body if is_utf8(body) else body.decode("utf-8", "surrogateescape")
        return json.loads(text, parse_int=_bounded)
    except (ValueError, RecursionError):
        pass  # raised below, because the parser's error contains the body
    raise answer.not_the_service("the response is not JSON, or is truncated")
