"""Filters with counts that stay true together: each is counted with all other filters applied, and never its own."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from portal.contract.bodies import LocationType
from portal.vacancies.counts import Cell
from portal.vacancies.folding import folded
from portal.vacancies.posting import FACETS, Choice, Query
from portal.vacancies.reach import is_reached

CITIES_MOST = 100
"""Cities that a list offers, those with the most jobs; a chosen one is always among them."""


Chosen = Mapping[str, frozenset[str]]
"""What narrows a list: filter → values, without filters that nothing was chosen of."""


@dataclass(frozen=True, slots=True)
class Facets:
    """What Results shows beside its hits. choices: by the name of its member there. remote: as there."""

    total: int
    choices: dict[str, tuple[Choice, ...]]
    remote: int = 0


def chosen(query: Query, known: Mapping[str, Iterable[str]]) -> Chosen:
    """The filters of a query whose values the tenant knows; others are ignored.

    known: filter → values that the tenant's postings ever had; case and accents are one.
    """
    found: dict[str, frozenset[str]] = {}
    for facet, member in FACETS.items():
        wanted = {folded(value) for value in getattr(query, member)}
        if wanted and (values := frozenset(value for value in known.get(facet, ()) if folded(value) in wanted)):
            found[facet] = values
    return found


def from_cells(cells: Mapping[Cell, int], picked: Chosen) -> Facets:
    """Counts from every combination of values."""
    wanted = [picked.get(facet) for facet in FACETS]
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


def remote_of(cells: Mapping[Cell, int], picked: Chosen, country: str) -> int:
    """How many of those that the filters leave can be done from anywhere in a country."""
    wanted = [picked.get(facet) for facet in FACETS]
    return sum(
        n
        for cell, n in cells.items()
        if cell.location_type == LocationType.REMOTE
        and is_reached(country, cell.country, cell.city)
        and all(not values or cell[i] in values for i, values in enumerate(wanted))
    )


def from_totals(total: int, counted: Mapping[str, Counter[str]], picked: Chosen) -> Facets:
    """Counts that are summed already, by facet."""
    choices = {
        member: _choices(counted.get(facet, Counter()), picked.get(facet, frozenset()))
        for facet, member in FACETS.items()
    }
    return Facets(max(0, total), choices)


def _choices(counted: Counter[str], picked: frozenset[str]) -> tuple[Choice, ...]:
    some = {value: n for value, n in counted.items() if value and n > 0} | {
        value: max(0, counted[value]) for value in picked
    }
    ordered = sorted(some, key=lambda value: (-some[value], value))
    shown = ordered[:CITIES_MOST] + [value for value in ordered[CITIES_MOST:] if value in picked]
    return tuple(Choice(value, some[value], value in picked) for value in shown)
