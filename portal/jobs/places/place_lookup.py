"""Text typed as a location → its meaning: a circle around a town, a region, a country, or remote.

A name may have several meanings. Those in countries where the tenant has jobs come first; others are offered as a
choice.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from portal.contract.bodies import LocationType
from portal.jobs.places.country import country_code
from portal.jobs.places.gazetteer import Spot, find_places, keys_beginning, kilometres, name_of, region_of, unit_vector
from portal.jobs.places.places import address_line, city, city_key, spot_key
from portal.jobs.places.postcodes import find_postcodes
from portal.jobs.places.regions import Region, find_regions, region
from portal.jobs.search import concepts
from portal.jobs.search.folding import name_key

_WORDS_MOST = 6
_LETTERS = re.compile(r"[^\W\d_]+")
_ONE_SLIP, _TWO_SLIPS = 5, 9
"""Length in letters from which so many typing errors are accepted: short names resemble too many others."""
_ALIKE = 30


def in_full(text: str) -> Iterator[str]:
    """Yield full forms of an abbreviated text: "Lyon FR" → "Lyon, FR", "Frankfurt a.M." → the whole name."""
    yield from _with_comma(text)
    name, *about = text.split(",")
    words = _LETTERS.findall(name)
    if "." not in name or not 1 < len(words) <= _WORDS_MOST:
        return
    first, *short = (name_key(word) for word in words)
    pattern = re.compile(first + "".join(rf"{re.escape(each)}\w*" for each in short))
    for key in keys_beginning(first):
        if pattern.fullmatch(key):
            yield ",".join([key, *about])


def misspelt(text: str, countries: Collection[str]) -> str | None:
    """Return the name that a misspelt text may mean, preferably in one of the countries; None if none is similar."""
    found = [each for variant in (text, *_with_comma(text)) for each in _similar(variant, countries)]
    return min(found)[-1] if found else None


def _with_comma(text: str) -> Iterator[str]:
    words = text.split()
    if "," in text or len(words) > _WORDS_MOST:
        return
    for cut in range(1, len(words)):
        about = " ".join(words[cut:])
        if country_code(about) or find_regions(about):
            yield f"{' '.join(words[:cut])}, {about}"


def _similar(text: str, countries: Collection[str]) -> Iterator[tuple[bool, float, int, str]]:
    name, *about = text.split(",")
    word = name_key(name)
    if len(word) < _ONE_SLIP or not word.isalpha():
        return
    slips = 1 if len(word) < _TWO_SLIPS else 2
    # Compare only names with the same first letter, which is rarely mistyped, or with the first two letters swapped.
    keys = [key for first in dict.fromkeys(word[:2]) for key in keys_beginning(first)]
    for key, distance, _ in process.extract(word, keys, scorer=OSA.distance, score_cutoff=slips, limit=_ALIKE):
        corrected = ",".join([key, *about])
        for spot in find_places(corrected, countries)[:1]:
            yield spot.country not in countries, distance, spot.rank, corrected


CHOICES = 4
"""Number of other meanings that are offered besides the one that is used."""
CITY_STATES = frozenset({"AT-9", "CZ-10", "DE-BE", "DE-HB", "DE-HH"})
"""Regions that consist of one town."""
_SAINT = re.compile(r"(st|saint|sankt)\b", re.IGNORECASE)
"""Words for "Saint", which are usually abbreviated in names of towns."""
_SAME_KM = 15
"""Two spots closer than this are in the same town."""


@dataclass(frozen=True, slots=True)
class SearchLocation:
    """One location. name: as shown, "" if it depends on the language. region: its code. spot: None for an area.

    country: ISO 3166-1 alpha-2, "" if unknown or irrelevant.
    """

    name: str = ""
    region: str = ""
    country: str = ""
    spot: Spot | None = None

    def full_name(self, language: str) -> str:
        """Return its name with region and country, which distinguish it; as a query, it means the same location."""
        parts = [self.called(language)]
        if self.spot and (about := region(self.region)):
            parts.append(about.name_in(language))
        parts = [part for part in dict.fromkeys([*parts, country_name(self.country, language)]) if part]
        return address_line(parts, in_arabic=Locale.parse(language, sep="-").text_direction == "rtl")

    def called(self, language: str) -> str:
        """Return only its name, in the language if that name is known."""
        if self.name:
            return _town_in(self, language)
        about = region(self.region)
        return _area_in(about, language) if about else country_name(self.country, language)


REMOTE = SearchLocation()
"""The meaning of "remote" typed as a location: jobs that can be done remotely."""


def country_name(code: str, language: str) -> str:
    """Return the country's name by CLDR; its code if the language is unknown."""
    try:
        return Locale.parse(language, sep="-").territories.get(code, code) if code else ""
    except (UnknownLocaleError, ValueError):
        return code


def meanings(text: str, countries: Sequence[str]) -> list[SearchLocation]:
    """Return the meanings of a text, most likely first. countries: where the tenant has jobs, most of them first."""
    if concepts.workplace_type_named(text) == LocationType.REMOTE:
        return [REMOTE]
    if codes := find_postcodes(text, countries):
        return [SearchLocation(f"{c.code} {c.place}", country=c.spot.country, spot=c.spot) for c in codes]
    return _named(text, countries) or next(filter(None, (_named(each, countries) for each in in_full(text))), [])


def preload() -> None:
    """Load the data files, which would take seconds in the first search that needs them."""
    for text in ("Leipzig", "04109"):
        meanings(text, ())


def guessed(text: str, countries: Sequence[str]) -> list[SearchLocation]:
    """Return the meanings of a misspelt text; [] if no location has a similar name."""
    corrected = misspelt(text, countries)
    return [place(each.spot) if each.spot else each for each in _named(corrected, countries)] if corrected else []


def _named(text: str, countries: Sequence[str]) -> list[SearchLocation]:
    name = text.split(",", maxsplit=1)[0]
    towns = [place(spot, name) for spot in find_places(text, countries)]
    regions = _regions(text)
    areas = [area(each) for each in regions]
    says_so = any(name_key(formal) == name_key(name) for each in regions for formal in each.formal_names())
    # "Salzburg" first means the town; "Brandenburg" the region, because the town's full name is longer.
    in_short = towns and name_key(towns[0].name) != name_key(name) and not _SAINT.match(name)
    found = sorted(
        [*areas, *towns] if in_short or says_so else [*towns, *areas], key=lambda each: each.country not in countries
    )
    code = country_code(text)
    if code and not (code == "GB" and areas):  # Scotland maps to GB, but is a region
        return [SearchLocation(country=code), *found]
    return found


def choices(found: Sequence[SearchLocation], countries: Sequence[str], typed: str) -> tuple[SearchLocation, ...]:
    """Return other meanings than the first: where the tenant has jobs, if the first one is there, too.

    Towns are included only by a current name: many have additional names in history and other languages.
    """
    first, *others = found
    key = name_key(typed.split(",", maxsplit=1)[0])
    others = [
        other
        for other in others
        if (other.spot is None and other.region not in CITY_STATES)
        or (other.spot is not None and name_key(name_of(other.spot)).startswith(key))
    ]
    if first.country in countries:
        others = [other for other in others if other.country in countries]
    chosen = [first]
    for other in others:
        if len(chosen) <= CHOICES and not any(_is_same(other, each) for each in chosen):
            chosen.append(other)
    return tuple(chosen[1:])


def place(spot: Spot, typed: str = "") -> SearchLocation:
    """Return a location of the gazetteer under the name that was typed, if it has that name."""
    return SearchLocation(name_of(spot, typed), region_of(spot), spot.country, spot)


@lru_cache(maxsize=2_000)
def _town_in(where: SearchLocation, language: str) -> str:
    """Return the town's name in the language if it is known, unless its own name says more: Frankfurt am Main."""
    if where.spot is None or where.spot.rank < 0:
        return where.name
    key = spot_key(where.spot)
    local_name = city(key, where.name, Locale.parse(language, sep="-"))
    says_more = re.match(rf"{re.escape(local_name)}[\W]", where.name)
    return where.name if says_more or city_key(where.country, local_name) != key else local_name


@lru_cache(maxsize=2_000)
def _area_in(found: Region, language: str) -> str:
    """Return the region's name; if a town has the same name, the formal one: Land Salzburg."""
    name, formally = found.name_in(language), found.formally(language)
    return formally if formally and find_places(f"{name}, {found.country}") else name


def area(found: Region) -> SearchLocation:
    """Return the location for a region; if a town has the same name, with a name that only the region has."""
    towns = find_places(f"{found.name}, {found.country}")
    if found.formally("en") or not any(name_key(name_of(town)) == name_key(found.name) for town in towns):
        return SearchLocation(region=found.code, country=found.country)
    longer = sorted(found.others, key=lambda each: (found.name not in each, len(each)))
    name = next((each for each in longer if not find_places(f"{each}, {found.country}")), "")
    return SearchLocation(name, found.code, found.country)


def _regions(text: str) -> list[Region]:
    """Return regions of that name; "Limburg, Netherlands" selects by country."""
    name, *about = text.split(",")
    return [each for each in find_regions(name) if is_about(each.country, about)]


def is_about(country: str, about: Sequence[str]) -> bool:
    """Return whether the text after the name may mean the country, such as France in "…, France". about: that text."""
    for qualifier in about:
        code, regions = country_code(qualifier), {each.country for each in find_regions(qualifier)}
        if (code or regions) and country != code and country not in regions:
            return False
    return True


def _is_same(one: SearchLocation, other: SearchLocation) -> bool:
    if one.spot is None or other.spot is None:
        return one.full_name("en") == other.full_name("en")
    ends = (unit_vector(each.latitude, each.longitude) for each in (one.spot, other.spot))
    return kilometres(*ends) < _SAME_KM
