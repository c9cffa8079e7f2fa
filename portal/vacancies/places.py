"""One place is one choice, however companies spell it.

A place is the gazetteer's where it knows the name in that country, else the name as it is written there.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from portal.vacancies.folding import folded
from portal.vacancies.gazetteer import Spot, find_place
from portal.vacancies.name_key import name_key
from portal.vacancies.reach import is_reach

Pair = tuple[str, str]
"""Country and city, as they are stored."""


@lru_cache(maxsize=50_000)
def place_of(country: str, city: str) -> str:
    """Which place it is, for comparing only; '' where a city is not said, or is none."""
    if not city or is_reach(city):
        return ""
    spot = find_place(city, (country,) if country else ())
    if spot is None or (country and spot.country != country):
        return f"{country}\n{name_key(city)}"
    return spot_key(spot)


def spot_key(spot: Spot) -> str:
    """The place that a spot of the gazetteer is, as place_of has it."""
    return f"{spot.country}\n{spot.latitude:.3f},{spot.longitude:.3f}"


def names_of(pairs: Mapping[Pair, int]) -> dict[str, str]:
    """What each place is called: as it is written most, with its country where two are written the same.

    pairs: how many jobs are written so.
    """
    spelt: dict[str, Counter[str]] = {}
    for (country, city), n in pairs.items():
        if place := place_of(country, city):
            spelt.setdefault(place, Counter())[city] += n
    best = {place: min(its, key=lambda city: (-its[city], city)) for place, its in spelt.items()}
    shared = Counter(map(folded, best.values()))
    return {
        place: city if shared[folded(city)] == 1 else ", ".join(filter(None, (city, place.partition("\n")[0])))
        for place, city in best.items()
    }


def meant(wanted: Iterable[str], pairs: Collection[Pair]) -> dict[str, set[str]]:
    """What visitors may mean of the places that are known: value → places. Spellings, or any name on the map."""
    spelt: dict[str, set[str]] = {}
    for country, city in pairs:
        if place := place_of(country, city):
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
