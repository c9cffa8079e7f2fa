"""Text from a form: decoded once, trimmed, normalised to NFC, measured, and checked for invisible characters."""

import re
import unicodedata

from portal.platform.crypto import normal_forms
from portal.site.forms.fields.refusal import FieldError, Refused

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_REFUSED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Controls, lone surrogates, line and paragraph separators; and embeddings, overrides and isolates, which reorder what
follows them. The marks U+200E, U+200F and U+061C do not reorder, and the joiners U+200C and U+200D are part of how some
names are spelt, so all of these are accepted.
"""

_COMPOSES_TO = 4
"""NFC composes at most four characters into one: text longer than four times a limit cannot become short enough."""


def decode(raw: bytes) -> str:
    """Decode UTF-8. Invalid bytes become U+FFFD, which single_line rejects; so everything else can be shown again."""
    return raw.decode("utf-8", "replace")


def length(text: str) -> int:
    """Return the length in UTF-16 units, which is never below that in code points, so it is safe for either count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def single_line(typed: str, *, longest: int) -> str:
    """Return the text trimmed and in NFC, at most `longest`; "" if nothing was given. Raises Refused.

    Single-line: no control characters, NUL, line ends, lone surrogates, bidirectional controls. Text that cannot fit is
    not examined further.
    """
    trimmed = typed.strip()
    if length(trimmed) > _COMPOSES_TO * longest:
        raise Refused(FieldError.TOO_LONG, limit=longest)
    if REPLACEMENT in trimmed:
        raise Refused(FieldError.NOT_UTF8)
    if _REFUSED.search(trimmed):
        raise Refused(FieldError.INVISIBLE)
    if normal_forms.overloaded(trimmed):
        raise Refused(FieldError.MARKS)
    text = normal_forms.composed(trimmed)
    if length(text) > longest:
        raise Refused(FieldError.TOO_LONG, limit=longest)
    return "" if _blank(text) else text


def required(typed: str, *, longest: int) -> str:
    """Return the same as single_line; raise Refused if nothing visible was given."""
    text = single_line(typed, longest=longest)
    if not text:
        raise Refused(FieldError.MISSING)
    return text


def paragraphs(typed: str, *, longest: int) -> str:
    """Return text of several lines, each as single_line returns it. Raises Refused, also if nothing is visible."""
    lines = [single_line(line, longest=longest) for line in typed.strip().split("\n")[: longest + 1]]
    text = "\n".join(lines)
    if length(text) > longest:
        raise Refused(FieldError.TOO_LONG, limit=longest)
    if not text.strip():
        raise Refused(FieldError.MISSING)
    return text


def displayable(typed: str) -> str:
    """Return what was typed, for showing again; what single_line would reject is U+FFFD, visible and removable."""
    return _REFUSED.sub(REPLACEMENT, typed)


def displayable_lines(typed: str) -> str:
    """Return the same for text of several lines."""
    return "\n".join(map(displayable, typed.split("\n")))


def _blank(text: str) -> bool:
    return all(unicodedata.category(char) in {"Cf", "Zs"} for char in text)
