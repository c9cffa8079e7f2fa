"""Names of cities in the language of a page: CLDR's for cities that name a time zone, and city_names.txt for others
that many postings in Europe are in.
"""

from functools import cache

from babel import Locale
from babel.core import get_global

from portal.jobs.places.places import city_key
from portal.jobs.places.sorted_lines import translated


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
