"""Errors for programs, as RFC 9457 problem details: what happened and what to do, in the language of the address."""

import json
import re
from http import HTTPStatus

from flask import Response
from flask_babel import LazyString, lazy_gettext
from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from portal.contract import bounds
from portal.contract.openapi import PROBLEM_TYPE


class ProblemError(BaseModel):
    """One member that is at fault: where it is, why, and what to do."""

    pointer: str = Field(description="A JSON pointer as a fragment (RFC 6901 §6); `#` is the whole body.")
    code: str = Field(description="For programs, and stable. There may be new ones.")
    detail: str = Field(description="What to do, for people, in the language of the address.")


_EXAMPLE: JsonDict = {
    "type": "about:blank",
    "title": "Unprocessable Entity",
    "status": 422,
    "code": "invalid",
    "detail": "2 fields in the request body are not valid. Nothing was sent.",
    "errors": [
        {
            "pointer": "#/email",
            "code": "invalid_email",
            "detail": "Enter an email address, like name@example.com.",
        },
        {
            "pointer": "#/location/country",
            "code": "unknown_country",
            "detail": "Choose a country from the list.",
        },
    ],
}


class Problem(BaseModel):
    """What every refusal has in its body."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    type: str = "about:blank"
    title: str
    status: int
    code: str = Field(description="For programs, and stable. There may be new ones.")
    detail: str
    errors: list[ProblemError] | None = Field(
        default=None, max_length=bounds.ERRORS_MAX, description="Everything that is at fault, at once."
    )


def problem(
    status: int,
    detail: str | LazyString,
    *,
    code: str = "",
    errors: list[ProblemError] | None = None,
    retry_after: int | None = None,
) -> Response:
    """Return an error response. code: that of the status if empty. retry_after: seconds."""
    code = code or CODES.get(status, CODES[400 if status < 500 else 500])
    body = Problem(title=HTTPStatus(status).phrase, status=status, code=code, detail=str(detail), errors=errors or None)
    response = Response(body.model_dump_json(exclude_none=True), status, content_type=PROBLEM_TYPE)
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    return response


def of_status(status: int) -> Response:
    """Return an error response of which only the status is known."""
    return problem(status, _DETAILS.get(status, _DETAILS[400 if status < 500 else 500]))


_BOARD_API = re.compile(r"/v([01])(?:/.*)?")


def of_board_api(path: str, status: int) -> Response | None:
    """Return an error response in the form of the API that other programs know; None for a path of neither.

    path: as requested, on a tenant's own host without the slug.
    """
    match = _BOARD_API.fullmatch(path)
    if match is None:
        return None
    error = HTTPStatus(status).phrase
    body = {"status": status, "error": error} if match[1] == "1" else {"ok": False, "error": error}
    response = Response(json.dumps(body) + "\n", status, content_type="application/json; charset=utf-8")
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


CODES = {
    400: "unreadable",
    403: "origin_not_listed",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    409: "different_content",
    410: "closed",
    413: "too_large",
    415: "unsupported_type",
    422: "invalid",
    429: "too_many_requests",
    500: "server_error",
    503: "unavailable",
}
"""Status → code of a problem that has no code of its own; docs/embedding.md says what each means."""

_DETAILS = {
    400: lazy_gettext("This request could not be read. Check its format and send it again."),
    403: lazy_gettext("This is not allowed from here. The company must list the origin of the page in its settings."),
    404: lazy_gettext("There is nothing at this address. Check the company and the job in it."),
    405: lazy_gettext("This address does not accept this method. See the Allow header for the methods it accepts."),
    408: lazy_gettext("The body did not arrive in time. Send it again over a better connection."),
    410: lazy_gettext("This job was open here but is now closed. Remove it from your list."),
    413: lazy_gettext("The body is larger than this address accepts. Send less data."),
    415: lazy_gettext("This address does not accept this type of body. State the type in the Content-Type header."),
    429: lazy_gettext("Too many requests came from your network. Wait for the time given in the Retry-After header."),
    500: lazy_gettext(
        "Something went wrong on this site. The error has been logged, and nothing was accepted. Try again later."
    ),
    503: lazy_gettext(
        "This site cannot respond right now. This is not your fault. Wait for the time given in the Retry-After header."
    ),
}
