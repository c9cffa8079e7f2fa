"""Text from a form, made one thing: decoded once, trimmed, NFC, measured, and free of what cannot be seen."""

import re
import unicodedata

from portal import normal_forms
from portal.web.fields.refusal import Reason, Refused

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_REFUSED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Controls, lone surrogates, line and paragraph ends; and embeddings, overrides and isolates, which reorder what
follows them. The marks U+200E, U+200F and U+061C do not, and the joiners U+200C and U+200D are how some names are
spelt, so they stay."""

_COMPOSES_TO = 4
"""NFC makes one character of up to four: what is longer by more than that cannot become short enough."""


def decode(raw: bytes) -> str:
    """The bytes as UTF-8. What is not UTF-8 becomes U+FFFD, which single_line refuses: the rest can be shown again."""
    return raw.decode("utf-8", "replace")


def length(text: str) -> int:
    """In UTF-16 units, of which there are never fewer than code points: whoever counts either way accepts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def single_line(typed: str, *, longest: int) -> str:
    """Trimmed and NFC, at most `longest`; empty where nothing was given. Raises Refused.

    Single-line: no control characters, NUL, line ends, lone surrogates, bidirectional controls. What cannot fit is not
    looked at more closely.
    """
    trimmed = typed.strip()
    if length(trimmed) > _COMPOSES_TO * longest:
        raise Refused(Reason.TOO_LONG, limit=longest)
    if REPLACEMENT in trimmed:
        raise Refused(Reason.NOT_UTF8)
    if _REFUSED.search(trimmed):
        raise Refused(Reason.INVISIBLE)
    if normal_forms.overloaded(trimmed):
        raise Refused(Reason.MARKS)
    text = normal_forms.composed(trimmed)
    if length(text) > longest:
        raise Refused(Reason.TOO_LONG, limit=longest)
    return "" if _blank(text) else text


def required(typed: str, *, longest: int) -> str:
    """The same, and there must be something to see."""
    text = single_line(typed, longest=longest)
    if not text:
        raise Refused(Reason.MISSING)
    return text


def displayable(typed: str) -> str:
    """What was typed, for showing again: what would be refused stands as U+FFFD, so that it can be seen and removed."""
    return _REFUSED.sub(REPLACEMENT, typed)


def _blank(text: str) -> bool:
    return all(unicodedata.category(char) in {"Cf", "Zs"} for char in text)
