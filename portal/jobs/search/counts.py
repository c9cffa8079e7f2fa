"""Stored numbers of postings for each filter value, so that counting does not require reading all postings.

Counts are for one instant, mirrors.counted_at. Postings that open or close between then and now are few and found by an
index, so the counts of any other instant are the stored ones and a small difference.

Filters of narrowed lists are counted from the number for every combination of filter values. The database stores these
for tenants without filters of their own. With such filters, or with the coordinates of jobs, there may be as many
combinations as postings (docs/decisions/0083), so they are then read from the rows once for each version of the mirror
and cached in the process, up to a limit.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from portal.jobs.posting import FACETS
from portal.jobs.search.attributes import TenantFilter, read, tenant_filters
from portal.jobs.tables import Publication, mirrors, vacancies, vacancy_cells, vacancy_totals
from portal.platform.database.db import insert
from portal.tenants.model import Tenant


class FilterCombination(NamedTuple):
    """One combination of filter values, in the order of posting.FACETS, and attributes; '' for missing values."""

    country: str
    city: str
    employment_type: str
    location_type: str
    attributes: str = ""


CELL = tuple(vacancies.c[facet] for facet in FACETS)
"""The columns for a tenant without own filters; one index covers them."""
WHOLE_CELL = (*CELL, vacancies.c.attributes)
TOTAL = "total"
"""The facet of vacancy_totals for the number of all postings; its only value is ''."""
PLACE = "place"
"""The facet of vacancy_totals whose values are country and city, because cities may share a name."""


def is_open(at: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that a posting's dates make it public at an instant."""
    return sa.and_(vacancies.c.opens_at <= at, vacancies.c.closes_at > at)


def contributions(connection: sa.Connection, rows: Iterable[int], counted_at: datetime) -> Counter[FilterCombination]:
    """Return what these rows contribute to the counts."""
    query = (
        sa.select(*WHOLE_CELL, sa.func.count())
        .where(vacancies.c.row.in_(list(rows)), vacancies.c.publication == Publication.PUBLIC, is_open(counted_at))
        .group_by(*WHOLE_CELL)
    )
    return cells_of(connection.execute(query))


def cells_of(rows: Iterable[Sequence[Any]]) -> Counter[FilterCombination]:
    """Return counts from rows of CELL or WHOLE_CELL and a number, without those of 0."""
    return Counter({FilterCombination(*row[:-1]): int(row[-1]) for row in rows if row[-1]})


def totals_counting(cell: FilterCombination) -> list[tuple[str, str]]:
    """Return the facets and values of vacancy_totals that count a posting with these values."""
    fixed = [(facet, value) for facet, value in zip(FACETS, cell, strict=False) if value]
    where = [(PLACE, f"{cell.country}\n{cell.city}")] if cell.city else []
    return [(TOTAL, ""), *fixed, *where, *read(cell.attributes)]


def replace_contribution(
    connection: sa.Connection, tenant: str, before: Counter[FilterCombination], after: Counter[FilterCombination]
) -> None:
    """Replace the former contribution of some rows to the counts by their new one."""
    difference = Counter(after)
    difference.subtract(before)
    totals: Counter[tuple[str, str]] = Counter()
    plain: Counter[tuple[str, ...]] = Counter()
    for cell, n in difference.items():
        plain[cell[: len(FACETS)]] += n
        for where in totals_counting(cell):
            totals[where] += n
    cells = [(dict(zip(FACETS, cell, strict=True)), n) for cell, n in plain.items() if n]
    _add(connection, vacancy_cells, [{"tenant": tenant, **cell, "n": n} for cell, n in cells])
    lost = [{f"b_{name}": value for name, value in cell.items()} for cell, n in cells if n < 0]
    if lost:
        c = vacancy_cells.c
        same = [c[name] == sa.bindparam(f"b_{name}") for name in FACETS]
        connection.execute(sa.delete(vacancy_cells).where(c.tenant == tenant, c.n == 0, *same), lost)
    _add(connection, vacancy_totals, _rows(tenant, {key: n for key, n in totals.items() if n}))


def recount(connection: sa.Connection, tenant: str, counted_at: datetime, filters: Iterable[TenantFilter]) -> None:
    """Correct the totals that the previous release does not maintain, by location and by attribute; delete those of
    attributes that the tenant does not offer any more.
    """
    t, c = vacancy_totals.c, vacancies.c
    query = (
        sa.select(c.country, c.city, sa.literal(""), sa.literal(""), c.attributes, sa.func.count())
        .where(c.tenant == tenant, c.publication == Publication.PUBLIC, is_open(counted_at))
        .group_by(c.country, c.city, c.attributes)
    )
    keys = {PLACE, *(each.key for each in filters)}
    true: Counter[tuple[str, str]] = Counter()
    for cell, n in cells_of(connection.execute(query).all()).items():
        for facet, value in totals_counting(cell):
            if facet in keys:
                true[facet, value] += n
    mine = (t.tenant == tenant, t.facet.not_in([*FACETS, TOTAL]))
    stored = {
        (row.facet, row.value): row.n for row in connection.execute(sa.select(t.facet, t.value, t.n).where(*mine))
    }
    connection.execute(sa.delete(vacancy_totals).where(*mine, t.facet.not_in(keys)))
    moved = {key: true[key] - stored.get(key, 0) for key in {*true, *stored} if key[0] in keys}
    _add(connection, vacancy_totals, _rows(tenant, {key: n for key, n in moved.items() if n}))


def settle(connection: sa.Connection, tenant: str, counted_at: datetime, now: datetime) -> None:
    """Update the counts to `now`."""
    moved = opened_or_closed_between(connection, tenant, counted_at, now)
    replace_contribution(connection, tenant, Counter(), moved)
    connection.execute(sa.update(mirrors).where(mirrors.c.tenant == tenant).values(counted_at=now))


def opened_or_closed_between(
    connection: sa.Connection, tenant: str, then: datetime, now: datetime
) -> Counter[FilterCombination]:
    """Return how postings that open or close between two instants change the counts; either may be the earlier."""
    return cells_of(crossed_rows(connection, tenant, then, now, WHOLE_CELL))


def crossed_rows(
    connection: sa.Connection, tenant: str, then: datetime, now: datetime, columns: Sequence[sa.Column[Any]]
) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    """Return the same difference by any columns of vacancies: their values, then the difference."""
    low, high = min(then, now), max(then, now)
    change = sa.func.sum(sa.case((is_open(now), 1), else_=0) - sa.case((is_open(then), 1), else_=0))
    passed = [
        sa.select(vacancies.c.row).where(
            vacancies.c.tenant == tenant, vacancies.c.publication == Publication.PUBLIC, edge > low, edge <= high
        )
        for edge in (vacancies.c.opens_at, vacancies.c.closes_at)
    ]
    query = sa.select(*columns, change).where(vacancies.c.row.in_(sa.union_all(*passed))).group_by(*columns)
    return connection.execute(query).all()


def crossings(
    tenant: sa.ColumnElement[str], then: sa.ColumnElement[datetime], now: sa.ColumnElement[datetime]
) -> sa.ColumnElement[int]:
    """Return an expression for the number of postings that open or close between two instants."""
    c = vacancies.c
    opened, closed = (
        sa.select(sa.func.count())
        .select_from(vacancies)
        .where(c.tenant == tenant, c.publication == Publication.PUBLIC, edge > then, edge <= now)
        .scalar_subquery()
        for edge in (c.opens_at, c.closes_at)
    )
    return opened + closed


def _rows(tenant: str, totals: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    return [{"tenant": tenant, "facet": key[0], "value": key[1], "n": n} for key, n in sorted(totals.items())]


def _add(connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    added = insert(connection, table)
    summed = added.on_conflict_do_update(
        index_elements=list(table.primary_key.columns), set_={"n": table.c.n + added.excluded.n}
    )
    connection.execute(summed, rows)


_ROOM = 40_000
"""Combinations that a process caches, about 400 bytes each."""
_MOST = 20_000
"""Limit for one tenant; if there are more, none are cached."""
_LOCATED = (*WHOLE_CELL, vacancies.c.x, vacancies.c.y, vacancies.c.z, vacancies.c.area)


class Located(NamedTuple):
    """A combination and where its postings are: a point on the unit sphere, and the code of a region, if known."""

    cell: FilterCombination
    x: float | None
    y: float | None
    z: float | None
    area: str | None


@dataclass(frozen=True, slots=True)
class _Counted:
    """Combinations of one version of the mirror at one instant. found: None if there are too many to cache."""

    version: int
    at: datetime
    found: Counter[Located] | None


class _CombinationCache:
    """The combinations of the most recently used tenants."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Counted] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, tenant: str, version: int) -> _Counted | None:
        with self._lock:
            counted = self._kept.get(tenant)
            if counted is None or counted.version != version:
                return None
            self._kept.move_to_end(tenant)
            return counted

    def keep(self, tenant: str, counted: _Counted) -> None:
        with self._lock:
            self._kept[tenant] = counted
            self._kept.move_to_end(tenant)
            while sum(len(each.found or ()) for each in self._kept.values()) > _ROOM:
                self._kept.popitem(last=False)


_caches: WeakKeyDictionary[sa.Engine, _CombinationCache] = WeakKeyDictionary()


def combinations(
    connection: sa.Connection, tenant: Tenant, *, version: int, counted_at: datetime, now: datetime
) -> Counter[FilterCombination] | None:
    """Return the combinations at `now`; None if there are too many, so that reading rows is faster.

    version, counted_at: columns of mirrors, read in this connection's transaction.
    """
    if tenant_filters(tenant.publish):
        known = located(connection, tenant, version=version, now=now)
        return None if known is None else _without_places(known)
    v = vacancy_cells.c
    query = sa.select(*(v[facet] for facet in FACETS), v.n).where(v.tenant == tenant.slug)
    cells = cells_of(connection.execute(query).all())
    cells.update(opened_or_closed_between(connection, tenant.slug, counted_at, now))
    return cells


def located(connection: sa.Connection, tenant: Tenant, *, version: int, now: datetime) -> Counter[Located] | None:
    """Return the combinations at `now` with coordinates and regions; None if there are too many."""
    cache = _caches.setdefault(connection.engine, _CombinationCache())
    counted = cache.find(tenant.slug, version)
    if counted is None:
        counted = _Counted(version, now, _read(connection, tenant.slug, now))
        cache.keep(tenant.slug, counted)
    if counted.found is None or counted.at == now:
        return counted.found
    moved = _located(crossed_rows(connection, tenant.slug, counted.at, now, _LOCATED))
    if not moved:
        return counted.found
    found = Counter(counted.found)
    found.update(moved)
    return found


def _read(connection: sa.Connection, tenant: str, now: datetime) -> Counter[Located] | None:
    mine = (vacancies.c.tenant == tenant, vacancies.c.publication == Publication.PUBLIC)
    query = sa.select(*_LOCATED, sa.func.count()).where(*mine, is_open(now)).group_by(*_LOCATED).limit(_MOST + 1)
    rows = connection.execute(query).all()
    return _located(rows) if len(rows) <= _MOST else None


def _located(rows: Iterable[Any]) -> Counter[Located]:
    size = len(WHOLE_CELL)
    return Counter({Located(FilterCombination(*row[:size]), *row[size:-1]): int(row[-1]) for row in rows if row[-1]})


def _without_places(known: Counter[Located]) -> Counter[FilterCombination]:
    cells: Counter[FilterCombination] = Counter()
    for each, n in known.items():
        cells[each.cell] += n
    return cells
