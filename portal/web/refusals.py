"""What a form, or a program in its place, is turned away for; one event each."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from flask import g
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from portal.errors import DatabaseUnavailable, InspectionUnavailable, PortalError, StoreError, TemporaryFolderFull
from portal.logs import Happened, event
from portal.tenants.model import Tenant

R = TypeVar("R", bound=Response)


class Reason(StrEnum):
    """In `refused`, of what people send."""

    FORM = "form"
    """Something that was typed, or the file, is not right; everything is kept for another try."""
    CHANGED = "changed"
    """It was sent before with other content, or what it is based on changed meanwhile."""
    CLOSED = "closed"
    ELSEWHERE = "elsewhere"
    """Another site's page made the browser send it, or nobody is signed in."""
    LIMIT = "limit"
    NO_ROOM = "no_room"
    """A disk is nearly full, or too much comes at once."""
    STORE_AWAY = "store_away"
    DATABASE_AWAY = "database_away"
    INSPECTION_AWAY = "inspection_away"
    TOO_LARGE = "too_large"
    UNKNOWN = "unknown"
    """There is no such job."""


_REASONS = {
    400: Reason.FORM,
    403: Reason.ELSEWHERE,
    404: Reason.UNKNOWN,
    409: Reason.CHANGED,
    410: Reason.CLOSED,
    413: Reason.TOO_LARGE,
    415: Reason.FORM,
    422: Reason.FORM,
    429: Reason.LIMIT,
    503: Reason.NO_ROOM,
}


_AWAY: dict[type[PortalError], Reason] = {
    DatabaseUnavailable: Reason.DATABASE_AWAY,
    InspectionUnavailable: Reason.INSPECTION_AWAY,
    TemporaryFolderFull: Reason.NO_ROOM,
    StoreError: Reason.STORE_AWAY,
}


def told(tenant: Tenant, kind: str, job: Callable[[], R]) -> R:
    """What the job answers; if it is a refusal, the log says so. kind: of what is refused."""
    try:
        response = job()
    except HTTPException as error:
        _tell(tenant, kind, error.code or (error.response.status_code if error.response else 0))
        raise
    except (DatabaseUnavailable, StoreError) as error:
        away(error)
        _tell(tenant, kind, 503)
        raise
    _tell(tenant, kind, response.status_code)
    return response


def away(error: PortalError) -> None:
    """Say for want of which part this request is answered with 503."""
    g.refused_for = next((reason for what, reason in _AWAY.items() if isinstance(error, what)), Reason.NO_ROOM)


def _tell(tenant: Tenant, kind: str, status: int) -> None:
    reason = _REASONS.get(status)
    if reason is Reason.NO_ROOM:
        reason = g.get("refused_for", reason)
    if reason:
        event(Happened.REFUSED, tenant=tenant.slug, kind=kind, reason=reason)
