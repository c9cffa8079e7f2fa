"""The form of a location's name in which spellings are compared."""

import unicodedata

from portal.platform.crypto.normal_forms import taken_apart


def name_key(name: str) -> str:
    """Return the letters and digits of a name, without case and accents."""
    text = name.lower()
    if not text.isascii():
        text = "".join(c for c in taken_apart(text.casefold()) if not unicodedata.combining(c))
    return "".join(filter(str.isalnum, text))
