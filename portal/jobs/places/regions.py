"""Regions, the first level below a country, offline: their names by GeoNames.

tools/gazetteer.py generates the file. It has a line for each region: its code ("DE-BY"), its local name, its names in
LANGUAGES if they differ, and other names, separated by "|". region_names.txt is maintained by hand for the countries
with the most jobs and takes precedence: a line for each region, with its code and its names in the order of SPOKEN.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from portal.jobs.places.sorted_lines import unpacked
from portal.jobs.search.folding import name_key

FILE = "regions.tsv.gz"
SPOKEN = ("en", "de", "fr", "es", "it", "nl", "pl", "ar")
_FORMALLY = {
    "AT": "State of {}|Land {}|Land de {}|Estado de {}|Land {}|Deelstaat {}|Kraj związkowy {}|ولاية {}",
    "CH": "Canton of {}|Kanton {}|Canton de {}|Cantón de {}|Canton {}|Kanton {}|Kanton {}|كانتون {}",
    "DE": "State of {}|Land {}|Land de {}|Estado de {}|Land {}|Deelstaat {}|Kraj związkowy {}|ولاية {}",
    "NL": "Province of {}|Provinz {}|Province d’{}|Provincia de {}|Provincia di {}|Provincie {}|Prowincja {}|مقاطعة {}",
}
"""Formal names that distinguish a region from the town of the same name, in the order of SPOKEN."""
_IN_ENGLISH = frozenset({"AU", "CA", "GB", "IE", "NZ", "US"})
LANGUAGES = ("en", "de", "fr", "es", "it", "ar")


@dataclass(frozen=True, slots=True)
class Region:
    """code: by ISO 3166-2 if it has one. called: its names in the order of LANGUAGES, "" for missing ones."""

    code: str
    name: str
    called: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def country(self) -> str:
        """The country's code, ISO 3166-1 alpha-2."""
        return self.code[:2]

    def name_in(self, language: str) -> str:
        """Return its name in a language, else its local name."""
        if better := _better().get((self.code, language)):
            return better
        if language == "en" and self.country in _IN_ENGLISH:
            return self.name  # the data has nicknames there
        return (self.called[LANGUAGES.index(language)] if language in LANGUAGES else "") or self.name

    def formally(self, language: str) -> str:
        """Return its name with its kind, "Kanton Zug"; "" if the formal name is unknown."""
        said = _FORMALLY.get(self.country)
        if said is None or language not in SPOKEN:
            return ""
        name = self.name_in(language)
        form = said.split("|")[SPOKEN.index(language)]
        return (form if name[0] in "AEIOU" else form.replace("d’{}", "de {}")).format(name)


def region(code: str) -> Region | None:
    """Return the region of that code."""
    return _by_code().get(code)


def find_regions(name: str) -> list[Region]:
    """Return all regions with that name in any language, by code."""
    return sorted(_by_name().get(name_key(name), ()), key=lambda each: each.code)


def regions_beginning(name: str) -> list[Region]:
    """Return regions with a name that begins with the text."""
    wanted = name_key(name)
    return list({each.code: each for key, _, each in _names() if wanted and key.startswith(wanted)}.values())


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
    found = []
    for each in _by_code().values():
        known = {each.name, *each.called, *each.others}
        spoken = {name for language in SPOKEN for name in (each.name_in(language), each.formally(language))}
        found += [(name_key(name), name, each) for name in sorted(known | spoken) if name]
    return tuple(found)


@cache
def _better() -> dict[tuple[str, str], str]:
    text = (files("portal.jobs.places") / "region_names.txt").read_text("utf-8")
    rows = (line.split("|") for line in text.splitlines())
    return {(code, language): name for code, *names in rows for language, name in zip(SPOKEN, names, strict=True)}


@cache
def _by_name() -> dict[str, tuple[Region, ...]]:
    found: dict[str, dict[str, Region]] = {}
    for key, _, each in _names():
        found.setdefault(key, {})[each.code] = each
    return {key: tuple(those.values()) for key, those in found.items()}
