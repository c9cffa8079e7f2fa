"""The one place where errors become pages. Domain errors know no HTTP; here each gets its status.

A page says what happened in the visitor's words and what to do next, and nothing of what went wrong inside.
"""

import logging
from http import HTTPStatus

from flask import Flask, Response, make_response, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, TooManyRequests
from werkzeug.exceptions import InternalServerError as ServerError

from portal.errors import PortalError, place_of
from portal.parts import Parts
from portal.web.tenant import SiteClosed, UnknownHost, recognise

log = logging.getLogger(__name__)

RETRY_AFTER = 30
"""Seconds after which a browser or a crawler may ask again."""

_PAGES = {400, 403, 404, 405, 409, 410, 413, 415, 429, 500, 503}
_DRAINED = 4
_CHUNK = 65_536


def install(app: Flask, parts: Parts) -> None:
    """Answer every error with a page."""
    bound = parts.settings.max_cv_bytes * _DRAINED

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        recognise(parts.tenants, request)
        return _page(error, drain=bound)

    @app.errorhandler(PortalError)
    def failed(error: PortalError) -> Response:
        log.log(logging.WARNING if error.transient else logging.ERROR, "%s: %s", type(error).__name__, error)
        recognise(parts.tenants, request)
        return _page(_Unavailable() if error.transient else ServerError(), drain=bound)

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Response:
        log.error("%s: %s", request.endpoint, place_of(error))  # no traceback: its words may be personal
        recognise(parts.tenants, request)
        return _page(ServerError(), drain=bound)


class _Unavailable(HTTPException):
    """A part of the portal does not answer now."""

    code = HTTPStatus.SERVICE_UNAVAILABLE


def _page(error: HTTPException, *, drain: int) -> Response:
    if error.response is not None:  # abort(response)
        return make_response(error.response)
    status = error.code or 500
    if 300 <= status < 400:
        return make_response(error.get_response(request.environ))
    _drain(drain)
    shown = status if status in _PAGES else (400 if status < 500 else 500)
    response = make_response(render_template(f"errors/{_template(error, shown)}.html", status=status), status)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    if isinstance(error, TooManyRequests) and error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    elif status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_AFTER)
    return response


def _template(error: HTTPException, status: int) -> str:
    if isinstance(error, SiteClosed):
        return "site_closed"
    if isinstance(error, UnknownHost):
        return "unknown_host"
    return str(status)


def _drain(bound: int) -> None:
    """Read on what the browser is still sending: closing earlier resets the connection, and it would show no page."""
    request.max_content_length = None
    stream, left = request.stream, bound
    try:
        while left > 0 and (chunk := stream.read(_CHUNK)):
            left -= len(chunk)
    except (OSError, ValueError, HTTPException):
        return  # it went away, or there is no end to it: nobody is left to read the page
