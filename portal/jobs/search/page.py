"""One page of a list of postings, from a cursor on; and open postings similar to a closed one."""

import base64
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from portal.jobs.posting import Hit, Query, Sort
from portal.jobs.search import matching, ranking
from portal.jobs.search.attributes import tenant_filters
from portal.jobs.search.counts import CELL, WHOLE_CELL, FilterCombination, cells_of
from portal.jobs.search.database_query import DatabaseQuery, nearness, visible_conditions
from portal.jobs.search.facets import FacetSelection
from portal.jobs.search.hits import hit_of, posting_columns
from portal.jobs.search.words import Marker, terms_of
from portal.jobs.tables import vacancies, vacancy_texts, vacancy_words
from portal.tenants.model import Tenant

_SHAPE = re.compile(r"([rnd])(-?\d{1,2})(?:@(-?\d{1,15}))?,(-?\d{1,18}),(\d{1,18})(?:,(\d{1,9}))?")
_KIND = {Sort.RELEVANCE: "r", Sort.DISTANCE: "n", Sort.DATE: "d"}


@dataclass(frozen=True, slots=True)
class PageCursor:
    """The last posting of the previous page: its match rank, its nearness, its date in µs since 1970, its row.

    nearness: as in database_query.nearness. passed: number of postings on that page and earlier ones; None if the
    cursor does not say so.
    """

    relevance: int
    nearness: int
    dated_at: int
    row: int
    passed: int | None = None


def encode_cursor(sort: Sort, after: PageCursor) -> str:
    """Return the cursor as letters, digits, - and _."""
    near = f"@{after.nearness}" if after.nearness else ""
    text = f"{_KIND[sort]}{after.relevance}{near},{after.dated_at},{after.row}"
    if after.passed is not None:
        text += f",{after.passed}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(sort: Sort, text: str | None) -> PageCursor | None:
    """Return the position; None for the first page, a damaged cursor, or one of a list in another order."""
    if not text or not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", text):
        return None
    try:
        plain = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except ValueError:
        return None
    found = _SHAPE.fullmatch(plain)
    if not found or found[1] != _KIND[sort]:
        return None
    relevance, nearness, dated_at, row, passed = found.groups()[1:]
    return PageCursor(int(relevance), int(nearness or 0), int(dated_at), int(row), int(passed) if passed else None)


_SIZE_MOST = 1_000
_SIMILAR = 4


class ResultPage(NamedTuple):
    """Postings, the cursor of the next page, and the number of postings on earlier pages according to the cursor."""

    hits: tuple[Hit, ...] = ()
    following: str | None = None
    passed: int | None = None


NOTHING = ResultPage()


def sort_in_effect(prepared: DatabaseQuery, asked: Sort | None) -> Sort:
    """Return the order of the list: the one asked for if it can be made, else by relevance, distance or date."""
    if asked is Sort.DATE or (asked is Sort.DISTANCE and prepared.centre):
        return asked
    if prepared.terms:
        return Sort.RELEVANCE
    return Sort.DISTANCE if prepared.centre else Sort.DATE


def page_without_words(
    connection: sa.Connection, prepared: DatabaseQuery, selected: FacetSelection, sort: Sort, query: Query
) -> ResultPage:
    """Return one page of a list without search words; `query.after` is its cursor."""
    c = vacancies.c
    sqlite = connection.dialect.name == "sqlite"
    conditions = selected.conditions(c, sqlite=sqlite)
    # A tenant's own filters are in no index: SQLite finds enough matches among the newest rows, or reads all of them.
    in_order = sqlite and bool(selected.values) and bool(tenant_filters(prepared.tenant.publish))
    conditions += visible_conditions(prepared, in_order=in_order)
    after = decode_cursor(sort, query.after)
    dated = sa.type_coerce(c.dated_at, sa.BigInteger).label("dated_at")
    by_distance = sort is Sort.DISTANCE
    near = nearness(prepared, sqlite=sqlite) if by_distance else sa.literal(0)
    # An index provides the order by date, and could not be used for an order with more columns.
    keys: list[sa.ColumnElement[Any]] = [*([near] if by_distance else []), dated.element, c.row]
    if after is not None:
        position = [*([after.nearness] if by_distance else []), after.dated_at, after.row]
        conditions.append(sa.tuple_(*keys) < sa.tuple_(*map(sa.literal, position)))
    found = sa.select(c.row, dated, sa.literal(0).label("relevance"), near.label("nearness")).where(*conditions)
    found = found.order_by(*(key.desc() for key in keys)).limit(_size(query) + 1)
    return _cut(connection, prepared, sort, query, connection.execute(found).all())


def page_of_matches(
    connection: sa.Connection, prepared: DatabaseQuery, selected: FacetSelection, sort: Sort, query: Query
) -> tuple[Counter[FilterCombination], ResultPage]:
    """Return one page of a list with search words, and the number of all matches by their filter values.

    Both in one statement, because finding the matches is most of the work.
    """
    sqlite = connection.dialect.name == "sqlite"
    found = _found(prepared, sort, sqlite=sqlite)
    f = found.c
    after = decode_cursor(sort, query.after)
    conditions = selected.conditions(f, sqlite=sqlite)
    if after is not None:
        position = map(sa.literal, (after.relevance, after.nearness, after.dated_at, after.row))
        conditions.append(sa.tuple_(f.relevance, f.nearness, f.dated_at, f.row) < sa.tuple_(*position))
    cells = [f[column.name] for column in _cell(prepared)]
    no_text, no_number = sa.cast(sa.null(), sa.Text), sa.cast(sa.null(), sa.BigInteger)
    counted = sa.select(
        *cells, sa.func.count(), *(no_number.label(name) for name in ("row", "at", "relevance", "nearness"))
    ).group_by(*cells)
    positions = sa.select(f.row, f.dated_at, f.relevance, f.nearness).where(*conditions)
    positions = positions.order_by(f.relevance.desc(), f.nearness.desc(), f.dated_at.desc(), f.row.desc()).limit(
        _size(query) + 1
    )
    uncounted = sa.select(
        *(no_text.label(column.name) for column in cells), no_number.label("n"), *positions.subquery().c
    )
    rows = connection.execute(counted.union_all(uncounted)).all()
    cut = len(cells)
    counts = cells_of(row[: cut + 1] for row in rows if row[cut] is not None)
    return counts, _cut(
        connection, prepared, sort, query, [_PagePosition(*row[cut + 1 :]) for row in rows if row[cut] is None]
    )


def _found(prepared: DatabaseQuery, sort: Sort, *, sqlite: bool) -> sa.CTE:
    """Return a query for all open postings with the words: row, dated_at in µs since 1970, ranks, filter values."""
    c = vacancies.c
    matches = matching.matching_rows(
        prepared.tenant.slug, prepared.terms, sqlite=sqlite, prefer_scan=prepared.prefer_scan
    )
    ranked = sort is Sort.RELEVANCE
    relevance = (
        ranking.relevance_rank(prepared.tenant.slug, prepared.terms, matches, sqlite=sqlite)
        if ranked
        else sa.literal(0)
    )
    dated = sa.type_coerce(c.dated_at, sa.BigInteger).label("dated_at")
    near = sa.literal(0) if sort is Sort.DATE else nearness(prepared, sqlite=sqlite)
    found = sa.select(c.row, dated, relevance.label("relevance"), near.label("nearness"), *_cell(prepared)).select_from(
        matches.join(vacancies, c.row == matches.c.row)
    )
    return found.where(*visible_conditions(prepared, by_row=sqlite)).cte("found").prefix_with("MATERIALIZED")


def _cell(prepared: DatabaseQuery) -> tuple[sa.Column[str], ...]:
    return WHOLE_CELL if tenant_filters(prepared.tenant.publish) else CELL


class _PagePosition(NamedTuple):
    row: int
    dated_at: int
    relevance: int
    nearness: int


def _size(query: Query) -> int:
    return min(max(query.size, 1), _SIZE_MOST)


def _cut(
    connection: sa.Connection, prepared: DatabaseQuery, sort: Sort, query: Query, positions: Sequence[Any]
) -> ResultPage:
    size = _size(query)
    hits = _hits(connection, prepared, [position.row for position in positions[:size]])
    after = decode_cursor(sort, query.after)
    passed = after.passed if after else 0
    if len(positions) <= size:
        return ResultPage(hits, None, passed)
    last = positions[size - 1]
    now = None if passed is None else passed + size
    return ResultPage(
        hits, encode_cursor(sort, PageCursor(last.relevance, last.nearness, last.dated_at, last.row, now)), passed
    )


def _hits(connection: sa.Connection, prepared: DatabaseQuery, rows: list[int]) -> tuple[Hit, ...]:
    if not rows:
        return ()
    query = (
        sa.select(*posting_columns())
        .join(vacancy_texts, vacancy_texts.c.row == vacancies.c.row)
        .where(vacancies.c.row.in_(rows))
    )
    found = {row.row: row for row in connection.execute(query)}
    marker, words = Marker(prepared.terms), _indexed_words(connection, prepared, rows)
    return tuple(hit_of(found[row], prepared, marker, words.get(row, frozenset())) for row in rows)


def _indexed_words(connection: sa.Connection, prepared: DatabaseQuery, rows: list[int]) -> dict[int, frozenset[str]]:
    """Return the words of the postings in the index, if a term means an occupation; else nothing."""
    if not any(each.occupations for each in prepared.terms):
        return {}
    c = vacancy_words.c
    query = sa.select(c.row, c.words).where(c.row.in_(rows))
    return {row.row: frozenset(row.words.split()) for row in connection.execute(query)}


def similar(
    connection: sa.Connection, tenant: Tenant, gone: sa.Row[*tuple[Any, ...]], now: datetime, *, itself: bool = True
) -> tuple[Hit, ...]:
    """Return open jobs similar to one: those whose titles share the most words with its own, then those in its city.

    itself: whether the job itself may be among them, where it is open under another URL; it then comes first.
    """
    wanted = [each for each in terms_of(gone.title + " ", [gone.language]) if len(each.word) > 2]
    prepared = DatabaseQuery(tenant, now)
    c = vacancies.c
    conditions = [*visible_conditions(prepared), *([] if itself else [c.row != gone.row])]
    nearness = sa.case((c.row == gone.row, 3), (c.city == gone.city, 2), (c.country == gone.country, 1), else_=0)
    found: list[int] = []
    if wanted:
        titled = matching.rows_with_title(tenant.slug, wanted, sqlite=connection.dialect.name == "sqlite")
        query = sa.select(c.row).where(*conditions, c.row.in_(titled)).order_by(nearness.desc(), c.dated_at.desc())
        found += connection.scalars(query.limit(_SIMILAR)).all()
    if len(found) < _SIMILAR and gone.city:
        query = (
            sa.select(c.row).where(*conditions, c.city == gone.city, c.row.not_in(found)).order_by(c.dated_at.desc())
        )
        found += connection.scalars(query.limit(_SIMILAR - len(found))).all()
    return _hits(connection, prepared, found)
