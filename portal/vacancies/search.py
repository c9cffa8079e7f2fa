"""What visitors see of the mirror: a list that was searched and narrowed, and one posting.

Every question takes the tenant and the instant: what is public at `now` is decided here and nowhere else, by stored
standing, by the stages that the tenant publishes this moment, and by the posting's own dates.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.db import EPOCH, Database
from portal.tenants.model import PUBLIC_ID, Tenant
from portal.vacancies import cursor, facets, matching
from portal.vacancies.counts import CELL, FACETS, TOTAL, Cell, crossed, is_open
from portal.vacancies.facets import Chosen, Facets
from portal.vacancies.gazetteer import Spot, chord_squared, find_place, unit_vector
from portal.vacancies.hits import hit_of, posting_columns, posting_of
from portal.vacancies.ingest import rules_hash
from portal.vacancies.posting import Closed, Hit, Posting, Query, Results, Sort
from portal.vacancies.tables import Standing, mirrors, vacancies, vacancy_cells, vacancy_texts, vacancy_totals
from portal.vacancies.words import Term, term, terms_of

NEAR_KM = 50
"""What "near" means where no distance is given."""
_SIZE_MOST = 1_000
_SIMILAR = 4


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query as it is asked of the database."""

    tenant: Tenant
    now: datetime
    terms: Sequence[Term] = ()
    centre: tuple[float, float, float] | None = None
    chord: float = 0.0
    nowhere: bool = False


def find(db: Database, tenant: Tenant, query: Query, now: datetime) -> Results:
    """A page of the tenant's open postings, with its filters."""
    with db.read() as connection:
        state = connection.execute(
            sa.select(mirrors.c.counted_at, mirrors.c.rules).where(mirrors.c.tenant == tenant.slug)
        ).one_or_none()
        if state is None or not tenant.publish.stages:
            return _nothing(query)
        asked = _asked(connection, tenant, query, now)
        picked = _picked(connection, tenant, query)
        # Counts that are kept hold for the rule they were made by; while a changed one is being applied, rows are read.
        kept = state.counted_at if state.rules == rules_hash(tenant.publish) else None
        counted = _count(connection, asked, picked, kept)
        corrected = None
        if asked.terms and counted.total == 0 and not asked.nowhere:
            other = _forgiven(connection, asked, picked)
            if other is not None:
                asked, counted = other
                corrected = " ".join(each.word for each in asked.terms)
        sort = query.sort or (Sort.RELEVANCE if asked.terms else Sort.DATE)
        hits, following = _page(connection, asked, picked, sort, query) if counted.total else ((), None)
    return Results(
        hits=hits,
        total=counted.total,
        cities=counted.cities,
        countries=counted.countries,
        employment_types=counted.employment_types,
        location_types=counted.location_types,
        next=following,
        corrected=corrected,
        near_unknown=asked.nowhere,
    )


def posting(db: Database, tenant: Tenant, posting_id: str, now: datetime) -> Posting | Closed | None:
    """The posting of that id; Closed when it was public and no longer is; None when it never was."""
    if not PUBLIC_ID.fullmatch(posting_id):
        return None
    columns = (*posting_columns(), vacancies.c.was_open, vacancies.c.standing, vacancies.c.stage)
    query = (
        sa.select(*columns)
        .join(vacancy_texts, vacancy_texts.c.row == vacancies.c.row)
        .where(vacancies.c.tenant == tenant.slug, vacancies.c.posting_id == posting_id)
        .order_by(vacancies.c.row.desc())
    )
    with db.read() as connection:
        rows = connection.execute(query).all()
        for row in rows:
            by_rule = row.standing == Standing.PUBLIC and row.stage in tenant.publish.stages
            if by_rule and row.opens_at <= now < row.closes_at:
                return posting_of(row, tenant)
        for row in rows:
            public = row.standing == Standing.PUBLIC
            if row.was_open or (public and row.opens_at <= now and row.opens_at < row.closes_at):
                return Closed(id=posting_id, title=row.title, similar=_similar(connection, tenant, row, now))
    return None


def _asked(connection: sa.Connection, tenant: Tenant, query: Query, now: datetime) -> _Asked:
    asked = _Asked(tenant, now, terms_of(query.text, _languages(tenant)))
    if not query.near:
        return asked
    spot = _spot(connection, tenant, query.near)
    if spot is None:
        return replace(asked, nowhere=True)
    chord = chord_squared(query.within_km or NEAR_KM)
    return replace(asked, centre=unit_vector(spot.latitude, spot.longitude), chord=chord)


def _languages(tenant: Tenant) -> set[str]:
    """Those of the site, and those that postings all over Europe are written in."""
    return {locale.split("-")[0] for locale in tenant.site.locales} | {"en", "de", "fr", "es", "it", "nl", "pt", "pl"}


def _spot(connection: sa.Connection, tenant: Tenant, name: str) -> Spot | None:
    t = vacancy_totals.c
    countries = connection.scalars(
        sa.select(t.value).where(t.tenant == tenant.slug, t.facet == "country", t.n > 0)
    ).all()
    found = find_place(name, countries)
    if found is not None:
        return found
    # A village that no gazetteer lists, but where the tenant has a job with coordinates.
    query = (
        sa.select(vacancy_texts.c.latitude, vacancy_texts.c.longitude)
        .join(vacancies, vacancies.c.row == vacancy_texts.c.row)
        .where(
            vacancies.c.tenant == tenant.slug,
            vacancies.c.standing == Standing.PUBLIC,
            sa.func.lower(vacancies.c.city) == name.lower(),
            vacancy_texts.c.latitude.is_not(None),
        )
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return Spot(row.latitude, row.longitude) if row else None


def _picked(connection: sa.Connection, tenant: Tenant, query: Query) -> Chosen:
    """The filters whose values are or were known here; what a visitor invents is ignored."""
    if not (query.countries or query.cities or query.employment_types or query.location_types):
        return facets.chosen(query, {})
    t = vacancy_totals.c
    known: dict[str, list[str]] = {}
    for facet, value in connection.execute(sa.select(t.facet, t.value).where(t.tenant == tenant.slug)):
        known.setdefault(facet, []).append(value)
    return facets.chosen(query, known)


def _matching(asked: _Asked, connection: sa.Connection) -> tuple[sa.FromClause, list[sa.ColumnElement[bool]]]:
    """Where to read from, and what holds for every posting that may be shown, filters aside."""
    c = vacancies.c
    conditions = [
        c.tenant == asked.tenant.slug,
        c.standing == Standing.PUBLIC,
        c.stage.in_(asked.tenant.publish.stages),
        is_open(asked.now),
    ]
    source: sa.FromClause = vacancies
    if asked.nowhere:
        conditions.append(sa.false())
    if asked.centre is not None:
        x, y, z = asked.centre
        square = (c.x - x) * (c.x - x) + (c.y - y) * (c.y - y) + (c.z - z) * (c.z - z)
        conditions.append(square <= asked.chord)
    if asked.terms:
        matched = matching.having(asked.tenant.slug, asked.terms, sqlite=_is_sqlite(connection))
        source = matched.join(vacancies, c.row == matched.c.row)
    return source, conditions


def _count(connection: sa.Connection, asked: _Asked, picked: Chosen, counted_at: datetime | None) -> Facets:
    if asked.terms or asked.centre or asked.nowhere or counted_at is None:
        source, conditions = _matching(asked, connection)
        query = sa.select(*CELL, sa.func.count()).select_from(source).where(*conditions).group_by(*CELL)
        cells = Counter({Cell(*row[:4]): row[4] for row in connection.execute(query)})
        return facets.from_cells(cells, picked)
    since = crossed(connection, asked.tenant.slug, counted_at, asked.now)
    if picked:
        v = vacancy_cells.c
        query = sa.select(v.country, v.city, v.employment_type, v.location_type, v.n).where(
            v.tenant == asked.tenant.slug
        )
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


def _forgiven(connection: sa.Connection, asked: _Asked, picked: Chosen) -> tuple[_Asked, Facets] | None:
    """The same search with misspelt words put right, if that finds anything."""
    mended: list[Term] = []
    for each in asked.terms:
        meant = matching.meant_by(connection, asked.tenant.slug, each.word)
        mended.append(term(meant[0], _languages(asked.tenant)) if meant else each)
    if [each.word for each in mended] == [each.word for each in asked.terms]:
        return None
    other = replace(asked, terms=mended)
    counted = _count(connection, other, picked, None)
    return (other, counted) if counted.total else None


def _page(
    connection: sa.Connection, asked: _Asked, picked: Chosen, sort: Sort, query: Query
) -> tuple[tuple[Hit, ...], str | None]:
    c = vacancies.c
    source, conditions = _matching(asked, connection)
    conditions += [c[facet].in_(values) for facet, values in picked.by_facet().items() if values]
    tier = _tier(asked, connection) if sort is Sort.RELEVANCE and asked.terms else sa.literal(0)
    size = min(max(query.size, 1), _SIZE_MOST)
    after = cursor.read(sort, query.after)
    if after is not None:
        dated = sa.type_coerce(c.dated_at, sa.BigInteger)
        place = sa.tuple_(tier, dated, c.row) if asked.terms else sa.tuple_(dated, c.row)
        values = (after.tier, after.dated_at, after.row) if asked.terms else (after.dated_at, after.row)
        conditions.append(place < sa.tuple_(*map(sa.literal, values)))
    order = (tier.desc(), c.dated_at.desc(), c.row.desc()) if asked.terms else (c.dated_at.desc(), c.row.desc())
    found = sa.select(c.row, tier.label("tier")).select_from(source).where(*conditions).order_by(*order).limit(size + 1)
    places = connection.execute(found).all()
    shown = [row.row for row in places[:size]]
    hits = _hits(connection, asked, shown)
    if len(places) <= size or not hits:
        return hits, None
    last = connection.scalar(sa.select(c.dated_at).where(c.row == shown[-1]))
    return hits, cursor.write(sort, cursor.After(places[size - 1].tier, _micros(last or EPOCH), shown[-1]))


def _tier(asked: _Asked, connection: sa.Connection) -> sa.ColumnElement[int]:
    """2 when the title has every word, 1 when it has one, 0 when only the description matches."""
    sqlite = _is_sqlite(connection)
    every = matching.titled(asked.terms, every=True, sqlite=sqlite)
    some = matching.titled(asked.terms, every=False, sqlite=sqlite)
    return sa.case((vacancies.c.row.in_(every), 2), (vacancies.c.row.in_(some), 1), else_=0)


def _hits(connection: sa.Connection, asked: _Asked, rows: list[int]) -> tuple[Hit, ...]:
    if not rows:
        return ()
    query = (
        sa.select(*posting_columns())
        .join(vacancy_texts, vacancy_texts.c.row == vacancies.c.row)
        .where(vacancies.c.row.in_(rows))
    )
    found = {row.row: row for row in connection.execute(query)}
    return tuple(hit_of(found[row], asked.tenant, asked.terms) for row in rows)


def _similar(
    connection: sa.Connection, tenant: Tenant, gone: sa.Row[*tuple[Any, ...]], now: datetime
) -> tuple[Hit, ...]:
    """Open jobs like one that is closed: those whose titles share most with its own, then those in its city."""
    wanted = [each for each in terms_of(gone.title + " ", [gone.language]) if len(each.word) > 2]
    asked = _Asked(tenant, now)
    _, conditions = _matching(asked, connection)
    c = vacancies.c
    nearness = sa.case((c.city == gone.city, 2), (c.country == gone.country, 1), else_=0)
    found: list[int] = []
    if wanted:
        titled = matching.titled(wanted, every=False, sqlite=_is_sqlite(connection))
        query = sa.select(c.row).where(*conditions, c.row.in_(titled)).order_by(nearness.desc(), c.dated_at.desc())
        found += connection.scalars(query.limit(_SIMILAR)).all()
    if len(found) < _SIMILAR and gone.city:
        query = (
            sa.select(c.row).where(*conditions, c.city == gone.city, c.row.not_in(found)).order_by(c.dated_at.desc())
        )
        found += connection.scalars(query.limit(_SIMILAR - len(found))).all()
    return _hits(connection, asked, found)


def _nothing(query: Query) -> Results:
    empty = facets.from_totals(0, {}, facets.chosen(query, {}))
    return Results((), 0, empty.cities, empty.countries, empty.employment_types, empty.location_types, None)


def _is_sqlite(connection: sa.Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _micros(at: datetime) -> int:
    delta = at - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
