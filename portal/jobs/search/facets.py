"""Filters with counts: each value is counted with all other filters applied, but not those of its own filter."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from portal.contract.bodies import LocationType
from portal.jobs.places.place_lookup import REMOTE, SearchLocation
from portal.jobs.places.places import Pair, cities_meant_by, city_key, names_of
from portal.jobs.places.reach import is_reached
from portal.jobs.posting import FACETS, AttributeChoices, FacetValue, Query
from portal.jobs.search.attributes import TenantFilter, has_any, team, tenant_filters, values_in
from portal.jobs.search.counts import PLACE, FilterCombination
from portal.jobs.search.folding import folded
from portal.tenants.model import PublishSettings

MOST = 100
"""Values that a filter offers, those with the most jobs; chosen values are always included."""


@dataclass(frozen=True, slots=True)
class FacetSelection:
    """The chosen filter values. values: filter → values, cities as place_of returns them; only filters with a choice.

    pairs: spellings of the chosen cities. ignored: requested values that are unknown.
    """

    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    pairs: frozenset[Pair] = frozenset()
    ignored: tuple[str, ...] = ()

    def conditions(self, columns: ReadOnlyColumnCollection[str, Any], *, sqlite: bool) -> list[sa.ColumnElement[bool]]:
        """Return SQL conditions for the chosen values; columns: of vacancies, or of a query with the same columns."""
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
    """Filters and total of a Results. choices: by name of its member in Results. remote: as in Results."""

    total: int
    choices: dict[str, tuple[FacetValue, ...]]
    remote: int = 0
    attributes: tuple[AttributeChoices, ...] = ()


def has_filters(query: Query) -> bool:
    """Return whether the query has any filter."""
    return bool(query.attributes) or any(getattr(query, member) for member in FACETS.values())


def chosen(query: Query, known: Mapping[str, Iterable[str]], publish: PublishSettings) -> FacetSelection:
    """Return the query's filters whose values the tenant's postings know; ignore others.

    known: facet of vacancy_totals → values that the tenant's postings ever had; case and accents do not matter.
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
            choose(facet, wanted, cities_meant_by(wanted, pairs))
        elif wanted:
            choose(facet, wanted, _same(wanted, known.get(facet, ())))
    for name, wanted in query.attributes:
        one = named(publish, name)
        choose(one.key if one else "", wanted, _same(wanted, known.get(one.key, ())) if one else {})
    mine = found.get("city", frozenset())
    return FacetSelection(found, frozenset(each for each in pairs if city_key(*each) in mine), tuple(ignored))


def named(publish: PublishSettings, name: str) -> TenantFilter | None:
    """Return the filter of that name; `team` also means the tenant's department filter."""
    own = next((each for each in tenant_filters(publish) if each.name == name), None)
    return own or (team(publish) if name == "team" else None)


def _same(wanted: Iterable[str], known: Iterable[str]) -> dict[str, set[str]]:
    by: dict[str, set[str]] = {}
    for value in known:
        by.setdefault(folded(value), set()).add(value)
    return {value: by.get(folded(value), set()) for value in wanted}


def _pair(value: str) -> Pair:
    country, _, city = value.partition("\n")
    return country, city


def from_cells(cells: Mapping[FilterCombination, int], picked: FacetSelection, publish: PublishSettings) -> Facets:
    """Return filters and total, counted from the combinations of values."""
    own = tenant_filters(publish)
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


def remote_of(
    cells: Mapping[FilterCombination, int], picked: FacetSelection, publish: PublishSettings, country: str
) -> int:
    """Return how many postings that match the filters can be done from anywhere in a country."""
    own = tenant_filters(publish)
    wanted = _wanted(picked, own)
    left = 0
    for cell, n in cells.items():
        if cell.location_type == LocationType.REMOTE and is_reached(country, cell.country, cell.city):
            values = _values(cell, own)
            left += 0 if any(some.isdisjoint(values[at]) for at, some in wanted) else n
    return left


def is_there(cell: FilterCombination, where: SearchLocation) -> bool:
    """Return whether the combination alone shows that its postings match a location: by country, or as remote jobs."""
    if where == REMOTE:
        return cell.location_type == LocationType.REMOTE
    if (
        cell.location_type == LocationType.REMOTE
        and where.country
        and is_reached(where.country, cell.country, cell.city)
    ):
        return True
    return where.spot is None and not where.region and cell.country == where.country


def _wanted(picked: FacetSelection, own: tuple[TenantFilter, ...]) -> list[tuple[int, frozenset[str]]]:
    """Return the position in _values and the chosen values of each filter with a choice."""
    names = [*FACETS, *(each.key for each in own)]
    return [(at, picked.values[name]) for at, name in enumerate(names) if name in picked.values]


def _values(cell: FilterCombination, own: tuple[TenantFilter, ...]) -> list[tuple[str, ...]]:
    """Return the values of each filter, in the order of FACETS and `own`."""
    fixed: list[tuple[str, ...]] = [
        (cell.country,),
        (city_key(cell.country, cell.city),),
        (cell.employment_type,),
        (cell.location_type,),
    ]
    return [*fixed, *(values_in(cell.attributes, each.key) for each in own)] if own else fixed


def from_totals(totals: Mapping[str, Counter[str]], picked: FacetSelection, publish: PublishSettings) -> Facets:
    """Return filters and total from stored totals, by facet of vacancy_totals."""
    pairs = Counter({_pair(value): n for value, n in totals.get(PLACE, Counter()).items()})
    counted = {**totals, "city": Counter[str]()}
    for pair, n in pairs.items():
        counted["city"][city_key(*pair)] += n
    return _facets(totals["total"][""] if "total" in totals else 0, counted, pairs, picked, publish)


def _facets(
    total: int,
    counted: Mapping[str, Counter[str]],
    pairs: Mapping[Pair, int],
    picked: FacetSelection,
    publish: PublishSettings,
) -> Facets:
    def of(facet: str, names: Mapping[str, str] | None = None) -> tuple[FacetValue, ...]:
        return _choices(counted.get(facet, Counter()), picked.values.get(facet, frozenset()), names)

    names = names_of(pairs)
    choices = {member: of(facet, names if facet == "city" else None) for facet, member in FACETS.items()}
    own = tuple(AttributeChoices(each.name, each.label, of(each.key)) for each in tenant_filters(publish))
    return Facets(max(0, total), choices, attributes=own)


def _choices(counted: Counter[str], picked: frozenset[str], names: Mapping[str, str] | None) -> tuple[FacetValue, ...]:
    some = {value: n for value, n in counted.items() if value and n > 0} | {
        value: max(0, counted[value]) for value in picked
    }
    called = {value: names[value] if names else value for value in some}
    ordered = sorted(some, key=lambda value: (-some[value], called[value]))
    shown = ordered[:MOST] + [value for value in ordered[MOST:] if value in picked]
    return tuple(FacetValue(called[value], some[value], value in picked, value if names else "") for value in shown)
