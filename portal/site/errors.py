"""Turns errors into pages, for the whole site. Domain errors know no HTTP; here each gets its status.

A page says in plain words what happened and what to do next, without internal details.
"""

import logging
from collections.abc import Callable
from http import HTTPStatus

from flask import Flask, Response, current_app, make_response, render_template, request
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    MethodNotAllowed,
    RequestTimeout,
    ServiceUnavailable,
    TooManyRequests,
)
from werkzeug.exceptions import InternalServerError as ServerError

from portal.gateway.request_bodies import REFUSED, BodyRejection
from portal.platform.database.engines import refuse
from portal.platform.errors import DatabaseUnavailable, PortalError, SchemaError, error_location
from portal.site.routing import problems
from portal.site.routing.access import Access, access_of, answers_problems
from portal.site.routing.hosts import from_former_site
from portal.site.routing.tenant import SiteClosed, UnknownHost, by_own_host, current, recognise
from portal.tenants.folder import Tenants

log = logging.getLogger(__name__)

RETRY_AFTER = 30
"""Seconds after which a client may try again: a database or file storage that restarts is back by then."""

_PAGES = {400, 403, 404, 405, 408, 409, 410, 413, 415, 429, 500, 503}


def install(app: Flask, tenants: Tenants, require_schema: Callable[[], None], *, base_url: str) -> None:
    """Register the handlers that answer every error with a page, or with problem details (RFC 9457) for programs.

    require_schema: raises SchemaError or DatabaseUnavailable while the database cannot be used.
    """

    def answer(error: HTTPException) -> Response:
        recognise(tenants, request)
        moved = from_former_site(current(), base_url=base_url) if error.code == HTTPStatus.NOT_FOUND else None
        return make_response(moved) if moved else _page(error)

    answer_errors(app, answer)

    @app.before_request
    def not_without_a_database() -> None:
        if _is_operations():
            return
        try:
            require_schema()
        except DatabaseUnavailable as error:
            if request.method != "POST":
                raise
            # Its view answers as in any outage, with what was entered. Should the database be back in a moment, nothing
            # may use it before its schema is checked.
            refuse(error)

    @app.teardown_request
    def no_longer(_error: BaseException | None) -> None:
        refuse(None)


def answer_errors(app: Flask, page: Callable[[HTTPException], Response]) -> None:
    """Register the handlers that log errors of the code and of its dependencies, and answer each with `page`."""

    @app.before_request
    def not_received() -> None:
        refusal = request.environ.get(REFUSED)
        if refusal is not None:
            raise {BodyRejection.TOO_SLOW: RequestTimeout, BodyRejection.CUT_OFF: BadRequest}.get(refusal, Crowded)

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        return _answered(error, page)

    @app.errorhandler(PortalError)
    def failed(error: PortalError) -> Response:
        log.log(logging.WARNING if error.transient else logging.ERROR, "%s: %s", type(error).__name__, error)
        temporary = error.transient or isinstance(error, SchemaError)
        return _answered(_Unavailable() if temporary else ServerError(), page)

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Response:
        log.error("%s: %s", request.endpoint, error_location(error))  # no traceback: its text may contain personal data
        return _answered(ServerError(), page)


def _answered(error: HTTPException, page: Callable[[HTTPException], Response]) -> Response:
    if error.response is not None:  # raised by abort(response)
        return make_response(error.response)
    status = error.code or 500
    if 300 <= status < 400:
        return make_response(error.get_response(request.environ))
    response = page(error)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    if isinstance(error, TooManyRequests) and error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    elif status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_AFTER)
    return response


def page_status(status: int) -> int:
    """Return the status whose page is shown for this one."""
    return status if status in _PAGES else (400 if status < 500 else 500)


class Crowded(ServiceUnavailable):
    """Too many bodies are being received at once, or the concurrency limit leaves no capacity to answer."""


class _Unavailable(HTTPException):
    """A part of the portal is unavailable right now."""

    code = HTTPStatus.SERVICE_UNAVAILABLE


def _is_operations() -> bool:
    view = current_app.view_functions.get(request.endpoint or "")
    return access_of(view) is Access.OPERATIONS


def _page(error: HTTPException) -> Response:
    status = error.code or 500
    if of_api := problems.of_board_api(_requested_path(), status):
        return of_api
    if _asked_by_program(error):
        return problems.of_status(status)
    template = _template(error, page_status(status))
    return make_response(render_template(f"errors/{template}.html", status=status), status)


def _requested_path() -> str:
    """Return the path without the slug that hosts.py adds on a tenant's own host."""
    tenant = current()
    return request.path.removeprefix(f"/{tenant.slug}") if tenant and by_own_host() else request.path


def _asked_by_program(error: HTTPException) -> bool:
    endpoint = request.endpoint
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        endpoint, _ = current_app.url_map.bind("").match(request.path, next(iter(error.valid_methods)))
    return answers_problems(current_app.view_functions.get(endpoint or ""))


def _template(error: HTTPException, status: int) -> str:
    if isinstance(error, SiteClosed):
        return "site_closed"
    if isinstance(error, UnknownHost):
        return "unknown_host"
    if isinstance(error, Crowded):
        return "crowded"
    return str(status)
