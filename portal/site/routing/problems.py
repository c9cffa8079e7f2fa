"""Errors for programs, as RFC 9457 problem details: what happened and what to do, in the language of the address."""

import json
import re
from http import HTTPStatus

from flask import Response
from flask_babel import lazy_gettext
from pydantic import BaseModel, Field

from portal.contract import bounds
from portal.contract.openapi import PROBLEM_TYPE


class Wrong(BaseModel):
    """One member that is at fault: where it is (a JSON pointer, RFC 6901 §6, as a fragment), and what to do."""

    pointer: str
    detail: str


class Problem(BaseModel):
    """What every refusal has in its body."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[Wrong] | None = Field(default=None, max_length=bounds.ERRORS_MOST)


def problem(status: int, detail: str, *, errors: list[Wrong] | None = None, retry_after: int | None = None) -> Response:
    """Return an error response. retry_after: seconds."""
    told = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=errors or None)
    response = Response(told.model_dump_json(exclude_none=True), status, content_type=PROBLEM_TYPE)
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    return response


def of_status(status: int) -> Response:
    """Return an error response of which only the status is known."""
    return problem(status, str(_DETAILS.get(status, _DETAILS[400 if status < 500 else 500])))


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
