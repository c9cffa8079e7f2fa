"""Regions, the first level below a country, offline: GeoNames' names of them.

tools/gazetteer.py makes the file: a line a region: its code ("DE-BY"), its name as it is called there, its names in
LANGUAGES where they are others, and whatever else it is called, by "|".
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from portal.vacancies.name_key import name_key
from portal.vacancies.sorted_lines import unpacked

FILE = "regions.tsv.gz"
_IN_ENGLISH = frozenset({"AU", "CA", "GB", "IE", "NZ", "US"})
LANGUAGES = ("en", "de", "fr", "es", "it", "ar")


@dataclass(frozen=True, slots=True)
class Region:
    """code: as in ISO 3166-2 where it has one. called: its names in the order of LANGUAGES, "" where it has none."""

    code: str
    name: str
    called: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def country(self) -> str:
        """ISO 3166-1 alpha-2."""
        return self.code[:2]

    def name_in(self, language: str) -> str:
        """What it is called in a language, else as it is called there."""
        if language == "en" and self.country in _IN_ENGLISH:
            return self.name  # the data has nicknames there
        return (self.called[LANGUAGES.index(language)] if language in LANGUAGES else "") or self.name


def region(code: str) -> Region | None:
    """The region of that code."""
    return _by_code().get(code)


def find_regions(name: str, countries: Collection[str] = ()) -> list[Region]:
    """Every region that is called so in any language, those in `countries` first."""
    found = _by_name().get(name_key(name), ())
    return sorted(found, key=lambda each: (each.country not in countries, each.code))


def regions_beginning(name: str) -> list[tuple[str, Region]]:
    """Regions one of whose names begins so, each under the first such name."""
    wanted = name_key(name)
    found: dict[str, tuple[str, Region]] = {}
    for key, called, each in _names() if wanted else ():
        if key.startswith(wanted):
            found.setdefault(each.code, (called, each))
    return list(found.values())


@cache
def _by_code() -> dict[str, Region]:
    text = unpacked(FILE).decode()
    found = {}
    for line in text.split("\n"):
        code, name, *called, others = line.split("\t")
        found[code] = Region(code, name, tuple(called), tuple(filter(None, others.split("|"))))
    return found


@cache
def _names() -> tuple[tuple[str, str, Region], ...]:
    every = ((name, each) for each in _by_code().values() for name in (each.name, *each.called, *each.others) if name)
    return tuple((name_key(name), name, each) for name, each in every)


@cache
def _by_name() -> dict[str, tuple[Region, ...]]:
    found: dict[str, dict[str, Region]] = {}
    for key, _, each in _names():
        found.setdefault(key, {})[each.code] = each
    return {key: tuple(those.values()) for key, those in found.items()}
