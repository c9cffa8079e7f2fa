"""Where cities are, offline: GeoNames' places of 15,000 people and more, by any of their names.

tools/gazetteer.py makes the file: a line a place (country, latitude, longitude), the most populous first; an empty
line; a line a name, as name_key has it and in the order of its UTF-8 bytes, with the ranks of its places from 0.
"""

import gzip
import math
import threading
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files

from portal.normal_forms import taken_apart
from portal.vacancies.country import country_code

EARTH_KM = 6_371.0
FILE = "places.tsv.gz"
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
    """The file as it is, looked up by halving: what is kept is its text, 6 MB."""

    def __init__(self) -> None:
        text = gzip.decompress((files("portal.vacancies") / FILE).read_bytes())
        places, _, self._names = text.partition(b"\n\n")
        rows = [line.split("\t") for line in places.decode("ascii").split("\n")]
        self._countries = "".join(country for country, _, _ in rows)
        self._latitudes = array("f", (float(latitude) for _, latitude, _ in rows))
        self._longitudes = array("f", (float(longitude) for _, _, longitude in rows))

    def named(self, name: str) -> list[Spot]:
        """Every place of that name, the most populous first."""
        wanted = f"{name_key(name)}\t".encode()
        line = self._line_at(bisect_left(range(len(self._names)), wanted, key=self._line_at))
        ranks = map(int, line.removeprefix(wanted).split()) if line.startswith(wanted) else ()
        return [Spot(self._latitudes[at], self._longitudes[at], self._countries[2 * at : 2 * at + 2]) for at in ranks]

    def _line_at(self, position: int) -> bytes:
        start = self._names.rfind(b"\n", 0, position) + 1
        return self._names[start : self._names.find(b"\n", position)]


def _loaded() -> _Index:
    global _index  # noqa: PLW0603  one gazetteer a process, read when first asked
    with _lock:
        if _index is None:
            _index = _Index()
        return _index


def name_key(name: str) -> str:
    """What spellings of one name have in common: letters and digits, without case and accents."""
    text = name.lower()
    if not text.isascii():
        text = "".join(c for c in taken_apart(text.casefold()) if not unicodedata.combining(c))
    return "".join(filter(str.isalnum, text))
