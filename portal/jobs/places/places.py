"""Recognises different spellings of one city, so that a filter offers it once.

A city is identified by the gazetteer if that has the name in its country, otherwise by country and name.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from portal.jobs.places.gazetteer import Spot, find_place
from portal.jobs.places.reach import is_reach
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
