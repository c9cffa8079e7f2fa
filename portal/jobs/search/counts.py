"""Stored numbers of postings for each filter value, so that a list need not read all postings to count.

Counts are for one instant, mirrors.counted_at. Postings that open or close between then and now are few and found by an
index, so the counts of any other instant are the stored ones and a small difference.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from portal.jobs.posting import FACETS
from portal.jobs.search.attributes import TenantFilter, read
from portal.jobs.tables import Publication, mirrors, vacancies, vacancy_cells, vacancy_totals
from portal.platform.database.db import insert


class Cell(NamedTuple):
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


def contributions(connection: sa.Connection, rows: Iterable[int], counted_at: datetime) -> Counter[Cell]:
    """Return what these rows contribute to the counts."""
    query = (
        sa.select(*WHOLE_CELL, sa.func.count())
        .where(vacancies.c.row.in_(list(rows)), vacancies.c.publication == Publication.PUBLIC, is_open(counted_at))
        .group_by(*WHOLE_CELL)
    )
    return cells_of(connection.execute(query))


def cells_of(rows: Iterable[Sequence[Any]]) -> Counter[Cell]:
    """Return counts from rows of CELL or WHOLE_CELL and a number, without those of 0."""
    return Counter({Cell(*row[:-1]): int(row[-1]) for row in rows if row[-1]})


def sums(cell: Cell) -> list[tuple[str, str]]:
    """Return the facets and values of vacancy_totals that count a posting with these values."""
    fixed = [(facet, value) for facet, value in zip(FACETS, cell, strict=False) if value]
    where = [(PLACE, f"{cell.country}\n{cell.city}")] if cell.city else []
    return [(TOTAL, ""), *fixed, *where, *read(cell.attributes)]


def shift(connection: sa.Connection, tenant: str, before: Counter[Cell], after: Counter[Cell]) -> None:
    """Replace the former contribution of some rows to the counts by their new one."""
    difference = Counter(after)
    difference.subtract(before)
    totals: Counter[tuple[str, str]] = Counter()
    plain: Counter[tuple[str, ...]] = Counter()
    for cell, n in difference.items():
        plain[cell[: len(FACETS)]] += n
        for where in sums(cell):
            totals[where] += n
    cells = [(dict(zip(FACETS, cell, strict=True)), n) for cell, n in plain.items() if n]
    _add(connection, vacancy_cells, [{"tenant": tenant, **cell, "n": n} for cell, n in cells])
    lost = [{f"b_{name}": value for name, value in cell.items()} for cell, n in cells if n < 0]
    if lost:
        c = vacancy_cells.c
        same = [c[name] == sa.bindparam(f"b_{name}") for name in FACETS]
        connection.execute(sa.delete(vacancy_cells).where(c.tenant == tenant, c.n == 0, *same), lost)
    _add(connection, vacancy_totals, _rows(tenant, {key: n for key, n in totals.items() if n}))


def recount(connection: sa.Connection, tenant: str, counted_at: datetime, offered: Iterable[TenantFilter]) -> None:
    """Correct the totals that the previous release does not maintain, by location and by attribute; delete those of
    attributes that the tenant does not offer any more.
    """
    t, c = vacancy_totals.c, vacancies.c
    query = (
        sa.select(c.country, c.city, sa.literal(""), sa.literal(""), c.attributes, sa.func.count())
        .where(c.tenant == tenant, c.publication == Publication.PUBLIC, is_open(counted_at))
        .group_by(c.country, c.city, c.attributes)
    )
    keys = {PLACE, *(each.key for each in offered)}
    true: Counter[tuple[str, str]] = Counter()
    for cell, n in cells_of(connection.execute(query).all()).items():
        for facet, value in sums(cell):
            if facet in keys:
                true[facet, value] += n
    mine = (t.tenant == tenant, t.facet.not_in([*FACETS, TOTAL]))
    kept = {(row.facet, row.value): row.n for row in connection.execute(sa.select(t.facet, t.value, t.n).where(*mine))}
    connection.execute(sa.delete(vacancy_totals).where(*mine, t.facet.not_in(keys)))
    moved = {key: true[key] - kept.get(key, 0) for key in {*true, *kept} if key[0] in keys}
    _add(connection, vacancy_totals, _rows(tenant, {key: n for key, n in moved.items() if n}))


def settle(connection: sa.Connection, tenant: str, counted_at: datetime, now: datetime) -> None:
    """Update the counts to `now`."""
    moved = crossed(connection, tenant, counted_at, now)
    shift(connection, tenant, Counter(), moved)
    connection.execute(sa.update(mirrors).where(mirrors.c.tenant == tenant).values(counted_at=now))


def crossed(connection: sa.Connection, tenant: str, then: datetime, now: datetime) -> Counter[Cell]:
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
