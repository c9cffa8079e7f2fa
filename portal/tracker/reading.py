"""Bodies and queries at the edge: read within limits, checked against the contract, refused with what is wrong."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from http import HTTPStatus

from flask import Request
from pydantic import TypeAdapter, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from portal.contract import limits
from portal.contract.model import SentTimestamp, Write
from portal.tracker.problems import Problem, Wrong, pointer
from portal.tracker.shapes import Json
from portal.tracker.turns import stamp

BODY_MOST = 1_048_576
_ID = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})+"
    r"(?:#(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?"
)
# RFC 5321 §4.1.2 with RFC 6531's other scripts. Whether a domain could receive mail is the sender's affair.
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\x80-\U0010ffff-]+"
_LOCAL = re.compile(rf'{_ATOM}(\.{_ATOM})*|"([ !#-\[\]-~\x80-\U0010ffff]|\\[ -~])*"')
_LABEL = r"[A-Za-z0-9\x80-\U0010ffff]([A-Za-z0-9\x80-\U0010ffff-]{0,61}[A-Za-z0-9\x80-\U0010ffff])?"
_DOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*|\[[0-9A-Za-z:.]+\]")
_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})", re.ASCII)
_INSTANTS = ("startAt", "endAt", "dateOfBirth", "startDate", "endDate")
_DATE_TIME: TypeAdapter[datetime] = TypeAdapter(SentTimestamp)


def body(request: Request, shape: type[Write]) -> Json:
    """The JSON object that was sent, known to have this shape; Problem 400, 413, 415 or 422."""
    raw = _raw(request)
    content = parsed(raw)
    wrong = [*_shape_errors(shape, raw)]
    wrong += [found for found in _format_errors(content) if all(found.pointer != known.pointer for known in wrong)]
    if wrong:
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "The body is not what this operation takes.", wrong=wrong)
    _spell_out_instants(content)
    return content


def parsed(raw: bytes) -> Json:
    """A JSON value of which every string can be stored; Problem 400."""
    try:
        text = raw.decode("utf-8")
        content = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        raise Problem(HTTPStatus.BAD_REQUEST, "The body is not JSON in UTF-8.") from None
    if "\\u" in text:
        wrong = [Wrong("holds NUL or half a character (a lone surrogate)", where) for where in unstorable(content)]
        if wrong:
            raise Problem(HTTPStatus.BAD_REQUEST, "The body holds characters that no text has.", wrong=wrong)
    known: Json = content  # an object once its shape is checked
    return known


def known_id(value: str) -> str | None:
    """An id that something could have, else None: too long or unprintable ones never reach the database."""
    return value if _ID.fullmatch(value) else None


def query(request: Request, name: str) -> str | None:
    """A query parameter that may be given once; Problem 400."""
    values = request.args.getlist(name)
    if len(values) > 1:
        raise refused_parameter(name, "is given more than once")
    return values[0] if values else None


def page_size(request: Request) -> int:
    """`limit` of §4.11."""
    text = query(request, "limit")
    if text is None:
        return limits.PAGE_DEFAULT
    if not re.fullmatch(r"[0-9]{1,3}(\.0+)?", text) or not limits.PAGE_MIN <= float(text) <= limits.PAGE_MAX:
        raise refused_parameter("limit", f"expected a whole number from {limits.PAGE_MIN} to {limits.PAGE_MAX}")
    return int(float(text))


def instant(request: Request, name: str) -> datetime | None:
    """A query parameter that is a date-time."""
    text = query(request, name)
    if text is None:
        return None
    try:
        return _DATE_TIME.validate_python(text)
    except ValidationError:
        raise refused_parameter(name, "expected an ISO 8601 date-time such as 2026-03-01T09:30:00Z") from None


def refused_parameter(name: str, detail: str) -> Problem:
    """400, naming the parameter."""
    wrong = Wrong(detail, parameter=name)
    return Problem(HTTPStatus.BAD_REQUEST, f"The query parameter {name} is wrong.", wrong=[wrong])


def refused_reference(member: str, detail: str, *steps: int) -> Problem:
    """422: the member names something that this tenant does not have."""
    wrong = Wrong(detail, pointer(member, *steps))
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, f"{member} names something that does not exist.", wrong=[wrong])


def _raw(request: Request) -> bytes:
    if request.mimetype != "application/json":
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "This operation takes application/json.")
    # One byte more is let through than is taken: Werkzeug cuts a body of unknown length off at its limit, silently.
    raw = request.get_data(cache=False)
    if len(raw) > BODY_MOST:
        raise RequestEntityTooLarge
    return raw


def _spell_out_instants(content: Json) -> None:
    """An ISO 8601 date-time that is not RFC 3339 as well is kept as one that is, for that is what answers promise."""
    entries = [entry for name in ("education", "workExperiences") for entry in content.get(name, [])]
    for where in (content, *entries):
        for name in _INSTANTS:
            text = where.get(name)
            if text is not None and not _RFC_3339.fullmatch(text):
                where[name] = stamp(_DATE_TIME.validate_python(text))


def _shape_errors(shape: type[Write], raw: bytes) -> Iterator[Wrong]:
    try:
        shape.model_validate_json(raw)
    except ValidationError as exc:
        for error in exc.errors(include_input=False, include_url=False, include_context=False):
            if error["type"] == "json_invalid":
                raise Problem(HTTPStatus.BAD_REQUEST, "The body is not JSON, or nested too deeply.") from None
            yield Wrong(_words(error["type"], error["msg"]), pointer(*error["loc"]))


def _words(kind: str, message: str) -> str:
    known = {"missing": "is required", "extra_forbidden": "is not a member of this body"}
    return known.get(kind, message[:1].lower() + message[1:])


def _format_errors(content: Json) -> Iterator[Wrong]:
    """E-mail and URI formats; shapes that are wrong are skipped, they are reported already."""
    if not isinstance(content, dict):
        return
    if not _is_email(content.get("email")):
        yield Wrong("expected an e-mail address", pointer("email"))
    if not _is_uri(content.get("networkUrl")):
        yield Wrong("expected a URI such as https://example.org/me", pointer("networkUrl"))
    emails = content.get("emails")
    for index, entry in enumerate(emails if isinstance(emails, list) else []):
        if isinstance(entry, dict) and not _is_email(entry.get("email")):
            yield Wrong("expected an e-mail address", pointer("emails", index, "email"))


def _is_email(value: object) -> bool:
    if not isinstance(value, str):
        return True
    local, _, domain = value.rpartition("@")
    return len(local.encode()) <= 64 and bool(_LOCAL.fullmatch(local)) and bool(_DOMAIN.fullmatch(domain))


def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or _URI.fullmatch(value) is not None


def _no_number(_name: str) -> object:
    raise ValueError("NaN and Infinity are not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise ValueError("a number beyond what can be kept")
    return number


def unstorable(content: object) -> Iterator[str]:
    """Where strings hold NUL or a lone surrogate; iterative, since nesting is the sender's choice."""
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
