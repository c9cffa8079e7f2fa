"""Reads bodies and queries within limits and validates them against the contract; rejections say what is wrong."""

import re
from collections.abc import Iterator
from datetime import datetime
from http import HTTPStatus
from itertools import chain
from typing import Any

from flask import Request
from pydantic import TypeAdapter, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from portal.contract import bounds
from portal.contract.bounds import JsonTooLarge, pointer
from portal.contract.model import SentTimestamp, Write
from portal.contract.operations import Operation
from portal.tracker.problems import ServiceProblem, ServiceProblemDetail
from portal.tracker.revisions import stamp
from portal.tracker.shapes import Json

_ID = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})+"
    r"(?:#(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?"
)
# RFC 5321 §4.1.2 with the other scripts of RFC 6531. Whether the domain can receive mail is not checked.
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\x80-\U0010ffff-]+"
_LOCAL = re.compile(rf'{_ATOM}(\.{_ATOM})*|"([ !#-\[\]-~\x80-\U0010ffff]|\\[ -~])*"')
_LABEL = r"[A-Za-z0-9\x80-\U0010ffff]([A-Za-z0-9\x80-\U0010ffff-]{0,61}[A-Za-z0-9\x80-\U0010ffff])?"
_LOCAL_MOST, _DOMAIN_MOST = 64, 255
"""RFC 5321 §4.5.3.1: octets before the @, characters after it."""
_DOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*|\[[0-9A-Za-z:.]+\]")
_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})", re.ASCII)
_INSTANTS = ("startAt", "endAt", "dateOfBirth", "startDate", "endDate")
_DATE_TIME: TypeAdapter[datetime] = TypeAdapter(SentTimestamp)


def body(request: Request, operation: Operation) -> Json:
    """Return the JSON object in the body, validated against the operation's shape; ServiceProblem 400, 413, 415 or 422.

    Reports at most ERRORS_MOST errors and does not look for more.
    """
    raw = _raw(request, operation.body_most)
    content = _parsed(raw)
    shape = operation.body
    if shape is None:
        raise TypeError(f"§{operation.section} takes no body")
    if wrong := _named(chain(_shape_errors(shape, raw), _format_errors(content))):
        raise ServiceProblem(HTTPStatus.UNPROCESSABLE_ENTITY, "The body is not what this operation takes.", wrong=wrong)
    _spell_out_instants(content)
    return content


def _parsed(raw: bytes) -> Json:
    """Parse JSON whose strings can all be stored; ServiceProblem 400, or RequestEntityTooLarge."""
    try:
        content: Any = bounds.parsed(raw)
    except JsonTooLarge:
        raise RequestEntityTooLarge from None
    except ValueError:
        raise ServiceProblem(HTTPStatus.BAD_REQUEST, "The body is not JSON in UTF-8.") from None
    if b"\\u" in raw:
        what = "holds NUL or half a character (a lone surrogate)"
        if wrong := _named(ServiceProblemDetail(what, where) for where in unstorable(content)):
            raise ServiceProblem(HTTPStatus.BAD_REQUEST, "The body holds characters that no text has.", wrong=wrong)
    known: Json = content  # an object once its shape is checked
    return known


def _named(found: Iterator[ServiceProblemDetail]) -> list[ServiceProblemDetail]:
    """Return the first errors, at most one for each pointer."""
    first: dict[str | None, ServiceProblemDetail] = {}
    for wrong in found:
        if len(first) == bounds.ERRORS_MAX:
            break
        first.setdefault(wrong.pointer, wrong)
    return list(first.values())


def known_id(value: str) -> str | None:
    """Return the value if it could be an id, else None; overlong or unprintable ones never reach the database."""
    return value if _ID.fullmatch(value) else None


def query(request: Request, name: str) -> str | None:
    """Return a query parameter that may be given once, or None; ServiceProblem 400."""
    values = request.args.getlist(name)
    if len(values) > 1:
        raise refused_parameter(name, "is given more than once")
    return values[0] if values else None


def page_size(request: Request) -> int:
    """Return the `limit` of §4.11; ServiceProblem 400."""
    text = query(request, "limit")
    if text is None:
        return bounds.PAGE_DEFAULT
    if not re.fullmatch(r"[0-9]{1,3}(\.0+)?", text) or not bounds.PAGE_MIN <= float(text) <= bounds.PAGE_MAX:
        raise refused_parameter("limit", f"expected a whole number from {bounds.PAGE_MIN} to {bounds.PAGE_MAX}")
    return int(float(text))


def instant(request: Request, name: str) -> datetime | None:
    """Return a query parameter that is a date-time, or None; ServiceProblem 400."""
    text = query(request, name)
    if text is None:
        return None
    try:
        return _DATE_TIME.validate_python(text)
    except ValidationError:
        raise refused_parameter(name, "expected an ISO 8601 date-time such as 2026-03-01T09:30:00Z") from None


def refused_parameter(name: str, detail: str) -> ServiceProblem:
    """Return a 400 problem that names the parameter."""
    wrong = ServiceProblemDetail(detail, parameter=name)
    return ServiceProblem(HTTPStatus.BAD_REQUEST, f"The query parameter {name} is wrong.", wrong=[wrong])


def refused_reference(member: str, detail: str, *steps: int) -> ServiceProblem:
    """Return a 422 problem: the member refers to something that this tenant does not have."""
    wrong = ServiceProblemDetail(detail, pointer(member, *steps))
    return ServiceProblem(
        HTTPStatus.UNPROCESSABLE_ENTITY, f"{member} names something that does not exist.", wrong=[wrong]
    )


def _raw(request: Request, most: int) -> bytes:
    if request.mimetype != "application/json":
        raise ServiceProblem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "This operation takes application/json.")
    if (request.content_length or 0) > most:  # the gateway has received the body and set its length
        raise RequestEntityTooLarge
    return request.get_data(cache=False)


def _spell_out_instants(content: Json) -> None:
    """Rewrite ISO 8601 date-times that are not RFC 3339 to that format, which the responses promise."""
    entries = [entry for name in ("education", "workExperiences") for entry in content.get(name, [])]
    for where in (content, *entries):
        for name in _INSTANTS:
            text = where.get(name)
            if text is not None and not _RFC_3339.fullmatch(text):
                where[name] = stamp(_DATE_TIME.validate_python(text))


def _shape_errors(shape: type[Write], raw: bytes) -> Iterator[ServiceProblemDetail]:
    try:
        shape.model_validate_json(raw)
    except ValidationError as exc:
        for error in exc.errors(include_input=False, include_url=False, include_context=False):
            if error["type"] == "json_invalid":
                raise ServiceProblem(HTTPStatus.BAD_REQUEST, "The body is not JSON in UTF-8.") from None
            yield ServiceProblemDetail(_words(error["type"], error["msg"]), pointer(*error["loc"]))


def _words(kind: str, message: str) -> str:
    known = {"missing": "is required", "extra_forbidden": "is not a member of this body"}
    return known.get(kind, message[:1].lower() + message[1:])


def _format_errors(content: Json) -> Iterator[ServiceProblemDetail]:
    """Yield errors of email and URI formats; skips values of a wrong shape, which are already reported."""
    if not isinstance(content, dict):
        return
    if not _is_email(content.get("email")):
        yield ServiceProblemDetail("expected an e-mail address", pointer("email"))
    if not _is_uri(content.get("networkUrl")):
        yield ServiceProblemDetail("expected a URI such as https://example.org/me", pointer("networkUrl"))
    emails = content.get("emails")
    for index, entry in enumerate(emails if isinstance(emails, list) else []):
        if isinstance(entry, dict) and not _is_email(entry.get("email")):
            yield ServiceProblemDetail("expected an e-mail address", pointer("emails", index, "email"))


def _is_email(value: object) -> bool:
    if not isinstance(value, str):
        return True
    local, _, domain = value.rpartition("@")
    if len(local.encode()) > _LOCAL_MOST or len(domain) > _DOMAIN_MOST:
        return False
    return bool(_LOCAL.fullmatch(local)) and bool(_DOMAIN.fullmatch(domain))


def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or _URI.fullmatch(value) is not None


def unstorable(content: object) -> Iterator[str]:
    """Yield pointers to strings with NUL or a lone surrogate. Iterative, because senders decide how deep they nest."""
    open_ends: list[tuple[tuple[str | int, ...], object]] = [((), content)]
    while open_ends:
        where, value = open_ends.pop()
        if isinstance(value, str):
            if re.search(r"[\x00\ud800-\udfff]", value):
                yield pointer(*where)
        elif isinstance(value, list):
            open_ends += [((*where, index), entry) for index, entry in enumerate(value)]
        elif isinstance(value, dict):
            if any(re.search(r"[\x00\ud800-\udfff]", name) for name in value):
                yield pointer(*where)
            open_ends += [((*where, name), entry) for name, entry in value.items() if name.isprintable()]
