"""What visitors see of the mirror: a list that was searched and narrowed, and one posting.

Every question takes the tenant and the instant: what is public at `now` is decided here and nowhere else, by stored
publication, by the stages that the tenant publishes this moment, and by the posting's own dates.
"""

from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.db import Database
from portal.tenants.model import Tenant
from portal.tenants.values import PUBLIC_ID
from portal.vacancies import facets
from portal.vacancies.counts import CELL, TOTAL, Cell, crossed
from portal.vacancies.facets import Chosen, Facets
from portal.vacancies.hits import posting_columns, posting_of
from portal.vacancies.ingest import stages_hash
from portal.vacancies.page import Page, matched, page, similar
from portal.vacancies.posting import FACETS, Closed, Hit, Posting, Query, Results, Sort
from portal.vacancies.question import Asked, ask, mended, open_to, picked_of
from portal.vacancies.tables import (
    Publication,
    mirrors,
    vacancies,
    vacancy_cells,
    vacancy_former_ids,
    vacancy_texts,
    vacancy_totals,
)


def find(db: Database, tenant: Tenant, query: Query, now: datetime) -> Results:
    """A page of the tenant's open postings, with its filters."""
    t = vacancy_totals.c
    postings = sa.select(t.n).where(t.tenant == tenant.slug, t.facet == TOTAL, t.value == "").scalar_subquery()
    with db.read() as connection:
        state = connection.execute(
            sa.select(mirrors.c.counted_at, mirrors.c.judged_by, postings.label("postings")).where(
                mirrors.c.tenant == tenant.slug
            )
        ).one_or_none()
        if state is None or not tenant.publish.stages:
            return _results(facets.from_totals(0, {}, {}))
        asked = ask(connection, tenant, query, now, state.postings or 0)
        picked = picked_of(connection, tenant, query)
        if asked.terms:
            return _searched(connection, asked, picked, query)
        # Counts that are kept hold for the stages they were made by; while others are being applied, rows are read.
        kept = state.counted_at if state.judged_by == stages_hash(tenant.publish) else None
        counted = _count(connection, asked, picked, kept)
        hits, following = (
            page(connection, asked, picked, query.sort or Sort.DATE, query) if counted.total else ((), None)
        )
    return _results(counted, hits, following, near_unknown=asked.nowhere)


def among(connection: sa.Connection, tenant: Tenant, query: Query, rows: sa.Select[tuple[int]], now: datetime) -> Page:
    """The first page of what a search finds among these rows of the mirror, and the place of the next.

    It finds nothing where the search cannot be asked any more: a filter that nobody knows now would narrow nothing.
    """
    asked = replace(ask(connection, tenant, query, now, 0), among=rows)
    picked = picked_of(connection, tenant, query)
    if any(getattr(query, member) and facet not in picked for facet, member in FACETS.items()):
        return (), None
    sort = query.sort or Sort.DATE
    if asked.terms:
        return matched(connection, asked, picked, sort, query)[1]
    return page(connection, asked, picked, sort, query)


def _searched(connection: sa.Connection, asked: Asked, picked: Chosen, query: Query) -> Results:
    """By words; where nothing has them, by those that may have been meant."""
    sort = query.sort or Sort.RELEVANCE
    cells, (hits, following) = matched(connection, asked, picked, sort, query)
    counted, corrected = facets.from_cells(cells, picked), None
    if counted.total == 0 and not asked.nowhere and (better := mended(connection, asked)):
        cells, found = matched(connection, better, picked, sort, query)
        if any(cells.values()) and (mend := facets.from_cells(cells, picked)).total:
            counted, (hits, following) = mend, found
            corrected = " ".join(each.word for each in better.terms)
    return _results(counted, hits, following, corrected, near_unknown=asked.nowhere)


def posting(db: Database, tenant: Tenant, posting_id: str, now: datetime) -> Posting | Closed | None:
    """The posting of that id; Closed when it was public and no longer is; None when it never was."""
    if not PUBLIC_ID.fullmatch(posting_id):
        return None
    c, former = vacancies.c, vacancy_former_ids.c
    facts = sa.select(*posting_columns(), c.was_open, c.publication, c.stage).join(
        vacancy_texts, vacancy_texts.c.row == c.row
    )
    by_id = facts.where(c.tenant == tenant.slug, c.posting_id == posting_id).order_by(c.row.desc())
    by_former_id = facts.join(vacancy_former_ids, former.row == c.row).where(
        former.tenant == tenant.slug, former.posting_id == posting_id
    )
    with db.read() as connection:
        rows = connection.execute(by_id).all()
        for row in rows:
            by_rule = row.publication == Publication.PUBLIC and row.stage in tenant.publish.stages
            if by_rule and row.opens_at <= now < row.closes_at:
                return posting_of(row, tenant)
        closed = [row for row in rows if _was_public(row, now)] or connection.execute(by_former_id).all()
        if not closed:
            return None
        return Closed(posting_id, closed[0].title, similar(connection, tenant, closed[0], now))


def _was_public(row: sa.Row[*tuple[Any, ...]], now: datetime) -> bool:
    opened = row.publication == Publication.PUBLIC and row.opens_at <= now and row.opens_at < row.closes_at
    return bool(row.was_open) or opened


def _count(connection: sa.Connection, asked: Asked, picked: Chosen, counted_at: datetime | None) -> Facets:
    if asked.centre or asked.nowhere or counted_at is None:
        query = sa.select(*CELL, sa.func.count()).where(*open_to(asked)).group_by(*CELL)
        cells = Counter({Cell(*row[:4]): row[4] for row in connection.execute(query)})
        return facets.from_cells(cells, picked)
    since = crossed(connection, asked.tenant.slug, counted_at, asked.now)
    if picked:
        v = vacancy_cells.c
        query = sa.select(*(v[facet] for facet in FACETS), v.n).where(v.tenant == asked.tenant.slug)
        cells = Counter({Cell(*row[:4]): row[4] for row in connection.execute(query)})
        cells.update(since)
        return facets.from_cells(cells, picked)
    return _totals(connection, asked.tenant.slug, since, picked)


def _totals(connection: sa.Connection, tenant: str, since: Counter[Cell], picked: Chosen) -> Facets:
    """The list that nothing narrows: sums that are kept, of cities only the largest."""
    t = vacancy_totals.c
    mine = sa.select(t.facet, t.value, t.n).where(t.tenant == tenant, t.n > 0)
    cities = mine.where(t.facet == "city").order_by(t.n.desc()).limit(facets.CITIES_MOST)
    counted: dict[str, Counter[str]] = {facet: Counter() for facet in (*FACETS, TOTAL)}
    for query in (mine.where(t.facet.in_([*(f for f in FACETS if f != "city"), TOTAL])), cities):
        for facet, value, n in connection.execute(query):
            counted[facet][value] = n
    for cell, n in since.items():
        counted[TOTAL][""] += n
        for facet, value in cell._asdict().items():
            counted[facet][value] += n
    return facets.from_totals(counted[TOTAL][""], counted, picked)


def _results(
    counted: Facets,
    hits: tuple[Hit, ...] = (),
    following: str | None = None,
    corrected: str | None = None,
    *,
    near_unknown: bool = False,
) -> Results:
    return Results(
        hits=hits,
        total=counted.total,
        **counted.choices,
        next=following,
        corrected=corrected,
        near_unknown=near_unknown,
    )
