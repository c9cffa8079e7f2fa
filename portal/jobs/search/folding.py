"""Text of any script → lower-case ASCII, for comparing words, locations and filter values."""

import unicodedata
from functools import lru_cache

from anyascii import anyascii

from portal.platform.crypto.normal_forms import decomposed


def folded(text: str) -> str:
    """Return text without accents, case and outer spaces, other scripts transliterated: "Köln" → "koln".

    "Инженер" becomes "inzhener". The reading of each Chinese character becomes a separate word. Emoji are removed.
    """
    lower = text.lower()
    return (lower if lower.isascii() else "".join(map(_letter, lower))).strip()


@lru_cache(maxsize=10_000)
def _letter(character: str) -> str:
    if unicodedata.category(character) == "So":  # otherwise emoji and flags would be replaced by their names
        return ""
    ends_a_word = unicodedata.name(character, "").startswith("CJK ")
    return anyascii(character).lower() + (" " if ends_a_word else "")


def name_key(name: str) -> str:
    """Return the letters and digits of a name, without case and accents."""
    text = name.lower()
    if not text.isascii():
        text = "".join(c for c in decomposed(text.casefold()) if not unicodedata.combining(c))
    return "".join(filter(str.isalnum, text))
