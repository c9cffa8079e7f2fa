"""Why a posted form, or a program's request, is rejected; each rejection is logged as one event."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from flask import g
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from portal.platform.errors import (
    DatabaseUnavailable,
    InspectionUnavailable,
    PortalError,
    StoreError,
    TemporaryFolderFull,
)
from portal.platform.logs import EventName, event
from portal.tenants.model import Tenant

R = TypeVar("R", bound=Response)


class RefusalReason(StrEnum):
    """The `reason` of a `refused` event."""

    FORM = "form"
    """Something that was typed, or the file, is wrong; all entries are returned for another try."""
    CHANGED = "changed"
    """It was sent before with different content, or what it is based on has changed."""
    CLOSED = "closed"
    ELSEWHERE = "elsewhere"
    """Another site's page made the browser send it, or nobody is signed in."""
    LIMIT = "limit"
    NO_ROOM = "no_room"
    """A disk is nearly full, or there are too many requests at once."""
    STORE_AWAY = "store_away"
    DATABASE_AWAY = "database_away"
    INSPECTION_AWAY = "inspection_away"
    TOO_LARGE = "too_large"
    UNKNOWN = "unknown"
    """There is no such job."""


_REASONS = {
    400: RefusalReason.FORM,
    403: RefusalReason.ELSEWHERE,
    404: RefusalReason.UNKNOWN,
    409: RefusalReason.CHANGED,
    410: RefusalReason.CLOSED,
    413: RefusalReason.TOO_LARGE,
    415: RefusalReason.FORM,
    422: RefusalReason.FORM,
    429: RefusalReason.LIMIT,
    503: RefusalReason.NO_ROOM,
}


_AWAY: dict[type[PortalError], RefusalReason] = {
    DatabaseUnavailable: RefusalReason.DATABASE_AWAY,
    InspectionUnavailable: RefusalReason.INSPECTION_AWAY,
    TemporaryFolderFull: RefusalReason.NO_ROOM,
    StoreError: RefusalReason.STORE_AWAY,
}


def with_refusals(tenant: Tenant, kind: str, job: Callable[[], R]) -> R:
    """Return the job's response; log an event if it is a rejection. kind: of the delivery that is rejected."""
    try:
        response = job()
    except HTTPException as error:
        _log_rejection(tenant, kind, error.code or (error.response.status_code if error.response else 0))
        raise
    except (DatabaseUnavailable, StoreError) as error:
        record_unavailable_part(error)
        _log_rejection(tenant, kind, 503)
        raise
    _log_rejection(tenant, kind, response.status_code)
    return response


def record_unavailable_part(error: PortalError) -> None:
    """Record which unavailable part makes this request fail with 503."""
    g.refused_for = next((reason for what, reason in _AWAY.items() if isinstance(error, what)), RefusalReason.NO_ROOM)


def _log_rejection(tenant: Tenant, kind: str, status: int) -> None:
    reason = _REASONS.get(status)
    if reason is RefusalReason.NO_ROOM:
        reason = g.get("refused_for", reason)
    if reason:
        event(EventName.REFUSED, tenant=tenant.slug, kind=kind, reason=reason)
