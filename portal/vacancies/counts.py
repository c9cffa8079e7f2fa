"""How many postings each filter value has, kept beside the postings so that a list need not read them all.

Counts are of one instant, mirrors.counted_at. Postings that start or end between then and now are few and found by
index, so the counts of any other instant are these and a small difference.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from portal.db import insert
from portal.vacancies.attributes import Attribute, read
from portal.vacancies.posting import FACETS
from portal.vacancies.tables import Publication, mirrors, vacancies, vacancy_cells, vacancy_totals


class Cell(NamedTuple):
    """One combination of filter values, in the order of posting.FACETS, and attributes; '' where a posting has none."""

    country: str
    city: str
    employment_type: str
    location_type: str
    attributes: str = ""


CELL = tuple(vacancies.c[facet] for facet in FACETS)
"""Of a tenant who offers no attributes: an index has all of these."""
WHOLE_CELL = (*CELL, vacancies.c.attributes)
TOTAL = "total"
"""The facet of vacancy_totals that has one value, '': all of them."""
PLACE = "place"
"""The facet of vacancy_totals whose values are country and city: one city's name is not one city's alone."""


def is_open(at: datetime) -> sa.ColumnElement[bool]:
    """Whether a posting's dates make it public at an instant."""
    return sa.and_(vacancies.c.opens_at <= at, vacancies.c.closes_at > at)


def contributions(connection: sa.Connection, rows: Iterable[int], counted_at: datetime) -> Counter[Cell]:
    """What these rows add to the counts."""
    query = (
        sa.select(*WHOLE_CELL, sa.func.count())
        .where(vacancies.c.row.in_(list(rows)), vacancies.c.publication == Publication.PUBLIC, is_open(counted_at))
        .group_by(*WHOLE_CELL)
    )
    return cells_of(connection.execute(query))


def cells_of(rows: Iterable[Sequence[Any]]) -> Counter[Cell]:
    """From rows of CELL or WHOLE_CELL and a number; those of 0 are left out."""
    return Counter({Cell(*row[:-1]): int(row[-1]) for row in rows if row[-1]})


def sums(cell: Cell) -> list[tuple[str, str]]:
    """Where a posting counts in vacancy_totals: facet and value."""
    fixed = [(facet, value) for facet, value in zip(FACETS, cell, strict=False) if value]
    where = [(PLACE, f"{cell.country}\n{cell.city}")] if cell.city else []
    return [(TOTAL, ""), *fixed, *where, *read(cell.attributes)]


def shift(connection: sa.Connection, tenant: str, before: Counter[Cell], after: Counter[Cell]) -> None:
    """Replace what some rows added to the counts by what they add now."""
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


def recount(connection: sa.Connection, tenant: str, counted_at: datetime, offered: Iterable[Attribute]) -> None:
    """Put right what a release before this one does not keep: sums by place and by attribute; and forget attributes
    that are not offered any more.
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
    """Bring the counts to `now`."""
    moved = crossed(connection, tenant, counted_at, now)
    shift(connection, tenant, Counter(), moved)
    connection.execute(sa.update(mirrors).where(mirrors.c.tenant == tenant).values(counted_at=now))


def crossed(connection: sa.Connection, tenant: str, then: datetime, now: datetime) -> Counter[Cell]:
    """The difference that starting and ending between two instants makes; either may be the earlier."""
    return cells_of(crossed_rows(connection, tenant, then, now, WHOLE_CELL))


def crossed_rows(
    connection: sa.Connection, tenant: str, then: datetime, now: datetime, columns: Sequence[sa.Column[Any]]
) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    """The same, by any columns of vacancies: theirs, and the difference."""
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
    """How many starts and ends lie between two instants."""
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
