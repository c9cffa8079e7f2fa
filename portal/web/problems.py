"""Refusals for programs, as RFC 9457 problem details: what happened and what to do, in the language of the address."""

from http import HTTPStatus

from flask import Response
from flask_babel import lazy_gettext
from pydantic import BaseModel

CONTENT_TYPE = "application/problem+json"


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
    errors: list[Wrong] | None = None


def problem(status: int, detail: str, *, errors: list[Wrong] | None = None, retry_after: int | None = None) -> Response:
    """A refusal. retry_after: seconds."""
    told = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=errors or None)
    response = Response(told.model_dump_json(exclude_none=True), status, content_type=CONTENT_TYPE)
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    return response


def of_status(status: int) -> Response:
    """A refusal of which no more is known than its status."""
    return problem(status, str(_DETAILS.get(status, _DETAILS[400 if status < 500 else 500])))


_DETAILS = {
    400: lazy_gettext("This request could not be read. Check how it is written, and send it again."),
    403: lazy_gettext(
        "This may not be done from here. The company has to list the origin of the page in its settings."
    ),
    404: lazy_gettext("There is nothing at this address. Check the company and the job in it."),
    405: lazy_gettext("This address does not take this method; the header Allow says which it takes."),
    408: lazy_gettext("The body did not arrive in time. Send it again over a better line."),
    410: lazy_gettext("This job was open here and is closed now. Take it out of your list."),
    413: lazy_gettext("The body is larger than this address takes. Send less."),
    415: lazy_gettext("This address does not take a body of this kind. Say what it is in the header Content-Type."),
    429: lazy_gettext("Too many requests came from your network. Wait as long as the header Retry-After says."),
    500: lazy_gettext("Something went wrong on this site. It is logged, and nothing was taken. Try again later."),
    503: lazy_gettext(
        "This site cannot answer just now, through no fault of yours. Wait as long as the header Retry-After says."
    ),
}
