"""Countries of ISO 3166-1 alpha-2, named in the page's language."""

import re
import unicodedata
from functools import lru_cache

from babel import Locale

from portal.platform.crypto import normal_forms
from portal.site.forms.fields.refusal import FieldError, Refused

_NOT_COUNTRIES = frozenset(["AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "XK", "ZZ"])
"""Two-letter codes in Unicode's data that ISO 3166-1 does not assign: groupings, islands, pseudo-locales."""

_LAST_LETTERS = {"sv": "åäö", "fi": "åäö", "da": "æøå", "nb": "æøå", "nn": "æøå"}
"""Letters that sort after z, in order. Without ICU Python has no collation; removing accents is close enough."""


@lru_cache(maxsize=64)
def names(locale: str) -> tuple[tuple[str, str], ...]:
    """Return (code, name) of every country, in alphabetical order of that language. locale: as Babel writes it."""
    parsed = Locale.parse(locale)
    last = _LAST_LETTERS.get(parsed.language, "")
    after_z = str.maketrans({letter: chr(0x7B + place) for place, letter in enumerate(last)})

    def order(entry: tuple[str, str]) -> str:
        folded = normal_forms.composed(entry[1]).casefold().translate(after_z)
        return "".join(c for c in normal_forms.decomposed(folded) if not unicodedata.combining(c))

    every = {**Locale.parse("en").territories, **parsed.territories}
    return tuple(sorted(((code, name) for code, name in every.items() if _is_country(code)), key=order))


def parse(typed: str) -> str | None:
    """Return the code, None if nothing was chosen. Raises Refused."""
    code = typed.strip().upper()
    if not code:
        return None
    # isascii, because ß becomes SS in capitals, which is South Sudan.
    if not (typed.isascii() and _is_country(code) and code in Locale.parse("en").territories):
        raise Refused(FieldError.COUNTRY)
    return code


def _is_country(code: str) -> bool:
    return re.fullmatch(r"[A-Z]{2}", code) is not None and code not in _NOT_COUNTRIES
