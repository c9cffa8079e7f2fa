"""Towns with coordinates, offline: GeoNames' towns of 15,000 people and more, by all of their names.

tools/gazetteer.py generates two files. places.tsv.gz: a line for each town (country, latitude, longitude), the most
populous first; an empty line; a line for each name, in the form of name_key and in order of its UTF-8 bytes, with the
ranks of its towns, from 0. shown.tsv.gz: a line for each town in order of rank: the code of its region, its name, and
for large ones other names in Latin and Arabic letters.
"""

import heapq
import math
import re
from array import array
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from portal.jobs.places.country import country_code
from portal.jobs.places.regions import find_regions
from portal.jobs.places.sorted_lines import SortedLines, unpacked
from portal.jobs.search.folding import name_key

EARTH_KM = 6_371.0
FILE = "places.tsv.gz"
SHOWN = "shown.tsv.gz"
_LOOKED_AT = 400
"""Largest number of towns that a prefix returns, the most populous ones."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A position in degrees. `country` is ISO 3166-1 alpha-2. rank: by population, from 0; -1 if unknown."""

    latitude: float
    longitude: float
    country: str = ""
    rank: int = -1


def find_place(name: str, countries: Collection[str] = ()) -> Spot | None:
    """Return the town of that name; "Cambridge, US" and "Cambridge, Massachusetts" select one.

    Of several, one in `countries` is preferred, then the most populous one.
    """
    return next(iter(find_places(name, countries)), None)


def find_places(name: str, countries: Collection[str] = ()) -> list[Spot]:
    """Return all towns of that name, in the order of find_place."""
    bare, *about = name.split(",")
    found = _loaded().named(bare)
    for qualifier in about:
        found = _of(found, qualifier)
    return sorted(found, key=lambda spot: (spot.country not in countries, spot.rank))


def _of(spots: list[Spot], qualifier: str) -> list[Spot]:
    """Return those in the country or region; all if the text names neither."""
    code, regions = country_code(qualifier), {each.code for each in find_regions(qualifier)}
    short = qualifier.strip().upper()
    some = [
        spot
        for spot in spots
        if spot.country == code or region_of(spot) in regions or region_of(spot) == f"{spot.country}-{short}"
    ]
    return some if some or code or regions else spots


@lru_cache(maxsize=20_000)
def town(city: str, country: str) -> Spot | None:
    """Return the town where a job is, by city and country of its record; None if it is unknown."""
    spot = find_place(city, {country} if country else ()) if city else None
    return spot if spot and spot.country == (country or spot.country) else None


def beginning(name: str, countries: Collection[str] = ()) -> list[Spot]:
    """Return towns with a name that has this prefix, in the order of find_place."""
    found = _loaded().beginning(name)
    return sorted(found, key=lambda spot: (spot.country not in countries, spot.rank))


def keys_beginning(name: str) -> list[str]:
    """Return names of towns with this prefix, in the form of name_key."""
    return _loaded().keys(name)


def region_of(spot: Spot) -> str:
    """Return the code of its region; "" if it is unknown."""
    return _about(spot)[0]


def name_of(spot: Spot, typed: str = "") -> str:
    """Return its name; of several, one that begins with the typed text."""
    _, name, *others = _about(spot)
    key = name_key(typed)
    return next((each for each in (name, *others) if name_key(each).startswith(key)), name)


def _about(spot: Spot) -> list[str]:
    return _shown()[spot.rank].decode().split("\t") if spot.rank >= 0 else ["", ""]


def unit_vector(latitude: float, longitude: float) -> tuple[float, float, float]:
    """Return the position on the unit sphere: distances become sums of squares, which every database can compute."""
    lat, lon = math.radians(latitude), math.radians(longitude)
    return math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)


def chord_squared(km: float) -> float:
    """Return the squared straight distance between two points of the unit sphere that are `km` apart on the ground."""
    return (2 * math.sin(min(km / EARTH_KM, math.pi) / 2)) ** 2


def kilometres(one: Iterable[float], other: Iterable[float]) -> float:
    """Return the distance on the ground between two points of the unit sphere."""
    return 2 * EARTH_KM * math.asin(min(1.0, math.dist(tuple(one), tuple(other)) / 2))


class _Index:
    """The file's content, searched as text; takes 6 MB of memory."""

    def __init__(self, text: bytes) -> None:
        places, _, names = text.partition(b"\n\n")
        self._names = SortedLines(names)
        rows = [line.split("\t") for line in places.decode("ascii").split("\n")]
        self._countries = "".join(country for country, _, _ in rows)
        self._latitudes = array("f", (float(latitude) for _, latitude, _ in rows))
        self._longitudes = array("f", (float(longitude) for _, _, longitude in rows))

    def named(self, name: str) -> list[Spot]:
        """Return all towns of that name, the most populous first."""
        wanted = f"{name_key(name)}\t".encode()
        line = self._names.line(wanted)
        return [self._spot(int(rank)) for rank in line.removeprefix(wanted).split()] if line.startswith(wanted) else []

    def beginning(self, name: str) -> list[Spot]:
        """Return the most populous towns with a name that has this prefix."""
        key = name_key(name).encode()
        ranks = {int(rank) for line in re.findall(rb"\t([\d ]+)\n", self._names.block(key)) for rank in line.split()}
        return [self._spot(rank) for rank in heapq.nsmallest(_LOOKED_AT, ranks if key else ())]

    def keys(self, name: str) -> list[str]:
        """Return names with this prefix."""
        key = name_key(name).encode()
        return re.findall(r"^[^\t\n]+", self._names.block(key).decode(), re.MULTILINE) if key else []

    def _spot(self, rank: int) -> Spot:
        country = self._countries[2 * rank : 2 * rank + 2]
        return Spot(self._latitudes[rank], self._longitudes[rank], country, rank)


@cache
def _loaded() -> _Index:
    return _Index(unpacked(FILE))


@cache
def _shown() -> list[bytes]:
    return unpacked(SHOWN).split(b"\n")
