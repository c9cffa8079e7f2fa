"""The limits of the interface (§8; lengths in characters), and our own on how much JSON may be sent and received.

A size in bytes does not say how much work JSON is: 18 MB of `{}` took a gigabyte of memory and a minute to validate. So
input is measured before it is parsed, and again before it is validated.
"""

import json
import re

PAGE_MIN = 1
PAGE_MAX = 50
PAGE_DEFAULT = 25

NETWORK_URL_MIN = 1
NETWORK_URL_MAX = 2048
NAME_MIN = 1
NAME_MAX = 100
ATTACHMENT_ID_MIN = 1
ATTACHMENT_ID_MAX = 100
EMAIL_MIN = 3
EMAIL_MAX = 254

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,49}")
"""The format of the tenants' slugs that we assign."""
PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
"""The format of a posting's id or a slug in an address, checked before anything is looked up."""

PUBLIC_BODY_MAX = 65_536
"""Bytes of a body sent without an API key (§4.8, §4.10)."""
BODY_MAX = 1_048_576
"""Bytes of a body sent with an API key (§4.4, §4.5)."""
VALUES_MAX = 5_000
"""Values in one body, or in one record of a page, at any depth."""
DEPTH_MAX = 32
"""Nesting depth of lists and objects. The interface needs eight."""
ENTRIES_MAX = 200
"""Entries of one list in a body."""
RECORD_LIST_MAX = VALUES_MAX // 2
"""Entries of one list in a record that is read; more, with any content, would exceed VALUES_MAX."""
APPLICATIONS_MAX = 100_000
"""Applications of one vacancy in the single response of §4.6: several times what a client reads
(RESPONSE_MAX_TOKENS).
"""
ERRORS_MAX = 50
"""Errors that one rejection lists."""
POINTER_MAX = 120
"""Characters of a JSON pointer in a rejection. The longest pointer to a member of the interface has half as many."""

RESPONSE_MAX_TOKENS = 1_500_000
"""Tokens (see too_many_tokens) of a response that is not a page: enough for thousands of applications (§4.6)."""
RECORD_MAX_TOKENS = 3 * VALUES_MAX
"""Tokens of one body, or of one record in a page. A value has at most three: itself, its name, the comma before it."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


class JsonTooLarge(ValueError):
    """JSON with more values than a body may have, or nested too deeply."""


def parsed(raw: bytes) -> object:
    """Parse the JSON value in a body.

    Raises JsonTooLarge; ValueError for anything that is not JSON in UTF-8, or holds NaN or Infinity.
    """
    if too_many_tokens(raw, RECORD_MAX_TOKENS):
        raise JsonTooLarge(f"it holds more than {VALUES_MAX} values")
    try:
        content: object = json.loads(raw.decode("utf-8"), parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise JsonTooLarge(f"it is nested more than {DEPTH_MAX} deep") from None
    problem = problem_of(content, most=VALUES_MAX)
    if problem is not None:
        raise JsonTooLarge(problem)
    return content


def pointer(*steps: str | int) -> str:
    """Return the JSON pointer of a member in fragment form (RFC 6901 §6): `#/emails/0/email`.

    A pointer longer than POINTER_MAX is cut after the last object or list that fits.
    """
    found = "#"
    for step in steps:
        name = str(step)
        if len(found) + len(name) >= POINTER_MAX:
            return found
        longer = f"{found}/" + name.replace("~", "~0").replace("/", "~1")
        if len(longer) > POINTER_MAX:
            return found
        found = longer
    return found


def too_many_tokens(body: bytes, most: int) -> bool:
    """Return whether JSON has more than `most` tokens: strings, commas, and opening brackets or braces.

    Also counts in text that is not JSON. Takes at most `most` steps, whatever the length and content of the body.
    """
    if sum(map(body.count, (b'"', b",", b"[", b"{"))) <= most:
        return False
    found = end = 0
    for string in _STRING.finditer(body):
        found += 1 + _tokens_outside_strings(body, end, string.start())
        end = string.end()
        if found > most:
            return True
    return found + _tokens_outside_strings(body, end, len(body)) > most


def problem_of(content: object, *, most: int) -> str | None:
    """Return why a parsed value has too many values or too much depth for a record, or None."""
    left = most
    level = [content]
    for _ in range(DEPTH_MAX):
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inner.extend(value.values())
            elif isinstance(value, list):
                inner.extend(value)
            if len(inner) > left:
                return f"it holds more than {most} values"
        if not inner:
            return None
        left -= len(inner)
        level = inner
    return f"it is nested more than {DEPTH_MAX} deep"


def _tokens_outside_strings(body: bytes, start: int, end: int) -> int:
    return body.count(b",", start, end) + body.count(b"[", start, end) + body.count(b"{", start, end)


def _no_number(_name: str) -> object:
    raise ValueError("NaN and Infinity are not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise ValueError("a number outside the range of a double")
    return number
