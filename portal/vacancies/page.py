"""A page of postings, in order and from a place on; and the open postings that are like a closed one."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from portal.tenants.model import Tenant
from portal.vacancies import cursor, matching
from portal.vacancies.attributes import offered
from portal.vacancies.counts import CELL, WHOLE_CELL, Cell, cells_of
from portal.vacancies.facets import Chosen
from portal.vacancies.hits import hit_of, posting_columns
from portal.vacancies.posting import Hit, Query, Sort
from portal.vacancies.question import Asked, open_to
from portal.vacancies.tables import vacancies, vacancy_texts
from portal.vacancies.words import Marker, terms_of

_SIZE_MOST = 1_000
_SIMILAR = 4


class Page(NamedTuple):
    """Postings, the place of the next page, and how many postings the pages before had, as the address says."""

    hits: tuple[Hit, ...] = ()
    following: str | None = None
    passed: int | None = None


NOTHING = Page()


def page(connection: sa.Connection, asked: Asked, picked: Chosen, sort: Sort, query: Query) -> Page:
    """One page of a list that no word narrows; `query.after` is where it begins."""
    c = vacancies.c
    conditions = picked.conditions(c, sqlite=connection.dialect.name == "sqlite")
    # What a tenant names is in no index: a search for it finds enough among the newest, or reads every row.
    in_order = connection.dialect.name == "sqlite" and bool(picked.values) and bool(offered(asked.tenant.publish))
    conditions += open_to(asked, in_order=in_order)
    after = cursor.read(sort, query.after)
    dated = sa.type_coerce(c.dated_at, sa.BigInteger).label("dated_at")
    if after is not None:
        place = (sa.literal(after.dated_at), sa.literal(after.row))
        conditions.append(sa.tuple_(dated.element, c.row) < sa.tuple_(*place))
    found = sa.select(c.row, dated, sa.literal(0).label("tier")).where(*conditions)
    found = found.order_by(c.dated_at.desc(), c.row.desc()).limit(_size(query) + 1)
    return _cut(connection, asked, sort, query, connection.execute(found).all())


def matched(
    connection: sa.Connection, asked: Asked, picked: Chosen, sort: Sort, query: Query
) -> tuple[Counter[Cell], Page]:
    """The same where words were searched for, and how many postings have them by their filter values.

    One statement, because finding what has the words is most of the work.
    """
    sqlite = connection.dialect.name == "sqlite"
    found = _found(asked, sort, sqlite=sqlite)
    f = found.c
    after = cursor.read(sort, query.after)
    conditions = picked.conditions(f, sqlite=sqlite)
    if after is not None:
        place = (sa.literal(after.tier), sa.literal(after.dated_at), sa.literal(after.row))
        conditions.append(sa.tuple_(f.tier, f.dated_at, f.row) < sa.tuple_(*place))
    cells = [f[column.name] for column in _cell(asked)]
    no_text, no_number = sa.cast(sa.null(), sa.Text), sa.cast(sa.null(), sa.BigInteger)
    counted = sa.select(*cells, sa.func.count(), *(no_number.label(name) for name in ("row", "at", "tier"))).group_by(
        *cells
    )
    places = sa.select(f.row, f.dated_at, f.tier).where(*conditions)
    places = places.order_by(f.tier.desc(), f.dated_at.desc(), f.row.desc()).limit(_size(query) + 1)
    uncounted = sa.select(*(no_text.label(column.name) for column in cells), no_number.label("n"), *places.subquery().c)
    rows = connection.execute(counted.union_all(uncounted)).all()
    cut = len(cells)
    counts = cells_of(row[: cut + 1] for row in rows if row[cut] is not None)
    return counts, _cut(connection, asked, sort, query, [_Place(*row[cut + 1 :]) for row in rows if row[cut] is None])


def _found(asked: Asked, sort: Sort, *, sqlite: bool) -> sa.CTE:
    """Every open posting that has the words: row, dated_at in microseconds since 1970, tier, and its filter values."""
    c = vacancies.c
    having = matching.having(asked.tenant.slug, asked.terms, sqlite=sqlite, few=asked.few)
    ranked = sort is Sort.RELEVANCE
    tier = matching.tier(asked.tenant.slug, asked.terms, having, sqlite=sqlite) if ranked else sa.literal(0)
    dated = sa.type_coerce(c.dated_at, sa.BigInteger).label("dated_at")
    found = sa.select(c.row, dated, tier.label("tier"), *_cell(asked)).select_from(
        having.join(vacancies, c.row == having.c.row)
    )
    return found.where(*open_to(asked, by_row=sqlite)).cte("found").prefix_with("MATERIALIZED")


def _cell(asked: Asked) -> tuple[sa.Column[str], ...]:
    return WHOLE_CELL if offered(asked.tenant.publish) else CELL


class _Place(NamedTuple):
    row: int
    dated_at: int
    tier: int


def _size(query: Query) -> int:
    return min(max(query.size, 1), _SIZE_MOST)


def _cut(connection: sa.Connection, asked: Asked, sort: Sort, query: Query, places: Sequence[Any]) -> Page:
    size = _size(query)
    hits = _hits(connection, asked, [place.row for place in places[:size]])
    after = cursor.read(sort, query.after)
    passed = after.passed if after else 0
    if len(places) <= size:
        return Page(hits, None, passed)
    last = places[size - 1]
    now = None if passed is None else passed + size
    return Page(hits, cursor.write(sort, cursor.After(last.tier, last.dated_at, last.row, now)), passed)


def _hits(connection: sa.Connection, asked: Asked, rows: list[int]) -> tuple[Hit, ...]:
    if not rows:
        return ()
    query = (
        sa.select(*posting_columns())
        .join(vacancy_texts, vacancy_texts.c.row == vacancies.c.row)
        .where(vacancies.c.row.in_(rows))
    )
    found = {row.row: row for row in connection.execute(query)}
    marker = Marker(asked.terms)
    return tuple(hit_of(found[row], asked, marker) for row in rows)


def similar(
    connection: sa.Connection, tenant: Tenant, gone: sa.Row[*tuple[Any, ...]], now: datetime, *, itself: bool = True
) -> tuple[Hit, ...]:
    """Open jobs like one that is closed: those whose titles share most with its own, then those in its city.

    itself: the job is the first of them where it is open still, at another address.
    """
    wanted = [each for each in terms_of(gone.title + " ", [gone.language]) if len(each.word) > 2]
    asked = Asked(tenant, now)
    c = vacancies.c
    conditions = [*open_to(asked), *([] if itself else [c.row != gone.row])]
    nearness = sa.case((c.row == gone.row, 3), (c.city == gone.city, 2), (c.country == gone.country, 1), else_=0)
    found: list[int] = []
    if wanted:
        titled = matching.titled(tenant.slug, wanted, sqlite=connection.dialect.name == "sqlite")
        query = sa.select(c.row).where(*conditions, c.row.in_(titled)).order_by(nearness.desc(), c.dated_at.desc())
        found += connection.scalars(query.limit(_SIMILAR)).all()
    if len(found) < _SIMILAR and gone.city:
        query = (
            sa.select(c.row).where(*conditions, c.city == gone.city, c.row.not_in(found)).order_by(c.dated_at.desc())
        )
        found += connection.scalars(query.limit(_SIMILAR - len(found))).all()
    return _hits(connection, asked, found)
