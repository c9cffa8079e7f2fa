"""Unicode normal forms in linear time: the one place where text is normalised.

Sorting combining marks takes quadratic time in the number of marks in a row: NFC of 256 KB of them takes half a minute
in which no other thread runs. No language writes more than a few on one letter. So marks beyond the thirtieth in a row
are dropped first, which is the limit of Unicode's own stream-safe text format (UAX #15, §13).
"""

import unicodedata

MARKS_MOST = 30
"""Maximum combining marks on one letter."""

_ALSO_MARKS = frozenset("\u0f73\u0f75\u0f81\uff9e\uff9f")
"""Characters that count as letters until they are decomposed into marks."""


def composed(text: str) -> str:
    """Return the text in NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", _within_bounds(text))  # noqa: TID251  bounded


def taken_apart(text: str) -> str:
    """Return the text in NFKD."""
    return text if text.isascii() else unicodedata.normalize("NFKD", _within_bounds(text))  # noqa: TID251  bounded


def is_mark(char: str) -> bool:
    """Return whether the character can be in the run of marks after a letter, in any normal form."""
    return unicodedata.combining(char) > 0 or char in _ALSO_MARKS


def overloaded(text: str) -> bool:
    """Return whether a letter has more than MARKS_MOST marks, so that normalisation drops some."""
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
