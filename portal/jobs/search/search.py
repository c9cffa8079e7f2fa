"""What visitors see of the mirror: a searched and filtered list, and single postings.

All functions take the tenant and the instant. Only this package decides what is public at `now`: by the stored
publication, by the stages that the tenant file publishes now, and by the posting's own dates.
"""

from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from portal.contract.bounds import PUBLIC_ID
from portal.jobs.mirror.ingest import stages_hash
from portal.jobs.places.gazetteer import chord_squared
from portal.jobs.places.place_lookup import SearchLocation
from portal.jobs.posting import FACETS, Closed, Hit, Posting, Query, Results
from portal.jobs.search import facets
from portal.jobs.search.attributes import tenant_filters
from portal.jobs.search.counts import (
    CELL,
    PLACE,
    TOTAL,
    WHOLE_CELL,
    FilterCombination,
    Located,
    cells_of,
    combinations,
    located,
    opened_or_closed_between,
    totals_counting,
)
from portal.jobs.search.database_query import (
    DatabaseQuery,
    prepare_query,
    selected_facets,
    visible_conditions,
    with_spelling_corrected,
)
from portal.jobs.search.facets import Facets, FacetSelection
from portal.jobs.search.hits import posting_columns, posting_of
from portal.jobs.search.page import NOTHING, ResultPage, page_of_matches, page_without_words, similar, sort_in_effect
from portal.jobs.search.words import spelt, terms_of
from portal.jobs.tables import Publication, mirrors, vacancies, vacancy_former_ids, vacancy_texts, vacancy_totals
from portal.platform.database.db import Database
from portal.tenants.model import Tenant

_SPELLINGS = 1_000
"""Largest number of spellings of locations that are combined for the list without filters."""


class _CountsVersion(NamedTuple):
    """The version and the instant of the mirror that the stored counts belong to."""

    version: int
    counted_at: datetime


def find(db: Database, tenant: Tenant, query: Query, now: datetime) -> Results:
    """Return a page of the tenant's open postings, with filters and counts."""
    t = vacancy_totals.c
    postings = sa.select(t.n).where(t.tenant == tenant.slug, t.facet == TOTAL, t.value == "").scalar_subquery()
    with db.read() as connection:
        state = connection.execute(
            sa.select(mirrors.c.counted_at, mirrors.c.version, mirrors.c.judged_by, postings.label("postings")).where(
                mirrors.c.tenant == tenant.slug
            )
        ).one_or_none()
        if state is None or not tenant.publish.stages:
            return _results(
                query,
                DatabaseQuery(tenant, now),
                facets.from_totals({}, FacetSelection(), tenant.publish),
                selected=FacetSelection(),
            )
        prepared = prepare_query(connection, tenant, query, now, state.postings or 0)
        selected = selected_facets(connection, tenant, query)
        if prepared.terms:
            some = _searched(connection, prepared, selected, query)
            if query.after and some.total and not some.hits:
                return _searched(connection, prepared, selected, replace(query, after=None))
            return some
        # Stored counts are valid for the stages they were made for; after a change of the stages, rows are read until
        # the counts are updated.
        counts_are_current = state.judged_by == stages_hash(tenant.publish)
        stored = _CountsVersion(state.version, state.counted_at) if counts_are_current else None
        counted = _count(connection, prepared, selected, stored)
        found = (
            page_without_words(connection, prepared, selected, sort_in_effect(prepared, query.sort), query)
            if counted.total
            else NOTHING
        )
    if query.after and counted.total and not found.hits:  # all postings of this page have closed since
        return find(db, tenant, replace(query, after=None), now)
    return _results(query, prepared, counted, found, selected=selected)


def first_page_among_rows(
    connection: sa.Connection, tenant: Tenant, query: Query, rows: sa.Select[tuple[int]], now: datetime
) -> ResultPage:
    """Return the first page of the matches among these rows of the mirror, and the cursor of the next page.

    Returns nothing if a filter value or the location is unknown now, because the search would ignore it and match too
    much.
    """
    prepared = replace(prepare_query(connection, tenant, query, now, 0), among=rows)
    selected = selected_facets(connection, tenant, query)
    if selected.ignored or (query.near and prepared.place is None):
        return NOTHING
    sort = sort_in_effect(prepared, query.sort)
    if prepared.terms:
        return page_of_matches(connection, prepared, selected, sort, query)[1]
    return page_without_words(connection, prepared, selected, sort, query)


def _searched(connection: sa.Connection, prepared: DatabaseQuery, selected: FacetSelection, query: Query) -> Results:
    """Search by words; if nothing matches, search again with misspelt words corrected."""
    sort = sort_in_effect(prepared, query.sort)
    cells, found = page_of_matches(connection, prepared, selected, sort, query)
    counted, corrected = _of_cells(cells, selected, prepared), None
    if counted.total == 0 and (better := with_spelling_corrected(connection, prepared)):
        cells, others = page_of_matches(connection, better, selected, sort, query)
        if any(cells.values()) and (recounted := _of_cells(cells, selected, prepared)).total:
            counted, found = recounted, others
            texts = [text for hit in found.hits for text in (hit.posting.title, hit.summary)]
            corrected = " ".join(spelt(word, texts) for each in better.terms for word in each.word.split())
    return _results(query, prepared, counted, found, corrected, selected=selected)


def posting(db: Database, tenant: Tenant, posting_id: str, now: datetime) -> Posting | Closed | None:
    """Return the posting of that id; Closed if it was public and is not any more; None if it never was public."""
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


def similar_to(db: Database, tenant: Tenant, posting_id: str, now: datetime) -> tuple[Hit, ...]:
    """Return open jobs similar to the one of that id, which may be open or closed and is not among them."""
    c = vacancies.c
    facts = sa.select(*posting_columns()).join(vacancy_texts, vacancy_texts.c.row == c.row)
    query = facts.where(c.tenant == tenant.slug, c.posting_id == posting_id).order_by(c.row.desc()).limit(1)
    with db.read() as connection:
        row = connection.execute(query).one_or_none()
        return similar(connection, tenant, row, now, itself=False) if row else ()


def _was_public(row: sa.Row[*tuple[Any, ...]], now: datetime) -> bool:
    opened = row.publication == Publication.PUBLIC and row.opens_at <= now and row.opens_at < row.closes_at
    return bool(row.was_open) or opened


def _count(
    connection: sa.Connection, prepared: DatabaseQuery, selected: FacetSelection, stored: _CountsVersion | None
) -> Facets:
    """Count filter values. stored: None after a change of the published stages; then the counts are made from rows."""
    if stored and not prepared.place and not selected.values:
        changes = opened_or_closed_between(connection, prepared.tenant.slug, stored.counted_at, prepared.now)
        return _totals(connection, prepared.tenant, changes, selected)
    cells = _stored_cells(connection, prepared, stored) if stored else None
    return _of_cells(_cells(connection, prepared) if cells is None else cells, selected, prepared)


def _stored_cells(
    connection: sa.Connection, prepared: DatabaseQuery, stored: _CountsVersion
) -> Counter[FilterCombination] | None:
    """Return the combinations from which filters are counted, from stored counts; None if there are too many."""
    place, version, counted_at = prepared.place, stored.version, stored.counted_at
    if place is None or (not place.region and not place.spot):
        cells = combinations(connection, prepared.tenant, version=version, counted_at=counted_at, now=prepared.now)
        if cells is None or place is None:
            return cells
        return Counter({cell: n for cell, n in cells.items() if facets.is_there(cell, place)})
    known = located(connection, prepared.tenant, version=version, now=prepared.now)
    if known is None:
        return None
    there: Counter[FilterCombination] = Counter()
    for each, n in known.items():
        if facets.is_there(each.cell, place) or _is_in_area(each, prepared, place):
            there[each.cell] += n
    return there


def _is_in_area(each: Located, prepared: DatabaseQuery, place: SearchLocation) -> bool:
    """Return whether postings there are within the radius around the place, or in its region if it is one."""
    if prepared.centre is None:
        return each.cell.country == place.country and each.area == place.region
    if each.x is None or each.y is None or each.z is None:
        return False
    square = sum((one - other) ** 2 for one, other in zip((each.x, each.y, each.z), prepared.centre, strict=True))
    return square <= chord_squared(prepared.within_km)


def _cells(connection: sa.Connection, prepared: DatabaseQuery) -> Counter[FilterCombination]:
    cell = WHOLE_CELL if tenant_filters(prepared.tenant.publish) else CELL
    query = sa.select(*cell, sa.func.count()).where(*visible_conditions(prepared)).group_by(*cell)
    return cells_of(connection.execute(query).all())


def _of_cells(cells: Counter[FilterCombination], selected: FacetSelection, prepared: DatabaseQuery) -> Facets:
    publish = prepared.tenant.publish
    counted = facets.from_cells(cells, selected, publish)
    if prepared.place is None or not prepared.place.country:
        return counted
    return replace(counted, remote=facets.remote_of(cells, selected, publish, prepared.place.country))


def _totals(
    connection: sa.Connection, tenant: Tenant, changes: Counter[FilterCombination], selected: FacetSelection
) -> Facets:
    """Count the list without filters from stored totals, and the changes since; of locations and tenants' own filters
    only the largest.
    """
    t = vacancy_totals.c
    mine = sa.select(t.facet, t.value, t.n).where(t.tenant == tenant.slug, t.n > 0)
    limited = [(PLACE, _SPELLINGS), *((each.key, facets.MOST) for each in tenant_filters(tenant.publish))]
    largest = [mine.where(t.facet == facet).order_by(t.n.desc()).limit(most) for facet, most in limited]
    counted = {facet: Counter[str]() for facet in (*FACETS, TOTAL, *(facet for facet, _ in limited))}
    for query in (mine.where(t.facet.in_([*(f for f in FACETS if f != "city"), TOTAL])), *largest):
        for facet, value, n in connection.execute(query):
            counted[facet][value] = n
    for cell, n in changes.items():
        for facet, value in totals_counting(cell):
            if facet in counted:
                counted[facet][value] += n
    return facets.from_totals(counted, selected, tenant.publish)


def _results(
    query: Query,
    prepared: DatabaseQuery,
    counted: Facets,
    found: ResultPage = NOTHING,
    corrected: str | None = None,
    *,
    selected: FacetSelection,
) -> Results:
    return Results(
        hits=found.hits,
        total=counted.total,
        **counted.choices,
        next=found.following,
        corrected=corrected,
        wordless=bool(query.text) and not terms_of(query.text, ()),
        near_unknown=bool(query.near) and prepared.place is None,
        place=prepared.place,
        near_guessed=prepared.is_guess,
        within_km=prepared.within_km if prepared.centre else 0,
        sort=sort_in_effect(prepared, query.sort),
        remote=counted.remote,
        others=prepared.alternatives,
        attributes=counted.attributes,
        ignored=selected.ignored,
        first=_first(counted.total, found),
    )


def _first(total: int, found: ResultPage) -> int | None:
    """Return the position of the page's first hit: computed on the last page, else from the cursor if plausible."""
    if not found.hits:
        return None
    if found.following is None:
        return max(1, total - len(found.hits) + 1)
    passed = found.passed
    return passed + 1 if passed is not None and passed + len(found.hits) < total else None
