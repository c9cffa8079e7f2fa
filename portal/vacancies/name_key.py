"""What spellings of a place's name are compared by."""

import unicodedata

from portal.normal_forms import taken_apart


def name_key(name: str) -> str:
    """What spellings of one name have in common: letters and digits, without case and accents."""
    text = name.lower()
    if not text.isascii():
        text = "".join(c for c in taken_apart(text.casefold()) if not unicodedata.combining(c))
    return "".join(filter(str.isalnum, text))
