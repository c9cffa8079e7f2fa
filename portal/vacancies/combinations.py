"""Every combination of filter values, with the number of its open postings: what narrowed lists are counted from.

Of a tenant without filters of its own they are kept in the database. With such filters, or with the point on the map
where a job is, they may be as many there as postings (docs/decisions/0083), so they are read from the rows once for
each version of the mirror and kept in the process, as far as there is room.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from portal.tenants.model import Tenant
from portal.vacancies.attributes import offered
from portal.vacancies.counts import WHOLE_CELL, Cell, cells_of, crossed, crossed_rows, is_open
from portal.vacancies.posting import FACETS
from portal.vacancies.tables import Publication, vacancies, vacancy_cells

_ROOM = 40_000
"""Combinations that a process keeps, about 400 bytes each."""
_MOST = 20_000
"""Those of one tenant; more are not kept."""
_LOCATED = (*WHOLE_CELL, vacancies.c.x, vacancies.c.y, vacancies.c.z, vacancies.c.area)


class Located(NamedTuple):
    """A combination and where its postings are: a point on a ball of radius 1, and the code of a region, if known."""

    cell: Cell
    x: float | None
    y: float | None
    z: float | None
    area: str | None


@dataclass(frozen=True, slots=True)
class _Counted:
    """As it was at an instant, of a version of the mirror. found: None where there are more than are kept."""

    version: int
    at: datetime
    found: Counter[Located] | None


class _Shelf:
    """The combinations of some tenants, those that were asked for last."""

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


_shelves: WeakKeyDictionary[sa.Engine, _Shelf] = WeakKeyDictionary()


def combinations(
    connection: sa.Connection, tenant: Tenant, *, version: int, counted_at: datetime, now: datetime
) -> Counter[Cell] | None:
    """Those at `now`; None where they are too many, and rows had better be read.

    version, counted_at: as mirrors has them, read in the transaction of this connection.
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
    """The same, with where they are."""
    shelf = _shelves.setdefault(connection.engine, _Shelf())
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
