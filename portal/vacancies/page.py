"""A page of postings, in order and from a place on; and the open postings that are like a closed one."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from portal.db import EPOCH
from portal.tenants.model import Tenant
from portal.vacancies import cursor, matching
from portal.vacancies.facets import Chosen
from portal.vacancies.hits import hit_of, posting_columns
from portal.vacancies.posting import Hit, Query, Sort
from portal.vacancies.question import Asked, hinted, open_to
from portal.vacancies.tables import vacancies, vacancy_texts
from portal.vacancies.words import Marker, terms_of

_SIZE_MOST = 1_000
_SIMILAR = 4


def page(
    connection: sa.Connection, asked: Asked, picked: Chosen, sort: Sort, query: Query
) -> tuple[tuple[Hit, ...], str | None]:
    """The postings of one page, and the place of the next; `query.after` is where this one begins."""
    c = vacancies.c
    source, conditions = open_to(asked, connection)
    conditions += [c[facet].in_(values) for facet, values in picked.items()]
    tier = (_tier(asked, connection) if sort is Sort.RELEVANCE and asked.terms else sa.literal(0)).label("tier")
    size = min(max(query.size, 1), _SIZE_MOST)
    order = [c.dated_at, c.row] if not asked.terms else [tier, c.dated_at, c.row]
    after = cursor.read(sort, query.after)
    if after is not None:
        conditions.append(_beyond(after, tier if asked.terms else None))
    found = sa.select(c.row, c.dated_at, tier).select_from(source).where(*conditions)
    found = found.order_by(*(column.desc() for column in order)).limit(size + 1)
    places = connection.execute(hinted(found, asked)).all()
    hits = _hits(connection, asked, [row.row for row in places[:size]])
    if len(places) <= size:
        return hits, None
    last = places[size - 1]
    return hits, cursor.write(
        sort, cursor.After(last.tier, (last.dated_at - EPOCH) // timedelta(microseconds=1), last.row)
    )


def _beyond(after: cursor.After, tier: sa.Label[int] | None) -> sa.ColumnElement[bool]:
    dated = sa.type_coerce(vacancies.c.dated_at, sa.BigInteger)
    if tier is None:
        return sa.tuple_(dated, vacancies.c.row) < sa.tuple_(sa.literal(after.dated_at), sa.literal(after.row))
    place = (sa.literal(after.tier), sa.literal(after.dated_at), sa.literal(after.row))
    return sa.tuple_(tier.element, dated, vacancies.c.row) < sa.tuple_(*place)


def _tier(asked: Asked, connection: sa.Connection) -> sa.ColumnElement[int]:
    """2 when the title has every word, 1 when it has one, 0 when only the description matches."""
    sqlite = connection.dialect.name == "sqlite"
    every = matching.titled(asked.terms, every=True, sqlite=sqlite)
    if len(asked.terms) == 1:
        return sa.case((vacancies.c.row.in_(every), 2), else_=0)
    some = matching.titled_and_having(asked.tenant.slug, asked.terms, sqlite=sqlite)
    return sa.case((vacancies.c.row.in_(every), 2), (vacancies.c.row.in_(some), 1), else_=0)


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
    return tuple(hit_of(found[row], asked.tenant, marker) for row in rows)


def similar(
    connection: sa.Connection, tenant: Tenant, gone: sa.Row[*tuple[Any, ...]], now: datetime
) -> tuple[Hit, ...]:
    """Open jobs like one that is closed: those whose titles share most with its own, then those in its city.

    The job itself is the first where it is open still, at another address.
    """
    wanted = [each for each in terms_of(gone.title + " ", [gone.language]) if len(each.word) > 2]
    asked = Asked(tenant, now)
    _, conditions = open_to(asked, connection)
    c = vacancies.c
    nearness = sa.case((c.row == gone.row, 3), (c.city == gone.city, 2), (c.country == gone.country, 1), else_=0)
    found: list[int] = []
    if wanted:
        titled = matching.titled(wanted, every=False, sqlite=connection.dialect.name == "sqlite")
        query = sa.select(c.row).where(*conditions, c.row.in_(titled)).order_by(nearness.desc(), c.dated_at.desc())
        found += connection.scalars(query.limit(_SIMILAR)).all()
    if len(found) < _SIMILAR and gone.city:
        query = (
            sa.select(c.row).where(*conditions, c.city == gone.city, c.row.not_in(found)).order_by(c.dated_at.desc())
        )
        found += connection.scalars(query.limit(_SIMILAR - len(found))).all()
    return _hits(connection, asked, found)
