"""Everything that is wrong with an application sent as JSON, at once: in its shape, and in its fields.

A body of the wrong shape is read as far as it can be, and its fields are checked all the same, so that a front end can
show everything in one go. Each error has a stable code, which docs/embedding.md explains.
"""

from enum import StrEnum

from flask import Response
from flask_babel import gettext, lazy_gettext, ngettext
from pydantic import ValidationError
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest
from wtforms import Field

from portal.contract import bounds
from portal.contract.bounds import pointer
from portal.site.apply.json_body import CV_ATTACHMENT_ID
from portal.site.forms.application_form import IN_LOCATION, ApplicationForm, pointer_of
from portal.site.forms.cv_upload import CvUpload
from portal.site.forms.fields import cv as cv_words
from portal.site.forms.fields.refusal import FieldError
from portal.site.forms.fields.typed import TypedField
from portal.site.routing.problems import ProblemError, problem


class ShapeError(StrEnum):
    """What is wrong with the shape of a body. The values are codes of the JSON API, so they stay."""

    MISSING = "missing"
    TOO_LONG = "too_long"
    TOO_SHORT = "too_short"
    UNKNOWN_MEMBER = "unknown_member"
    WRONG_TYPE = "wrong_type_or_value"
    CV_GONE = "cv_gone"


CODES = tuple(sorted({*FieldError, *ShapeError}))
"""Codes of what is wrong with an application."""

_OF_PYDANTIC = {
    "missing": ShapeError.MISSING,
    "extra_forbidden": ShapeError.UNKNOWN_MEMBER,
    "string_too_long": ShapeError.TOO_LONG,
    "string_too_short": ShapeError.TOO_SHORT,
    "string_pattern_mismatch": ShapeError.CV_GONE,
}
_DETAILS = {
    ShapeError.MISSING: lazy_gettext("This field is missing. Provide a value, or null where that is allowed."),
    ShapeError.UNKNOWN_MEMBER: lazy_gettext("This field is not known here and would be lost. Leave it out."),
    ShapeError.TOO_LONG: lazy_gettext("This is too long."),
    ShapeError.TOO_SHORT: lazy_gettext("This is too short."),
    ShapeError.WRONG_TYPE: lazy_gettext(
        "This has the wrong type or value. See the API documentation for what is accepted."
    ),
}


def of_shape(refused: ValidationError) -> list[ProblemError]:
    """Return what a body's shape has wrong. Raises BadRequest if it is not JSON."""
    found = refused.errors(include_url=False, include_context=False, include_input=False)
    if found[0]["type"] == "json_invalid":
        raise BadRequest
    return [_of_pydantic(pointer(*one["loc"]), one["type"]) for one in found[: bounds.ERRORS_MAX]]


def _of_pydantic(where: str, kind: str) -> ProblemError:
    code = _OF_PYDANTIC.get(kind, ShapeError.WRONG_TYPE)
    detail = str(cv_words.NO_LONGER_STORED) if code is ShapeError.CV_GONE else str(_DETAILS[code])
    return ProblemError(pointer=where, code=code, detail=detail)


def readable_fields(body: object) -> MultiDict[str, str] | None:
    """Return the form's fields that can be read in a body of the wrong shape; None if it is no object."""
    if not isinstance(body, dict):
        return None
    home = body.get("location")
    inside = home if isinstance(home, dict) else {}
    both = {
        **{name: value for name, value in body.items() if name not in IN_LOCATION},
        **{name: value for name, value in inside.items() if name in IN_LOCATION},
        "consent": "y" if body.get("consent") is True else None,
    }
    return MultiDict({name: value for name, value in both.items() if isinstance(value, str)})


def of_fields(form: ApplicationForm, cv: CvUpload, others: list[ProblemError]) -> list[ProblemError]:
    """Return `others`, and the errors of fields and CV that `others` does not mention."""
    named = {one.pointer for one in others}
    found = [
        ProblemError(pointer=pointer_of(it.name), code=_code(it), detail=str(it.errors[0])) for it in form if it.errors
    ]
    if cv.error:
        found.append(of_cv(cv))
    return [*others, *(one for one in found if one.pointer not in named)][: bounds.ERRORS_MAX]


def of_cv(cv: CvUpload) -> ProblemError:
    """Return what is wrong with the CV that an application names."""
    return ProblemError(pointer=f"#/{CV_ATTACHMENT_ID}", code=cv.code, detail=cv.error)


def _code(field: Field) -> str:
    return (isinstance(field, TypedField) and field.refusal) or FieldError.MISSING


def invalid(errors: list[ProblemError]) -> Response:
    """Return the response that lists all errors."""
    detail = ngettext(
        "One field in the request body is not valid. Nothing was sent.",
        "%(num)s fields in the request body are not valid. Nothing was sent.",
        len(errors),
    )
    return problem(422, str(detail), errors=errors)


def different() -> Response:
    """Return the response about an upload or key that was used for something else."""
    detail = gettext(
        "This upload or Idempotency-Key was already used for an application with different content, and that "
        "application is still valid. To send this one as well, upload the CV again and use another key."
    )
    return problem(409, str(detail))
