"""What people type as a place → what on the map is meant: a circle around a place, a region, a country, or anywhere.

A name may mean several. Those in countries where the tenant has jobs come first; the others are offered as a choice.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from babel import Locale, UnknownLocaleError

from portal.contract.bodies import LocationType
from portal.vacancies import concepts
from portal.vacancies.city_names import city
from portal.vacancies.country import country_code
from portal.vacancies.gazetteer import Spot, find_places, kilometres, name_of, region_of, unit_vector
from portal.vacancies.name_key import name_key
from portal.vacancies.place_spelling import in_full, misspelt
from portal.vacancies.places import place_of, spot_key
from portal.vacancies.postcodes import find_postcodes
from portal.vacancies.regions import SPOKEN, Region, find_regions, region

CHOICES = 4
"""Other places that are offered beside the one that was taken."""
_TOWNS = frozenset({"AT-9", "CZ-10", "DE-BE", "DE-HB", "DE-HH"})
"""Regions that are a town."""
_SAINT = re.compile(r"(st|saint|sankt)\b", re.IGNORECASE)
"""Everybody writes it in short."""
_SAME_KM = 15
"""Nearer than this is a part of the same town."""


@dataclass(frozen=True, slots=True)
class Where:
    """One place. name: as it is shown, "" where it has one a language. region: its code. spot: None for an area.

    country: ISO 3166-1 alpha-2, "" where it is not known or any will do.
    """

    name: str = ""
    region: str = ""
    country: str = ""
    spot: Spot | None = None

    def said(self, language: str) -> str:
        """With what tells it from others of its name; typed again, it means the same."""
        parts = [self.called(language)]
        if self.spot and (about := region(self.region)):
            parts.append(about.name_in(language))
        return ", ".join(part for part in dict.fromkeys([*parts, country_name(self.country, language)]) if part)

    def called(self, language: str) -> str:
        """Its name alone, in a language where we know it."""
        if self.name:
            return _town_in(self, language)
        about = region(self.region)
        return _area_in(about, language) if about else country_name(self.country, language)


REMOTE = Where()
"""Whoever types "remote" as a place asks for jobs that have none."""


def country_name(code: str, language: str) -> str:
    """By CLDR; the code where the language is not known."""
    try:
        return Locale.parse(language, sep="-").territories.get(code, code) if code else ""
    except (UnknownLocaleError, ValueError):
        return code


def meanings(text: str, countries: Sequence[str]) -> list[Where]:
    """What a text may mean, the most likely first. countries: where the tenant has jobs, most of them first."""
    if concepts.way_of(text) == LocationType.REMOTE:
        return [REMOTE]
    if codes := find_postcodes(text, countries):
        return [Where(f"{c.code} {c.place}", country=c.spot.country, spot=c.spot) for c in codes]
    return _named(text, countries) or next(filter(None, (_named(each, countries) for each in in_full(text))), [])


def read_ahead() -> None:
    """Read the files of places, which takes seconds of the first search that needs them."""
    for text in ("Leipzig", "04109"):
        meanings(text, ())


def guessed(text: str, countries: Sequence[str]) -> list[Where]:
    """What a misspelt text may mean; nothing where no place is called like it."""
    said = misspelt(text, countries)
    return [place(each.spot) if each.spot else each for each in _named(said, countries)] if said else []


def _named(text: str, countries: Sequence[str]) -> list[Where]:
    name = text.split(",", maxsplit=1)[0]
    towns = [place(spot, name) for spot in find_places(text, countries)]
    regions = _regions(text)
    areas = [area(each) for each in regions]
    says_so = any(name_key(each.formally(language)) == name_key(name) for each in regions for language in SPOKEN)
    # Salzburg is a town, and Brandenburg a region of which a town is called so in short.
    in_short = towns and name_key(towns[0].name) != name_key(name) and not _SAINT.match(name)
    found = sorted(
        [*areas, *towns] if in_short or says_so else [*towns, *areas], key=lambda each: each.country not in countries
    )
    code = country_code(text)
    if code and not (code == "GB" and areas):  # Scotland is an area of its own
        return [Where(country=code), *found]
    return found


def choices(found: Sequence[Where], countries: Sequence[str], typed: str) -> tuple[Where, ...]:
    """What else may be meant than the first: where the tenant has jobs, if the first is there.

    Of towns those that are called so today: history and other languages have given many names to one.
    """
    first, *others = found
    key = name_key(typed.split(",", maxsplit=1)[0])
    others = [
        other
        for other in others
        if (other.spot is None and other.region not in _TOWNS)
        or (other.spot is not None and name_key(name_of(other.spot)).startswith(key))
    ]
    if first.country in countries:
        others = [other for other in others if other.country in countries]
    kept = [first]
    for other in others:
        if len(kept) <= CHOICES and not any(_is_same(other, each) for each in kept):
            kept.append(other)
    return tuple(kept[1:])


def place(spot: Spot, typed: str = "") -> Where:
    """A place of the gazetteer, called as it was typed."""
    return Where(name_of(spot, typed), region_of(spot), spot.country, spot)


@lru_cache(maxsize=2_000)
def _town_in(where: Where, language: str) -> str:
    """In that language where we know it, unless it says more already: Frankfurt am Main."""
    if where.spot is None or where.spot.rank < 0 or language[:2] not in SPOKEN:
        return where.name
    key = spot_key(where.spot)
    said = city(key, where.name, Locale.parse(language, sep="-"))
    says_more = re.match(rf"{re.escape(said)}[\W]", where.name)
    return where.name if says_more or place_of(where.country, said) != key else said


@lru_cache(maxsize=2_000)
def _area_in(found: Region, language: str) -> str:
    """Where a town has its name, by one that says which is meant: Land Salzburg."""
    name, formally = found.name_in(language), found.formally(language)
    return formally if formally and find_places(f"{name}, {found.country}") else name


def area(found: Region) -> Where:
    """A region; where a town has its name, by one that says which is meant."""
    towns = find_places(f"{found.name}, {found.country}")
    if found.formally("en") or not any(name_key(name_of(town)) == name_key(found.name) for town in towns):
        return Where(region=found.code, country=found.country)
    longer = sorted(found.others, key=lambda each: (found.name not in each, len(each)))
    name = next((each for each in longer if not find_places(f"{each}, {found.country}")), "")
    return Where(name, found.code, found.country)


def _regions(text: str) -> list[Region]:
    """Those of that name; "Limburg, Netherlands" says which."""
    name, *about = text.split(",")
    return [each for each in find_regions(name) if is_about(each.country, about)]


def is_about(country: str, about: Sequence[str]) -> bool:
    """Whether a place in a country may be what "…, France" says. about: what stands behind the name."""
    for said in about:
        code, regions = country_code(said), {each.country for each in find_regions(said)}
        if (code or regions) and country != code and country not in regions:
            return False
    return True


def _is_same(one: Where, other: Where) -> bool:
    if one.spot is None or other.spot is None:
        return one.said("en") == other.said("en")
    ends = (unit_vector(each.latitude, each.longitude) for each in (one.spot, other.spot))
    return kilometres(*ends) < _SAME_KM
