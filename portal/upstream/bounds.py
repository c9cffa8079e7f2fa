"""How much an answer may hold, told before it is parsed and before it is validated.

Bytes alone do not say it: 18 MB of `{}` became a gigabyte of memory and a minute of validating.
"""

import re

ANSWER_MOST = 1_500_000
"""Pieces of an answer that is not a page, such as all applications of a vacancy (§4.6): thousands of them."""
RECORD_MOST = 15_000
"""Pieces of one record in a page."""
VALUES_MOST = 5_000
"""Values in one record of a page, however they are nested: a thousand addresses, with all that belongs to them."""
DEPTH_MOST = 32
"""Lists and objects within each other. The interface has eight."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def too_many_pieces(body: bytes, most: int) -> bool:
    """Whether JSON has more strings, commas and openings of lists and objects than `most`. What is none is counted too.

    In as many steps as `most`, however long the body is and whatever it holds.
    """
    if sum(map(body.count, (b'"', b",", b"[", b"{"))) <= most:
        return False
    found = end = 0
    for string in _STRING.finditer(body):
        found += 1 + _marks(body, end, string.start())
        end = string.end()
        if found > most:
            return True
    return found + _marks(body, end, len(body)) > most


def problem_of(content: object, *, most: int) -> str | None:
    """Why a parsed value is larger or deeper than any record is; None where it is not."""
    left = most
    level = [content]
    for _ in range(DEPTH_MOST):
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
    return f"it is nested more than {DEPTH_MOST} deep"


def _marks(body: bytes, start: int, end: int) -> int:
    return body.count(b",", start, end) + body.count(b"[", start, end) + body.count(b"{", start, end)
