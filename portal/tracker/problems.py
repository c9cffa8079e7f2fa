"""Rejections as RFC 9457 problem details.

A rejection names each invalid member of a body by a JSON pointer in fragment form (RFC 6901 §6), and an invalid query
parameter by its name.
"""

import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from http import HTTPStatus

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from portal.contract import bounds
from portal.contract.openapi import PROBLEM_TYPE
from portal.platform.errors import DatabaseUnavailable, error_location
from portal.tracker.shapes import Json, written

log = logging.getLogger(__name__)

RETRY_AFTER = {"Retry-After": "5"}


@dataclass(frozen=True, slots=True)
class ServiceProblemDetail:
    """One thing that is wrong: where, and what was expected. Never contains the value."""

    detail: str
    pointer: str | None = None
    parameter: str | None = None


class ServiceProblem(Exception):
    """A request rejected with this status; `wrong` names each invalid member or parameter."""

    def __init__(
        self,
        status: HTTPStatus,
        detail: str,
        *,
        wrong: Iterable[ServiceProblemDetail] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.wrong = tuple(wrong)
        self.headers = headers or {}


def not_found(what: str) -> ServiceProblem:
    """Return a 404 problem."""
    return ServiceProblem(HTTPStatus.NOT_FOUND, f"There is no such {what}.")


def answer(problem: ServiceProblem) -> Response:
    """Return the problem as a response."""
    content: Json = {
        "type": "about:blank",
        "title": problem.status.phrase,
        "status": problem.status.value,
        "detail": problem.detail,
    }
    if problem.wrong:
        content["errors"] = [
            {name: value for name, value in asdict(wrong).items() if value is not None} for wrong in problem.wrong
        ]
    return Response(written(content), problem.status, headers=problem.headers, content_type=PROBLEM_TYPE)


_DETAILS = {
    404: "This service has nothing at this address.",
    405: "This address does not take this method.",
    413: (
        f"The body is larger than this operation takes: {bounds.PUBLIC_BODY_MAX} bytes without an API key, "
        f"{bounds.BODY_MAX} with one, {bounds.VALUES_MAX} values, {bounds.DEPTH_MAX} levels of lists and objects."
    ),
    500: "A fault of the service; its log says where.",
}


def register(app: Flask) -> None:
    """Register error handlers, so that every rejection and failure of the application is answered as a problem."""
    app.register_error_handler(ServiceProblem, answer)
    app.register_error_handler(DatabaseUnavailable, _unavailable)
    app.register_error_handler(HTTPException, _of_the_framework)
    app.register_error_handler(Exception, _fault)


def _unavailable(_error: DatabaseUnavailable) -> Response:
    detail = "The service's database cannot be reached just now; nothing was changed."
    return answer(ServiceProblem(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers=RETRY_AFTER))


def _fault(error: Exception) -> Response:
    log.error("%s: %s", request.endpoint, error_location(error))  # no traceback: it may contain personal data
    return answer(ServiceProblem(HTTPStatus.INTERNAL_SERVER_ERROR, _DETAILS[HTTPStatus.INTERNAL_SERVER_ERROR]))


def _of_the_framework(error: HTTPException) -> Response:
    code = error.code or 500
    headers = {name: value for name, value in error.get_headers() if name in {"Allow", "Retry-After"}}
    detail = _DETAILS.get(code, error.description or HTTPStatus(code).phrase)
    return answer(ServiceProblem(HTTPStatus(code), detail, headers=headers))
