"""Filters with counts that stay true together: each is counted with all other filters applied, and never its own."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from portal.contract.bodies import LocationType
from portal.tenants.model import Publish
from portal.vacancies.attributes import Attribute, has_any, offered, team, values_in
from portal.vacancies.counts import PLACE, Cell
from portal.vacancies.folding import folded
from portal.vacancies.places import Pair, meant, names_of, place_of
from portal.vacancies.posting import FACETS, AttributeChoices, Choice, Query
from portal.vacancies.reach import is_reached
from portal.vacancies.where import REMOTE, Where

MOST = 100
"""Values that a filter offers, those with the most jobs; a chosen one is always among them."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What narrows a list. values: filter → values, of a city its places; without filters that nothing was chosen of.

    pairs: how the chosen places are written. ignored: what a visitor asked for and nobody knows.
    """

    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    pairs: frozenset[Pair] = frozenset()
    ignored: tuple[str, ...] = ()

    def conditions(self, columns: ReadOnlyColumnCollection[str, Any], *, sqlite: bool) -> list[sa.ColumnElement[bool]]:
        """What holds for every posting that is left; columns: of vacancies, or of rows that have the same ones."""
        found: list[sa.ColumnElement[bool]] = []
        for facet, values in self.values.items():
            if facet == "city":
                countries = {country for country, _ in self.pairs}
                its = [(country, [city for its, city in self.pairs if its == country]) for country in countries]
                found.append(sa.or_(*(sa.and_(columns.country == a, columns.city.in_(b)) for a, b in its)))
            elif facet in FACETS:
                found.append(columns[facet].in_(values))
            else:
                found.append(has_any(columns.attributes, facet, sorted(values), sqlite=sqlite))
        return found


@dataclass(frozen=True, slots=True)
class Facets:
    """What Results shows beside its hits. choices: by the name of its member there. remote: as there."""

    total: int
    choices: dict[str, tuple[Choice, ...]]
    remote: int = 0
    attributes: tuple[AttributeChoices, ...] = ()


def asks(query: Query) -> bool:
    """Whether it has any filter."""
    return bool(query.attributes) or any(getattr(query, member) for member in FACETS.values())


def chosen(query: Query, known: Mapping[str, Iterable[str]], publish: Publish) -> Chosen:
    """The filters of a query whose values the tenant knows; others are ignored.

    known: facet of vacancy_totals → values that the tenant's postings ever had; case and accents are one.
    """
    found: dict[str, frozenset[str]] = {}
    ignored: list[str] = []

    def choose(facet: str, wanted: Iterable[str], its: Mapping[str, set[str]]) -> None:
        values = {value for each in wanted for value in its.get(each, ())}
        if values:
            found[facet] = found.get(facet, frozenset()) | values
        ignored.extend(each for each in wanted if not its.get(each))

    pairs: set[Pair] = set()
    for facet, member in FACETS.items():
        wanted = getattr(query, member)
        if facet == "city" and wanted:
            pairs = {_pair(value) for value in known.get(PLACE, ())}
            choose(facet, wanted, meant(wanted, pairs))
        elif wanted:
            choose(facet, wanted, _same(wanted, known.get(facet, ())))
    for name, wanted in query.attributes:
        one = named(publish, name)
        choose(one.key if one else "", wanted, _same(wanted, known.get(one.key, ())) if one else {})
    mine = found.get("city", frozenset())
    return Chosen(found, frozenset(each for each in pairs if place_of(*each) in mine), tuple(ignored))


def named(publish: Publish, name: str) -> Attribute | None:
    """The filter of that name; `team` is a department too."""
    own = next((each for each in offered(publish) if each.name == name), None)
    return own or (team(publish) if name == "team" else None)


def _same(wanted: Iterable[str], known: Iterable[str]) -> dict[str, set[str]]:
    by: dict[str, set[str]] = {}
    for value in known:
        by.setdefault(folded(value), set()).add(value)
    return {value: by.get(folded(value), set()) for value in wanted}


def _pair(value: str) -> Pair:
    country, _, city = value.partition("\n")
    return country, city


def from_cells(cells: Mapping[Cell, int], picked: Chosen, publish: Publish) -> Facets:
    """Counts from every combination of values."""
    own = offered(publish)
    names = [*FACETS, *(each.key for each in own)]
    wanted = _wanted(picked, own)
    found: list[Counter[str]] = [Counter() for _ in names]
    pairs: Counter[Pair] = Counter()
    total = 0
    for cell, n in cells.items():
        values = _values(cell, own)
        pairs[cell.country, cell.city] += n
        misses = [at for at, some in wanted if some.isdisjoint(values[at])]
        if not misses:
            total += n
            for counter, its in zip(found, values, strict=True):
                for value in its:
                    counter[value] += n
        elif len(misses) == 1:
            for value in values[misses[0]]:
                found[misses[0]][value] += n
    pairs.update(dict.fromkeys(picked.pairs - pairs.keys(), 0))
    return _facets(total, dict(zip(names, found, strict=True)), pairs, picked, publish)


def remote_of(cells: Mapping[Cell, int], picked: Chosen, publish: Publish, country: str) -> int:
    """How many of those that the filters leave can be done from anywhere in a country."""
    own = offered(publish)
    wanted = _wanted(picked, own)
    left = 0
    for cell, n in cells.items():
        if cell.location_type == LocationType.REMOTE and is_reached(country, cell.country, cell.city):
            values = _values(cell, own)
            left += 0 if any(some.isdisjoint(values[at]) for at, some in wanted) else n
    return left


def is_there(cell: Cell, where: Where) -> bool:
    """Whether its postings belong to a place by what their combination says alone: by country, or because remote."""
    if where == REMOTE:
        return cell.location_type == LocationType.REMOTE
    if (
        cell.location_type == LocationType.REMOTE
        and where.country
        and is_reached(where.country, cell.country, cell.city)
    ):
        return True
    return where.spot is None and not where.region and cell.country == where.country


def _wanted(picked: Chosen, own: tuple[Attribute, ...]) -> list[tuple[int, frozenset[str]]]:
    """Of each filter that something was chosen of, its place in _values and what was chosen."""
    names = [*FACETS, *(each.key for each in own)]
    return [(at, picked.values[name]) for at, name in enumerate(names) if name in picked.values]


def _values(cell: Cell, own: tuple[Attribute, ...]) -> list[tuple[str, ...]]:
    """By filter."""
    fixed: list[tuple[str, ...]] = [
        (cell.country,),
        (place_of(cell.country, cell.city),),
        (cell.employment_type,),
        (cell.location_type,),
    ]
    return [*fixed, *(values_in(cell.attributes, each.key) for each in own)] if own else fixed


def from_totals(totals: Mapping[str, Counter[str]], picked: Chosen, publish: Publish) -> Facets:
    """Counts that are summed already, by facet of vacancy_totals."""
    pairs = Counter({_pair(value): n for value, n in totals.get(PLACE, Counter()).items()})
    counted = {**totals, "city": Counter[str]()}
    for pair, n in pairs.items():
        counted["city"][place_of(*pair)] += n
    return _facets(totals["total"][""] if "total" in totals else 0, counted, pairs, picked, publish)


def _facets(
    total: int, counted: Mapping[str, Counter[str]], pairs: Mapping[Pair, int], picked: Chosen, publish: Publish
) -> Facets:
    def of(facet: str, names: Mapping[str, str] | None = None) -> tuple[Choice, ...]:
        return _choices(counted.get(facet, Counter()), picked.values.get(facet, frozenset()), names)

    names = names_of(pairs)
    choices = {member: of(facet, names if facet == "city" else None) for facet, member in FACETS.items()}
    own = tuple(AttributeChoices(each.name, each.label, of(each.key)) for each in offered(publish))
    return Facets(max(0, total), choices, attributes=own)


def _choices(counted: Counter[str], picked: frozenset[str], names: Mapping[str, str] | None) -> tuple[Choice, ...]:
    some = {value: n for value, n in counted.items() if value and n > 0} | {
        value: max(0, counted[value]) for value in picked
    }
    called = {value: names[value] if names else value for value in some}
    ordered = sorted(some, key=lambda value: (-some[value], called[value]))
    shown = ordered[:MOST] + [value for value in ordered[MOST:] if value in picked]
    return tuple(Choice(called[value], some[value], value in picked, value if names else "") for value in shown)
