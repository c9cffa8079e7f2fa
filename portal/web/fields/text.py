"""Text from a form, made one thing: decoded once, trimmed, NFC, measured, and free of what cannot be seen."""

import unicodedata

from portal.web.fields.refusal import Reason, Refused

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_BIDI_CONTROLS = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Embeddings, overrides and isolates reorder what follows them. The marks U+200E, U+200F and U+061C do not; and the
joiners U+200C and U+200D are how some names are spelt, so both stay."""

_UNSEEN = frozenset({"Cc", "Cs", "Zl", "Zp"})


def decode(raw: bytes) -> str:
    """The bytes as UTF-8. What is not UTF-8 becomes U+FFFD, which single_line refuses: the rest can be shown again."""
    return raw.decode("utf-8", "replace")


def length(text: str) -> int:
    """In UTF-16 units, of which there are never fewer than code points: whoever counts either way accepts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def single_line(typed: str, *, longest: int) -> str:
    """Trimmed and NFC, at most `longest`; empty where nothing was given. Raises Refused.

    Single-line: no control characters, NUL, line ends, lone surrogates, bidirectional controls.
    """
    text = unicodedata.normalize("NFC", typed.strip())
    if REPLACEMENT in text:
        raise Refused(Reason.NOT_UTF8)
    if any(_refused(char) for char in text):
        raise Refused(Reason.INVISIBLE)
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
    return "".join(REPLACEMENT if _refused(char) else char for char in typed)


def _refused(char: str) -> bool:
    return char in _BIDI_CONTROLS or unicodedata.category(char) in _UNSEEN


def _blank(text: str) -> bool:
    return all(unicodedata.category(char) in {"Cf", "Zs"} for char in text)
