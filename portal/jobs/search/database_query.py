"""A visitor's query as SQL conditions: words, location, filters, instant, and what is public at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.operators import custom_op

from portal.contract.bodies import LocationType
from portal.jobs.places.gazetteer import Spot, chord_squared, unit_vector
from portal.jobs.places.place_lookup import REMOTE, SearchLocation, choices, guessed, is_about, meanings
from portal.jobs.places.reach import reaches_to
from portal.jobs.posting import Query
from portal.jobs.search import concepts, facets, matching
from portal.jobs.search.counts import is_open
from portal.jobs.search.facets import FacetSelection
from portal.jobs.search.words import Term, synonyms_of, terms_of
from portal.jobs.tables import Publication, vacancies, vacancy_texts, vacancy_totals
from portal.jobs.text.language import WIDESPREAD
from portal.tenants.model import Tenant

_SCAN_UP_TO = 500
"""A tenant with at most as many postings is searched by scanning them, on PostgreSQL."""
_VILLAGE_JOBS_LIMIT = 20
"""Jobs in villages of one name that are compared with the country or region typed."""
NEAR_KM = 50
"""Radius in km if no distance is given."""
_STEPS = 1e12
"""Whole numbers into which a squared distance on the unit sphere is divided: steps of metres or less within 100 km."""
_FARTHEST = 10**13
"""The square of the largest distance is 4, so this is farther than any place."""


@dataclass(frozen=True, slots=True)
class DatabaseQuery:
    """A query prepared for the database."""

    tenant: Tenant
    """The company whose postings are searched."""
    now: datetime
    """The instant at which a posting must be open."""
    terms: Sequence[Term] = ()
    """Search terms, each of which must match; () for a list without words."""
    place: SearchLocation | None = None
    """What the query's location was understood as; None if it names no known location."""
    within_km: int = NEAR_KM
    """Radius around `place`; without effect if that has no coordinates."""
    alternatives: tuple[SearchLocation, ...] = ()
    """Other locations that the name may mean."""
    is_guess: bool = False
    """Whether no location has exactly the name that was typed."""
    prefer_scan: bool = False
    """Whether PostgreSQL should scan the tenant's postings (matching.matching_rows)."""
    among: sa.Select[tuple[int]] | None = None
    """Query for the rows of the mirror to search; None for all of the tenant."""

    @property
    def centre(self) -> tuple[float, float, float] | None:
        """The point from which distances are measured, on the unit sphere."""
        spot = self.place.spot if self.place else None
        return unit_vector(spot.latitude, spot.longitude) if spot else None


def prepare_query(
    connection: sa.Connection, tenant: Tenant, query: Query, now: datetime, postings: int
) -> DatabaseQuery:
    """Return the query with all forms of its words, and its location. postings: roughly how many the tenant has."""
    prepared = DatabaseQuery(tenant, now, _terms(tenant, query.text), prefer_scan=postings <= _SCAN_UP_TO)
    if not query.near:
        return prepared
    countries = _countries(connection, tenant)
    # PostgreSQL rejects NUL in text; an Arabic comma is one, too.
    near = query.near.replace("\x00", " ").replace("،", ",")
    exact = meanings(near, countries) or _by_own_job(connection, tenant, near)
    places = exact or guessed(near, countries)
    if not places:
        return prepared
    alternatives = choices(places, countries, near if exact else places[0].name)
    within_km = query.within_km or NEAR_KM
    return replace(prepared, place=places[0], within_km=within_km, alternatives=alternatives, is_guess=not exact)


def _terms(tenant: Tenant, text: str) -> list[Term]:
    languages = _languages(tenant)
    lines = tuple((word, *others) for word, others in tenant.search.synonyms.items())
    return terms_of(text, languages, synonyms_of(lines, languages), by_occupation=True)


def _languages(tenant: Tenant) -> tuple[str, ...]:
    """Return the languages of the site, and those of many postings."""
    own = {locale.split("-")[0] for locale in tenant.site.locales}
    return tuple(sorted(own | WIDESPREAD))


def _countries(connection: sa.Connection, tenant: Tenant) -> list[str]:
    """Return the countries where the tenant has jobs, those with most jobs first."""
    t = vacancy_totals.c
    own = (t.tenant == tenant.slug, t.facet == "country", t.n > 0)
    return list(connection.scalars(sa.select(t.value).where(*own).order_by(t.n.desc(), t.value)))


def _by_own_job(connection: sa.Connection, tenant: Tenant, name: str) -> list[SearchLocation]:
    """Return a village that the gazetteer does not list, but where the tenant has a job with coordinates."""
    called, *about = name.split(",")
    query = (
        sa.select(vacancy_texts.c.latitude, vacancy_texts.c.longitude, vacancies.c.city, vacancies.c.country)
        .join(vacancies, vacancies.c.row == vacancy_texts.c.row)
        .where(
            vacancies.c.tenant == tenant.slug,
            vacancies.c.publication == Publication.PUBLIC,
            sa.func.lower(vacancies.c.city) == called.strip().lower(),
            vacancy_texts.c.latitude.is_not(None),
        )
        .limit(_VILLAGE_JOBS_LIMIT)
    )
    rows = (row for row in connection.execute(query) if is_about(row.country, about))
    return [SearchLocation(row.city, country=row.country, spot=Spot(row.latitude, row.longitude)) for row in rows][:1]


def selected_facets(connection: sa.Connection, tenant: Tenant, query: Query) -> FacetSelection:
    """Return the filters whose values the tenant's postings have or had; all others are ignored."""
    if not facets.has_filters(query):
        return FacetSelection()
    t = vacancy_totals.c
    known: dict[str, list[str]] = {}
    for facet, value in connection.execute(sa.select(t.facet, t.value).where(t.tenant == tenant.slug)):
        known.setdefault(facet, []).append(value)
    return facets.chosen(query, known, tenant.publish)


def visible_conditions(
    prepared: DatabaseQuery, *, by_row: bool = False, in_order: bool = False
) -> list[sa.ColumnElement[bool]]:
    """Return the conditions that hold for every posting that may be shown, except words and filters.

    by_row: make SQLite look rows up one by one, by keeping it from using all other indexes, which begin with the
    tenant. in_order: make SQLite read the newest rows first until there are enough, instead of using the indexes on
    dates.
    """
    c = vacancies.c
    dates = [is_open(prepared.now)]
    if in_order:
        dates = [_unindexed(c.opens_at) <= prepared.now, _unindexed(c.closes_at) > prepared.now]
    conditions = [
        (_unindexed(c.tenant) if by_row else c.tenant) == prepared.tenant.slug,
        c.publication == Publication.PUBLIC,
        c.stage.in_(prepared.tenant.publish.stages),
        *dates,
    ]
    if prepared.among is not None:
        conditions.append(c.row.in_(prepared.among))
    return [*conditions, *_location_conditions(prepared)]


def _unindexed(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """Return the same value with a unary plus, which stops SQLite from using an index of the column."""
    return sa.UnaryExpression(column, operator=custom_op("+"), type_=column.type)


def _location_conditions(prepared: DatabaseQuery) -> list[sa.ColumnElement[bool]]:
    c, place = vacancies.c, prepared.place
    if place is None:
        return []
    if place == REMOTE:
        return [c.location_type == LocationType.REMOTE]
    inside = _within_radius(prepared.centre, prepared.within_km) if prepared.centre else c.country == place.country
    if place.region and not prepared.centre:
        inside = sa.and_(inside, c.area == place.region)
    remote = _remote(place)
    if not remote:
        return [inside]
    own_public = (c.tenant == prepared.tenant.slug, c.publication == Publication.PUBLIC)
    # Two halves, so that each can use an index.
    return [
        c.row.in_(
            sa.union_all(sa.select(c.row).where(*own_public, inside), sa.select(c.row).where(*own_public, *remote))
        )
    ]


def _remote(place: SearchLocation) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for jobs that can be done from anywhere in the location's country."""
    c, country = vacancies.c, place.country
    if not country:
        return []
    reached = sa.or_(c.country == country, sa.and_(c.country == "", c.area.in_(reaches_to(country))))
    return [c.country.in_([country, ""]), c.location_type == LocationType.REMOTE, reached]


def _within_radius(centre: tuple[float, float, float], within_km: int) -> sa.ColumnElement[bool]:
    c, z = vacancies.c, centre[2]
    # The first two let an index find the belt around the earth in which the circle lies.
    chord = chord_squared(within_km)
    reach = math.sqrt(chord)
    return sa.and_(c.z >= z - reach, c.z <= z + reach, _distance_squared(centre) <= chord)


def _distance_squared(centre: tuple[float, float, float]) -> sa.ColumnElement[float]:
    c, (x, y, z) = vacancies.c, centre
    return (c.x - x) * (c.x - x) + (c.y - y) * (c.y - y) + (c.z - z) * (c.z - z)


def nearness(prepared: DatabaseQuery, *, sqlite: bool) -> sa.ColumnElement[int]:
    """Return a whole number that is larger the nearer a posting is to the location; 0 if distances are unknown.

    Remote jobs that can be done from anywhere in the location's country come last: their distance says nothing. Whole
    numbers are the same on both databases and stay exact in a cursor.
    """
    if prepared.centre is None or prepared.place is None:
        return sa.literal(0)
    steps = _distance_squared(prepared.centre) * _STEPS
    squared = sa.cast(steps if sqlite else sa.func.floor(steps), sa.BigInteger)
    remote = _remote(prepared.place)
    farther = sa.case((sa.and_(*remote), _FARTHEST), else_=squared) if remote else squared
    return -sa.func.coalesce(farther, sa.literal(_FARTHEST))


def with_spelling_corrected(connection: sa.Connection, prepared: DatabaseQuery) -> DatabaseQuery | None:
    """Return the query with misspelt words corrected by the words of the tenant's postings; None without any."""
    better: list[str] = []
    for each in prepared.terms:
        is_a_name = each.phrases or each.occupations or concepts.type_named(each.word)
        meant = [] if is_a_name else matching.similar_words(connection, prepared.tenant.slug, each.word)
        better.append(meant[0] if meant else each.word)
    if better == [each.word for each in prepared.terms]:
        return None
    return replace(prepared, terms=_terms(prepared.tenant, " ".join(better) + " "))
