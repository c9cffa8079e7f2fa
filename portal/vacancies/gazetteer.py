"""Where cities are, offline: GeoNames' places of 15,000 people and more, by any of their names.

tools/gazetteer.py makes two files. places.tsv.gz: a line a place (country, latitude, longitude), the most populous
first; an empty line; a line a name, as name_key has it and in the order of its UTF-8 bytes, with the ranks of its
places from 0. shown.tsv.gz: in the order of the ranks, a line a place: the code of its region, its name, and of the
large ones other names in Latin and Arabic letters.
"""

import heapq
import math
import re
from array import array
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from portal.vacancies.country import country_code
from portal.vacancies.name_key import name_key
from portal.vacancies.regions import find_regions
from portal.vacancies.sorted_lines import SortedLines, unpacked

EARTH_KM = 6_371.0
FILE = "places.tsv.gz"
SHOWN = "shown.tsv.gz"
_LOOKED_AT = 400
"""Places that a beginning may mean, the most populous: more is more than anybody reads."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on earth; degrees. `country` is ISO 3166-1 alpha-2. rank: by people, from 0; -1 where we know none."""

    latitude: float
    longitude: float
    country: str = ""
    rank: int = -1


def find_place(name: str, countries: Collection[str] = ()) -> Spot | None:
    """The place of that name; "Cambridge, US" and "Cambridge, Massachusetts" say which.

    Of several, one in `countries` is preferred, then the one where most people live.
    """
    return next(iter(find_places(name, countries)), None)


def find_places(name: str, countries: Collection[str] = ()) -> list[Spot]:
    """Every place of that name, in the order of find_place."""
    bare, *about = name.split(",")
    found = _loaded().named(bare)
    for said in about:
        found = _of(found, said)
    return sorted(found, key=lambda spot: (spot.country not in countries, spot.rank))


def _of(spots: list[Spot], said: str) -> list[Spot]:
    """Those in a country or region; what is neither says nothing."""
    code, regions = country_code(said), {each.code for each in find_regions(said)}
    short = said.strip().upper()
    some = [
        spot
        for spot in spots
        if spot.country == code or region_of(spot) in regions or region_of(spot) == f"{spot.country}-{short}"
    ]
    return some if some or code or regions else spots


@lru_cache(maxsize=20_000)
def town(city: str, country: str) -> Spot | None:
    """The place where a job is, by what its record says of it; None where we do not know it."""
    spot = find_place(city, {country} if country else ()) if city else None
    return spot if spot and spot.country == (country or spot.country) else None


def beginning(name: str, countries: Collection[str] = ()) -> list[Spot]:
    """Places one of whose names begins so, in the order of find_place."""
    found = _loaded().beginning(name)
    return sorted(found, key=lambda spot: (spot.country not in countries, spot.rank))


def keys_beginning(name: str) -> list[str]:
    """Names of places that begin so, as name_key has them."""
    return _loaded().keys(name)


def region_of(spot: Spot) -> str:
    """The code of its region; "" where we know none."""
    return _about(spot)[0]


def name_of(spot: Spot, typed: str = "") -> str:
    """Its name; of several, one that begins as was typed."""
    _, name, *others = _about(spot)
    key = name_key(typed)
    return next((each for each in (name, *others) if name_key(each).startswith(key)), name)


def _about(spot: Spot) -> list[str]:
    return _shown()[spot.rank].decode().split("\t") if spot.rank >= 0 else ["", ""]


def unit_vector(latitude: float, longitude: float) -> tuple[float, float, float]:
    """The place as a point on a ball of radius 1: distances become sums of squares, which every database can do."""
    lat, lon = math.radians(latitude), math.radians(longitude)
    return math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)


def chord_squared(km: float) -> float:
    """The square of the straight line between two points of that ball that are `km` apart on the ground."""
    return (2 * math.sin(min(km / EARTH_KM, math.pi) / 2)) ** 2


def kilometres(one: Iterable[float], other: Iterable[float]) -> float:
    """On the ground, between two points of that ball."""
    return 2 * EARTH_KM * math.asin(min(1.0, math.dist(tuple(one), tuple(other)) / 2))


class _Index:
    """The file as it is: what is kept is its text, 6 MB."""

    def __init__(self, text: bytes) -> None:
        places, _, names = text.partition(b"\n\n")
        self._names = SortedLines(names)
        rows = [line.split("\t") for line in places.decode("ascii").split("\n")]
        self._countries = "".join(country for country, _, _ in rows)
        self._latitudes = array("f", (float(latitude) for _, latitude, _ in rows))
        self._longitudes = array("f", (float(longitude) for _, _, longitude in rows))

    def named(self, name: str) -> list[Spot]:
        """Every place of that name, the most populous first."""
        wanted = f"{name_key(name)}\t".encode()
        line = self._names.line(wanted)
        return [self._spot(int(rank)) for rank in line.removeprefix(wanted).split()] if line.startswith(wanted) else []

    def beginning(self, name: str) -> list[Spot]:
        """The most populous places of names that begin so."""
        key = name_key(name).encode()
        ranks = {int(rank) for line in re.findall(rb"\t([\d ]+)\n", self._names.block(key)) for rank in line.split()}
        return [self._spot(rank) for rank in heapq.nsmallest(_LOOKED_AT, ranks if key else ())]

    def keys(self, name: str) -> list[str]:
        """Names that begin so."""
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
