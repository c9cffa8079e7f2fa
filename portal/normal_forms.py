"""Unicode's normal forms in time that grows with the text alone: the one place where text is normalised.

Putting combining marks into their order takes time with the square of how many follow each other: NFC of 256 KB of
them is half a minute in which no other thread runs. No language writes more than a few on one letter. So marks beyond
the thirtieth in a row are left out first, which is the bound of Unicode's own stream-safe text (UAX #15, §13).
"""

import unicodedata

MARKS_MOST = 30
"""On one letter."""

_ALSO_MARKS = frozenset("\u0f73\u0f75\u0f81\uff9e\uff9f")
"""Counted as letters until they are taken apart into marks."""


def composed(text: str) -> str:
    """NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", _within_bounds(text))  # noqa: TID251  bounded


def taken_apart(text: str) -> str:
    """NFKD."""
    return text if text.isascii() else unicodedata.normalize("NFKD", _within_bounds(text))  # noqa: TID251  bounded


def is_mark(char: str) -> bool:
    """Whether it can stand in the run of marks behind a letter, in any normal form."""
    return unicodedata.combining(char) > 0 or char in _ALSO_MARKS


def overloaded(text: str) -> bool:
    """Whether more marks than that stand on one letter, so that normalising leaves some out."""
    return not text.isascii() and len(_within_bounds(text)) != len(text)


def _within_bounds(text: str) -> str:
    if len(text) <= MARKS_MOST:
        return text
    kept, run = [], 0
    combining, also = unicodedata.combining, _ALSO_MARKS
    for char in text:
        run = run + 1 if combining(char) or char in also else 0
        if run <= MARKS_MOST:
            kept.append(char)
    return "".join(kept)
