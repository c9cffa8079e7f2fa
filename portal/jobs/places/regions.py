"""Regions, the first level below a country, offline: their names by GeoNames.

tools/gazetteer.py generates regions.tsv.gz. It has a line for each region: its code ("DE-BY"), its local name, its
names in several languages if they differ, and other names, separated by "|". region_names.txt is maintained by hand for
the countries with the most jobs and takes precedence: a line for each region, with its code and its names; and a line
for a country, with the formal names that distinguish its regions from towns of the same name. The first line of both
files names the languages of the columns. A language without a column shows local names.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache

from portal.jobs.places.sorted_lines import translated, unpacked
from portal.jobs.search.folding import name_key

FILE = "regions.tsv.gz"
_BY_HAND = "region_names.txt"
_IN_ENGLISH = frozenset({"AU", "CA", "GB", "IE", "NZ", "US"})


@dataclass(frozen=True, slots=True)
class Region:
    """code: by ISO 3166-2 if it has one. called: its names by language, only those that differ from the local one."""

    code: str
    name: str
    called: Mapping[str, str] = field(hash=False)
    others: tuple[str, ...]

    @property
    def country(self) -> str:
        """The country's code, ISO 3166-1 alpha-2."""
        return self.code[:2]

    def name_in(self, language: str) -> str:
        """Return its name in a language, else its local name."""
        if better := translated(_BY_HAND).get((self.code, language)):
            return better
        if language == "en" and self.country in _IN_ENGLISH:
            return self.name  # in English the data has nicknames
        return self.called.get(language, self.name)

    def formally(self, language: str) -> str:
        """Return its name with its kind, "Kanton Zug", in English if the language has none; "" if it is unknown."""
        known = translated(_BY_HAND)
        said_in = language if (self.country, language) in known else "en"
        form, name = known.get((self.country, said_in), ""), self.name_in(said_in)
        return (form if name[0] in "AEIOU" else form.replace("d’{}", "de {}")).format(name)

    def formal_names(self) -> set[str]:
        """Return its names with its kind in all languages."""
        return {self.formally(language) for language in _languages()} - {""}


@cache
def _languages() -> frozenset[str]:
    """Return the languages that region_names.txt has names in."""
    return frozenset(language for _, language in translated(_BY_HAND))


def region(code: str) -> Region | None:
    """Return the region of that code."""
    return _by_code().get(code)


def find_regions(name: str, countries: Collection[str] = ()) -> list[Region]:
    """Return all regions with that name in any language, those in `countries` first."""
    found = _by_name().get(name_key(name), ())
    return sorted(found, key=lambda each: (each.country not in countries, each.code))


def regions_beginning(name: str) -> list[Region]:
    """Return regions with a name that begins with the text."""
    wanted = name_key(name)
    return list({each.code: each for key, _, each in _names() if wanted and key.startswith(wanted)}.values())


@cache
def _by_code() -> dict[str, Region]:
    head, *lines = unpacked(FILE).decode().split("\n")
    _, _, *languages, _ = head.split("\t")
    found = {}
    for line in lines:
        code, name, *called, others = line.split("\t")
        differing = {language: label for language, label in zip(languages, called, strict=True) if label}
        found[code] = Region(code, name, differing, tuple(filter(None, others.split("|"))))
    return found


@cache
def _names() -> tuple[tuple[str, str, Region], ...]:
    found = []
    for each in _by_code().values():
        known = {each.name, *each.called.values(), *each.others, *map(each.name_in, _languages()), *each.formal_names()}
        found += [(name_key(name), name, each) for name in sorted(known) if name]
    return tuple(found)


@cache
def _by_name() -> dict[str, tuple[Region, ...]]:
    found: dict[str, dict[str, Region]] = {}
    for key, _, each in _names():
        found.setdefault(key, {})[each.code] = each
    return {key: tuple(those.values()) for key, those in found.items()}
