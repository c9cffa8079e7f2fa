"""Recognises different spellings of one city, so that a filter offers it once.

A city is identified by the gazetteer if that has the name in its country, otherwise by country and name.

Also places in the words of a page: names of cities in its language, and parts of an address in one line. Names are
CLDR's for cities that name a time zone, and of city_names.txt for others that many postings in Europe are in.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise

from babel import Locale
from babel.core import get_global

from portal.jobs.places.gazetteer import Spot, find_place
from portal.jobs.places.reach import is_reach
from portal.jobs.places.sorted_lines import translated
from portal.jobs.search.folding import folded, name_key

Pair = tuple[str, str]
"""Country and city, as stored."""


@lru_cache(maxsize=50_000)
def city_key(country: str, city: str) -> str:
    """Return an identifier of the city, for comparing only; '' if the text is empty or names no city."""
    if not city or is_reach(city):
        return ""
    spot = find_place(city, (country,) if country else ())
    if spot is None or (country and spot.country != country):
        return f"{country}\n{name_key(city)}"
    return spot_key(spot)


def spot_key(spot: Spot) -> str:
    """Return the same identifier for a position in the gazetteer."""
    return f"{spot.country}\n{spot.latitude:.3f},{spot.longitude:.3f}"


def names_of(pairs: Mapping[Pair, int]) -> dict[str, str]:
    """Return each city's name: its most frequent spelling, with the country if two cities are spelt the same.

    pairs: number of jobs for each spelling.
    """
    spelt: dict[str, Counter[str]] = {}
    for (country, city), n in pairs.items():
        if place := city_key(country, city):
            spelt.setdefault(place, Counter())[city] += n
    best = {place: min(its, key=lambda city: (-its[city], city)) for place, its in spelt.items()}
    shared = Counter(map(folded, best.values()))
    return {
        place: city if shared[folded(city)] == 1 else ", ".join(filter(None, (city, place.partition("\n")[0])))
        for place, city in best.items()
    }


def cities_meant_by(wanted: Iterable[str], pairs: Collection[Pair]) -> dict[str, set[str]]:
    """Return which known cities the requested values mean: value → cities. Values: spellings, or names on the map."""
    spelt: dict[str, set[str]] = {}
    for country, city in pairs:
        if place := city_key(country, city):
            for name in (city, f"{city}, {country}", f"{city}, {place.partition(chr(10))[0]}"):
                spelt.setdefault(folded(name), set()).add(place)
    countries = {country for country, _ in pairs}
    known = {place for its in spelt.values() for place in its}
    found: dict[str, set[str]] = {}
    for value in wanted:
        its = spelt.get(folded(value))
        if its is None and (spot := find_place(value, countries)):
            its = {spot_key(spot)} & known
        if its:
            found[value] = its
    return found


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
