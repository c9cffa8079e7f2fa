"""Refusals, as RFC 9457 problem details.

A refusal that concerns members of a body names each by a JSON pointer in fragment form (RFC 6901 §6), one that concerns
a query parameter names the parameter.
"""

import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from http import HTTPStatus

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from portal.errors import DatabaseUnavailable, place_of
from portal.tracker.shapes import Json, written

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong: where, and what was expected. Never the value."""

    detail: str
    pointer: str | None = None
    parameter: str | None = None


class Problem(Exception):
    """The request is refused with this status; `wrong` names each member or parameter that is at fault."""

    def __init__(
        self, status: HTTPStatus, detail: str, *, wrong: Iterable[Wrong] = (), headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.wrong = tuple(wrong)
        self.headers = headers or {}


def not_found(what: str) -> Problem:
    """404."""
    return Problem(HTTPStatus.NOT_FOUND, f"There is no such {what}.")


def pointer(*steps: str | int) -> str:
    """`#/emails/0/email`."""
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def answer(problem: Problem) -> Response:
    """The problem as a response."""
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
    return Response(written(content), problem.status, headers=problem.headers, content_type="application/problem+json")


_DETAILS = {
    404: "This service has nothing at this address.",
    405: "This address does not take this method.",
    413: "The body is larger than this service takes (1 MiB).",
    500: "A fault of the service; its log says where.",
}


def register(app: Flask) -> None:
    """Answer every refusal and failure of the application as a problem."""
    app.register_error_handler(Problem, answer)
    app.register_error_handler(DatabaseUnavailable, _unavailable)
    app.register_error_handler(HTTPException, _of_the_framework)
    app.register_error_handler(Exception, _fault)


def _unavailable(_error: DatabaseUnavailable) -> Response:
    detail = "The service's database cannot be reached just now; nothing was changed."
    return answer(Problem(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": "5"}))


def _fault(error: Exception) -> Response:
    log.error("%s: %s", request.endpoint, place_of(error))  # no traceback: its words may be personal
    return answer(Problem(HTTPStatus.INTERNAL_SERVER_ERROR, _DETAILS[HTTPStatus.INTERNAL_SERVER_ERROR]))


def _of_the_framework(error: HTTPException) -> Response:
    code = error.code or 500
    headers = {name: value for name, value in error.get_headers() if name in {"Allow", "Retry-After"}}
    detail = _DETAILS.get(code, error.description or HTTPStatus(code).phrase)
    return answer(Problem(HTTPStatus(code), detail, headers=headers))
