"""Number of open postings for every combination of filter values, from which filters of narrowed lists are counted.

They are stored in the database for tenants without filters of their own. With such filters, or with the coordinates of
jobs, there may be as many combinations as postings (docs/decisions/0083), so they are then read from the rows once for
each version of the mirror and cached in the process, up to a limit.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from portal.jobs.posting import FACETS
from portal.jobs.search.attributes import offered
from portal.jobs.search.counts import WHOLE_CELL, Cell, cells_of, crossed, crossed_rows, is_open
from portal.jobs.tables import Publication, vacancies, vacancy_cells
from portal.tenants.model import Tenant

_ROOM = 40_000
"""Combinations that a process caches, about 400 bytes each."""
_MOST = 20_000
"""Limit for one tenant; if there are more, none are cached."""
_LOCATED = (*WHOLE_CELL, vacancies.c.x, vacancies.c.y, vacancies.c.z, vacancies.c.area)


class Located(NamedTuple):
    """A combination and where its postings are: a point on the unit sphere, and the code of a region, if known."""

    cell: Cell
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


_shelves: WeakKeyDictionary[sa.Engine, _CombinationCache] = WeakKeyDictionary()


def combinations(
    connection: sa.Connection, tenant: Tenant, *, version: int, counted_at: datetime, now: datetime
) -> Counter[Cell] | None:
    """Return the combinations at `now`; None if there are too many, so that reading rows is faster.

    version, counted_at: columns of mirrors, read in this connection's transaction.
    """
    if offered(tenant.publish):
        known = located(connection, tenant, version=version, now=now)
        return None if known is None else _without_places(known)
    v = vacancy_cells.c
    query = sa.select(*(v[facet] for facet in FACETS), v.n).where(v.tenant == tenant.slug)
    cells = cells_of(connection.execute(query).all())
    cells.update(crossed(connection, tenant.slug, counted_at, now))
    return cells


def located(connection: sa.Connection, tenant: Tenant, *, version: int, now: datetime) -> Counter[Located] | None:
    """Return the combinations at `now` with coordinates and regions; None if there are too many."""
    shelf = _shelves.setdefault(connection.engine, _CombinationCache())
    counted = shelf.find(tenant.slug, version)
    if counted is None:
        counted = _Counted(version, now, _read(connection, tenant.slug, now))
        shelf.keep(tenant.slug, counted)
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
    return Counter({Located(Cell(*row[:size]), *row[size:-1]): int(row[-1]) for row in rows if row[-1]})


def _without_places(known: Counter[Located]) -> Counter[Cell]:
    cells: Counter[Cell] = Counter()
    for each, n in known.items():
        cells[each.cell] += n
    return cells
