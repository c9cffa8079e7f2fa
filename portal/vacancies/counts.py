"""How many postings each filter value has, kept beside the postings so that a list need not read them all.

Counts are of one instant, mirrors.counted_at. Postings that start or end between then and now are few and found by
index, so the counts of any other instant are these and a small difference.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from portal.db import insert
from portal.vacancies.posting import FACETS
from portal.vacancies.tables import Publication, mirrors, vacancies, vacancy_cells, vacancy_totals


class Cell(NamedTuple):
    """One combination of filter values, in the order of posting.FACETS; '' where a posting has none."""

    country: str
    city: str
    employment_type: str
    location_type: str


CELL = tuple(vacancies.c[facet] for facet in FACETS)
TOTAL = "total"
"""The facet of vacancy_totals that has one value, '': all of them."""


def is_open(at: datetime) -> sa.ColumnElement[bool]:
    """Whether a posting's dates make it public at an instant."""
    return sa.and_(vacancies.c.opens_at <= at, vacancies.c.closes_at > at)


def contributions(connection: sa.Connection, rows: Iterable[int], counted_at: datetime) -> Counter[Cell]:
    """What these rows add to the counts."""
    query = (
        sa.select(*CELL, sa.func.count())
        .where(vacancies.c.row.in_(list(rows)), vacancies.c.publication == Publication.PUBLIC, is_open(counted_at))
        .group_by(*CELL)
    )
    return Counter({Cell(*row[:4]): row[4] for row in connection.execute(query)})


def shift(connection: sa.Connection, tenant: str, before: Counter[Cell], after: Counter[Cell]) -> None:
    """Replace what some rows added to the counts by what they add now."""
    difference = Counter(after)
    difference.subtract(before)
    cells = {cell: n for cell, n in difference.items() if n}
    _add(connection, vacancy_cells, [{"tenant": tenant, **cell._asdict(), "n": n} for cell, n in cells.items()])
    lost = [{f"b_{name}": value for name, value in cell._asdict().items()} for cell, n in cells.items() if n < 0]
    if lost:
        c = vacancy_cells.c
        same = [c[name] == sa.bindparam(f"b_{name}") for name in FACETS]
        connection.execute(sa.delete(vacancy_cells).where(c.tenant == tenant, c.n == 0, *same), lost)
    totals: Counter[tuple[str, str]] = Counter()
    for cell, n in cells.items():
        totals[TOTAL, ""] += n
        for facet, value in cell._asdict().items():
            if value:
                totals[facet, value] += n
    rows = [{"tenant": tenant, "facet": key[0], "value": key[1], "n": n} for key, n in sorted(totals.items())]
    _add(connection, vacancy_totals, rows)


def settle(connection: sa.Connection, tenant: str, counted_at: datetime, now: datetime) -> None:
    """Bring the counts to `now`."""
    moved = crossed(connection, tenant, counted_at, now)
    shift(connection, tenant, Counter(), moved)
    connection.execute(sa.update(mirrors).where(mirrors.c.tenant == tenant).values(counted_at=now))


def crossed(connection: sa.Connection, tenant: str, then: datetime, now: datetime) -> Counter[Cell]:
    """The difference that starting and ending between two instants makes; either may be the earlier."""
    low, high = min(then, now), max(then, now)
    change = sa.func.sum(sa.case((is_open(now), 1), else_=0) - sa.case((is_open(then), 1), else_=0))
    passed = [
        sa.select(vacancies.c.row).where(
            vacancies.c.tenant == tenant, vacancies.c.publication == Publication.PUBLIC, edge > low, edge <= high
        )
        for edge in (vacancies.c.opens_at, vacancies.c.closes_at)
    ]
    query = sa.select(*CELL, change).where(vacancies.c.row.in_(sa.union_all(*passed))).group_by(*CELL)
    return Counter({Cell(*row[:4]): int(row[4]) for row in connection.execute(query) if row[4]})


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


def _add(connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    added = insert(connection, table)
    summed = added.on_conflict_do_update(
        index_elements=list(table.primary_key.columns), set_={"n": table.c.n + added.excluded.n}
    )
    connection.execute(summed, rows)
