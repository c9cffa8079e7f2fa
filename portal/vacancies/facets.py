"""Filters with counts that stay true together: each is counted with all other filters applied, and never its own."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from portal.vacancies.counts import FACETS, Cell
from portal.vacancies.folding import folded
from portal.vacancies.posting import Choice, Query

CITIES_MOST = 100
"""Cities that a list offers, those with the most jobs; a chosen one is always among them."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The filters of a query whose values the tenant knows; others are ignored."""

    country: frozenset[str]
    city: frozenset[str]
    employment_type: frozenset[str]
    location_type: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.country or self.city or self.employment_type or self.location_type)

    def by_facet(self) -> dict[str, frozenset[str]]:
        """In the order of Cell."""
        return {name: getattr(self, name) for name in FACETS}


@dataclass(frozen=True, slots=True)
class Facets:
    """What Results shows beside its hits."""

    total: int
    countries: tuple[Choice, ...]
    cities: tuple[Choice, ...]
    employment_types: tuple[Choice, ...]
    location_types: tuple[Choice, ...]


def chosen(query: Query, known: Mapping[str, Iterable[str]]) -> Chosen:
    """What of a query narrows. known: facet → values that the tenant's postings ever had; case and accents are one."""

    def values(facet: str, asked: tuple[str, ...]) -> frozenset[str]:
        wanted = {folded(value) for value in asked}
        return frozenset(value for value in known.get(facet, ()) if wanted and folded(value) in wanted)

    return Chosen(
        country=values("country", query.countries),
        city=values("city", query.cities),
        employment_type=values("employment_type", query.employment_types),
        location_type=values("location_type", query.location_types),
    )


def from_cells(cells: Mapping[Cell, int], picked: Chosen) -> Facets:
    """Counts from every combination of values."""
    wanted = list(picked.by_facet().values())
    found: list[Counter[str]] = [Counter() for _ in wanted]
    total = 0
    for cell, n in cells.items():
        misses = [i for i, values in enumerate(wanted) if values and cell[i] not in values]
        if not misses:
            total += n
            for i, counter in enumerate(found):
                counter[cell[i]] += n
        elif len(misses) == 1:
            found[misses[0]][cell[misses[0]]] += n
    return from_totals(total, dict(zip(FACETS, found, strict=True)), picked)


def from_totals(total: int, counted: Mapping[str, Counter[str]], picked: Chosen) -> Facets:
    """Counts that are summed already, by facet."""
    choices = {facet: _choices(counted.get(facet, Counter()), values) for facet, values in picked.by_facet().items()}
    return Facets(
        total=max(0, total),
        countries=choices["country"],
        cities=choices["city"],
        employment_types=choices["employment_type"],
        location_types=choices["location_type"],
    )


def _choices(counted: Counter[str], picked: frozenset[str]) -> tuple[Choice, ...]:
    some = {value: n for value, n in counted.items() if value and n > 0} | {
        value: max(0, counted[value]) for value in picked
    }
    ordered = sorted(some, key=lambda value: (-some[value], value))
    shown = ordered[:CITIES_MOST] + [value for value in ordered[CITIES_MOST:] if value in picked]
    return tuple(Choice(value, some[value], value in picked) for value in shown)
