"""Countries of ISO 3166-1 alpha-2, named in the page's language."""

import re
import unicodedata
from functools import lru_cache

from babel import Locale

from portal import normal_forms
from portal.web.fields.refusal import Reason, Refused

_NOT_COUNTRIES = frozenset(["AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "XK", "ZZ"])
"""Two letters in Unicode's data that ISO 3166-1 does not assign: groupings, islands of a country, pseudo-locales."""

_LAST_LETTERS = {"sv": "åäö", "fi": "åäö", "da": "æøå", "nb": "æøå", "nn": "æøå"}
"""Letters that come after z, in order. Python has no collation without ICU; with accents folded this is near enough."""


@lru_cache(maxsize=64)
def names(locale: str) -> tuple[tuple[str, str], ...]:
    """(code, name) of every country, in the order of a dictionary of that language. locale: as Babel writes it."""
    parsed = Locale.parse(locale)
    last = _LAST_LETTERS.get(parsed.language, "")
    after_z = str.maketrans({letter: chr(0x7B + place) for place, letter in enumerate(last)})

    def order(entry: tuple[str, str]) -> str:
        folded = normal_forms.composed(entry[1]).casefold().translate(after_z)
        return "".join(c for c in normal_forms.taken_apart(folded) if not unicodedata.combining(c))

    every = {**Locale.parse("en").territories, **parsed.territories}
    return tuple(sorted(((code, name) for code, name in every.items() if _is_country(code)), key=order))


def parse(typed: str) -> str | None:
    """The code, or None where nothing was chosen. Raises Refused."""
    code = typed.strip().upper()
    if not code:
        return None
    # ß becomes SS in capitals, which is South Sudan.
    if not (typed.isascii() and _is_country(code) and code in Locale.parse("en").territories):
        raise Refused(Reason.COUNTRY)
    return code


def _is_country(code: str) -> bool:
    return re.fullmatch(r"[A-Z]{2}", code) is not None and code not in _NOT_COUNTRIES
