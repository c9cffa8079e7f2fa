"""Text of any script → lower-case ASCII: what words, places and values of filters are compared by."""

import unicodedata
from functools import lru_cache

from anyascii import anyascii


def folded(text: str) -> str:
    """Without accents, case and outer spaces, other scripts transliterated: "Köln" → "koln", "Инженер" → "inzhener".

    The reading of each Chinese character is a word of its own. Emoji are left out.
    """
    lower = text.lower()
    return (lower if lower.isascii() else "".join(map(_letter, lower))).strip()


@lru_cache(maxsize=10_000)
def _letter(character: str) -> str:
    if unicodedata.category(character) == "So":  # an emoji's name, or a flag's letters, is nothing that anybody wrote
        return ""
    ends_a_word = unicodedata.name(character, "").startswith("CJK ")
    return anyascii(character).lower() + (" " if ends_a_word else "")
