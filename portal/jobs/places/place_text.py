"""Places in the words of a page: names of cities in its language, and parts of an address in one line.

Names are CLDR's for cities that name a time zone, and of city_names.txt for others that many postings in Europe are in.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

from babel import Locale
from babel.core import get_global

from portal.jobs.places.places import city_key
from portal.jobs.places.sorted_lines import translated

_ARABIC = re.compile(r"[\u0620-\u064a\u066e-\u06d3\u0750-\u077f\u08a0-\u08c9]")
_LETTER = re.compile(r"[^\W\d_]")
_COMMAS = {True: "، ", False: ", "}


def city(place: str, written: str, locale: Locale) -> str:
    """Return a city's name in the language, or `written` if it is unknown. place: as places.city_key returns."""
    return _called(locale.language).get(place, written)


@cache
def _called(language: str) -> dict[str, str]:
    zones, english = Locale(language).time_zones, Locale("en").time_zones
    found: dict[str, str] = {}
    for zone, country in get_global("zone_territories").items():
        if "city" in zones.get(zone, {}) or language == "en":
            own = zone.rpartition("/")[2].replace("_", " ")
            plain = english.get(zone, {}).get("city", own)
            found[city_key(country, plain)] = zones.get(zone, {}).get("city", plain)
    for (line, spoken), name in translated("city_names.txt").items():
        if spoken == language:
            found[city_key(line[:2], line[3:])] = name
    return found


def address_line(parts: Iterable[str], *, in_arabic: bool) -> str:
    """Return the parts in one line. in_arabic: whether the page is, for commas between parts in different scripts."""
    given = list(parts)
    return "".join([*given[:1], *(_comma(one, other, in_arabic=in_arabic) + other for one, other in pairwise(given))])


def _comma(one: str, other: str, *, in_arabic: bool) -> str:
    scripts = {bool(_ARABIC.search(part)) for part in (one, other) if _LETTER.search(part)}
    return _COMMAS[scripts.pop() if len(scripts) == 1 else in_arabic]
