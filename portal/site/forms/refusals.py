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
    CONFLICT = "changed"
    """It was sent before with different content, or the data that it is based on has changed."""
    CLOSED = "closed"
    NOT_ALLOWED = "elsewhere"
    """Another site's page made the browser send it, or the visitor is not signed in."""
    LIMIT = "limit"
    NO_CAPACITY = "no_room"
    """A disk is nearly full, or there are too many requests at once."""
    STORE_UNAVAILABLE = "store_away"
    DATABASE_UNAVAILABLE = "database_away"
    INSPECTION_UNAVAILABLE = "inspection_away"
    TOO_LARGE = "too_large"
    JOB_NOT_FOUND = "unknown"


_REASONS = {
    400: RefusalReason.FORM,
    403: RefusalReason.NOT_ALLOWED,
    404: RefusalReason.JOB_NOT_FOUND,
    409: RefusalReason.CONFLICT,
    410: RefusalReason.CLOSED,
    413: RefusalReason.TOO_LARGE,
    415: RefusalReason.FORM,
    422: RefusalReason.FORM,
    429: RefusalReason.LIMIT,
    503: RefusalReason.NO_CAPACITY,
}


_UNAVAILABLE: dict[type[PortalError], RefusalReason] = {
    DatabaseUnavailable: RefusalReason.DATABASE_UNAVAILABLE,
    InspectionUnavailable: RefusalReason.INSPECTION_UNAVAILABLE,
    TemporaryFolderFull: RefusalReason.NO_CAPACITY,
    StoreError: RefusalReason.STORE_UNAVAILABLE,
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
    g.refused_for = next(
        (reason for what, reason in _UNAVAILABLE.items() if isinstance(error, what)), RefusalReason.NO_CAPACITY
    )


def _log_rejection(tenant: Tenant, kind: str, status: int) -> None:
    reason = _REASONS.get(status)
    if reason is RefusalReason.NO_CAPACITY:
        reason = g.get("refused_for", reason)
    if reason:
        event(EventName.REFUSED, tenant=tenant.slug, kind=kind, reason=reason)
