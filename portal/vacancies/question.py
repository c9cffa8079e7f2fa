"""A visitor's query as it is asked of the database: words, place, filters, instant, and what is public at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.operators import custom_op

from portal.contract.bodies import LocationType
from portal.tenants.model import Tenant
from portal.vacancies import concepts, facets, matching
from portal.vacancies.counts import is_open
from portal.vacancies.facets import Chosen
from portal.vacancies.gazetteer import Spot, chord_squared, unit_vector
from portal.vacancies.posting import Query
from portal.vacancies.reach import reaches_to
from portal.vacancies.tables import Publication, vacancies, vacancy_texts, vacancy_totals
from portal.vacancies.where import REMOTE, Where, choices, guessed, is_about, meanings
from portal.vacancies.words import Term, synonyms_of, terms_of

_FEW = 500
_COUNTRIES_LOOKED_AT = 20
"""Jobs in villages of one name."""
NEAR_KM = 50
"""What "near" means where no distance is given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it is asked of the database. few: as in matching.having. among: rows, None: all of the tenant's.

    where: what its place was taken to mean, None where it names none that we know. others: what else it may mean.
    is_guess: no place is called as it was typed.
    """

    tenant: Tenant
    now: datetime
    terms: Sequence[Term] = ()
    where: Where | None = None
    within_km: int = NEAR_KM
    others: tuple[Where, ...] = ()
    is_guess: bool = False
    few: bool = False
    among: sa.Select[tuple[int]] | None = None

    @property
    def centre(self) -> tuple[float, float, float] | None:
        """Where distances are counted from, as a point on a ball of radius 1."""
        spot = self.where.spot if self.where else None
        return unit_vector(spot.latitude, spot.longitude) if spot else None


def ask(connection: sa.Connection, tenant: Tenant, query: Query, now: datetime, postings: int) -> Asked:
    """The query's words in every form, and its place on the map. postings: about how many the tenant has."""
    asked = Asked(tenant, now, _terms(tenant, query.text), few=postings <= _FEW)
    if not query.near:
        return asked
    countries = _countries(connection, tenant)
    near = query.near.replace("\x00", " ")  # which PostgreSQL takes in no text
    known = meanings(near, countries) or _by_own_job(connection, tenant, near)
    found = known or guessed(near, countries)
    if not found:
        return asked
    within = query.within_km or NEAR_KM
    others = choices(found, countries, near if known else found[0].name)
    return replace(asked, where=found[0], within_km=within, others=others, is_guess=not known)


def _terms(tenant: Tenant, text: str) -> list[Term]:
    languages = _languages(tenant)
    lines = tuple((word, *others) for word, others in tenant.search.synonyms.items())
    return terms_of(text, languages, synonyms_of(lines, languages))


def _languages(tenant: Tenant) -> tuple[str, ...]:
    """Those of the site, and those that postings all over Europe are written in."""
    own = {locale.split("-")[0] for locale in tenant.site.locales}
    return tuple(sorted(own | {"en", "de", "fr", "es", "it", "nl", "pt", "pl"}))


def _countries(connection: sa.Connection, tenant: Tenant) -> list[str]:
    """Where the tenant has jobs, most of them first."""
    t = vacancy_totals.c
    mine = (t.tenant == tenant.slug, t.facet == "country", t.n > 0)
    return list(connection.scalars(sa.select(t.value).where(*mine).order_by(t.n.desc(), t.value)))


def _by_own_job(connection: sa.Connection, tenant: Tenant, name: str) -> list[Where]:
    """A village that no gazetteer lists, but where the tenant has a job with coordinates."""
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
        .limit(_COUNTRIES_LOOKED_AT)
    )
    rows = (row for row in connection.execute(query) if is_about(row.country, about))
    return [Where(row.city, country=row.country, spot=Spot(row.latitude, row.longitude)) for row in rows][:1]


def picked_of(connection: sa.Connection, tenant: Tenant, query: Query) -> Chosen:
    """The filters whose values are or were known here; what a visitor invents is ignored."""
    if not facets.asks(query):
        return Chosen()
    t = vacancy_totals.c
    known: dict[str, list[str]] = {}
    for facet, value in connection.execute(sa.select(t.facet, t.value).where(t.tenant == tenant.slug)):
        known.setdefault(facet, []).append(value)
    return facets.chosen(query, known, tenant.publish)


def open_to(asked: Asked, *, by_row: bool = False, in_order: bool = False) -> list[sa.ColumnElement[bool]]:
    """What holds for every posting that may be shown, words and filters aside.

    by_row: SQLite is to look rows up one by one: every other index begins with the tenant, and a + keeps it from them.
    in_order: SQLite is to read the newest first until there are enough, and keeps its hands off the dates' indexes.
    """
    c = vacancies.c
    dates = [is_open(asked.now)]
    if in_order:
        dates = [_unindexed(c.opens_at) <= asked.now, _unindexed(c.closes_at) > asked.now]
    conditions = [
        (_unindexed(c.tenant) if by_row else c.tenant) == asked.tenant.slug,
        c.publication == Publication.PUBLIC,
        c.stage.in_(asked.tenant.publish.stages),
        *dates,
    ]
    if asked.among is not None:
        conditions.append(c.row.in_(asked.among))
    return [*conditions, *_there(asked)]


def _unindexed(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    return sa.UnaryExpression(column, operator=custom_op("+"), type_=column.type)


def _there(asked: Asked) -> list[sa.ColumnElement[bool]]:
    c, where = vacancies.c, asked.where
    if where is None:
        return []
    if where == REMOTE:
        return [c.location_type == LocationType.REMOTE]
    here = _inside(asked.centre, asked.within_km) if asked.centre else c.country == where.country
    if where.region and not asked.centre:
        here = sa.and_(here, c.area == where.region)
    remote = _remote(where)
    if not remote:
        return [here]
    mine = (c.tenant == asked.tenant.slug, c.publication == Publication.PUBLIC)
    # Two halves, each of which has an index.
    return [c.row.in_(sa.union_all(sa.select(c.row).where(*mine, here), sa.select(c.row).where(*mine, *remote)))]


def _remote(where: Where) -> list[sa.ColumnElement[bool]]:
    """What can be done from anywhere in the country of the place."""
    c, country = vacancies.c, where.country
    if not country:
        return []
    reached = sa.or_(c.country == country, sa.and_(c.country == "", c.area.in_(reaches_to(country))))
    return [c.country.in_([country, ""]), c.location_type == LocationType.REMOTE, reached]


def _inside(centre: tuple[float, float, float], within_km: int) -> sa.ColumnElement[bool]:
    c, (x, y, z) = vacancies.c, centre
    square = (c.x - x) * (c.x - x) + (c.y - y) * (c.y - y) + (c.z - z) * (c.z - z)
    # The first two let an index find the belt around the earth in which the circle lies.
    chord = chord_squared(within_km)
    reach = math.sqrt(chord)
    return sa.and_(c.z >= z - reach, c.z <= z + reach, square <= chord)


def mended(connection: sa.Connection, asked: Asked) -> Asked | None:
    """The same query with misspelt words put right, as far as the tenant's postings know them; None if none is."""
    better: list[str] = []
    for each in asked.terms:
        is_a_name = each.phrases or concepts.means(each.word)
        meant = [] if is_a_name else matching.meant_by(connection, asked.tenant.slug, each.word)
        better.append(meant[0] if meant else each.word)
    if better == [each.word for each in asked.terms]:
        return None
    return replace(asked, terms=_terms(asked.tenant, " ".join(better) + " "))
