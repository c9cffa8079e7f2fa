"""A visitor's query as it is asked of the database: words, place, filters, instant, and what is public at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.sql.operators import custom_op

from portal.tenants.model import Tenant
from portal.vacancies import facets, matching
from portal.vacancies.counts import is_open
from portal.vacancies.facets import Chosen
from portal.vacancies.gazetteer import Spot, chord_squared, find_place, unit_vector
from portal.vacancies.posting import FACETS, Query
from portal.vacancies.tables import Publication, vacancies, vacancy_texts, vacancy_totals
from portal.vacancies.words import Term, term, terms_of

_FEW = 500
NEAR_KM = 50
"""What "near" means where no distance is given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it is asked of the database. few: as in matching.having. among: rows, None: all of the tenant's."""

    tenant: Tenant
    now: datetime
    terms: Sequence[Term] = ()
    centre: tuple[float, float, float] | None = None
    chord: float = 0.0
    nowhere: bool = False
    few: bool = False
    among: sa.Select[tuple[int]] | None = None


def ask(connection: sa.Connection, tenant: Tenant, query: Query, now: datetime, postings: int) -> Asked:
    """The query's words in every form, and its place on the map. postings: about how many the tenant has."""
    asked = Asked(tenant, now, terms_of(query.text, _languages(tenant)), few=postings <= _FEW)
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
            vacancies.c.publication == Publication.PUBLIC,
            sa.func.lower(vacancies.c.city) == name.lower(),
            vacancy_texts.c.latitude.is_not(None),
        )
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return Spot(row.latitude, row.longitude) if row else None


def picked_of(connection: sa.Connection, tenant: Tenant, query: Query) -> Chosen:
    """The filters whose values are or were known here; what a visitor invents is ignored."""
    if not any(getattr(query, member) for member in FACETS.values()):
        return {}
    t = vacancy_totals.c
    known: dict[str, list[str]] = {}
    for facet, value in connection.execute(sa.select(t.facet, t.value).where(t.tenant == tenant.slug)):
        known.setdefault(facet, []).append(value)
    return facets.chosen(query, known)


def open_to(asked: Asked, *, by_row: bool = False) -> list[sa.ColumnElement[bool]]:
    """What holds for every posting that may be shown, words and filters aside.

    by_row: SQLite is to look rows up one by one: every other index begins with the tenant, and a + keeps it from them.
    """
    c = vacancies.c
    conditions = [
        (sa.UnaryExpression(c.tenant, operator=custom_op("+")) if by_row else c.tenant) == asked.tenant.slug,
        c.publication == Publication.PUBLIC,
        c.stage.in_(asked.tenant.publish.stages),
        is_open(asked.now),
    ]
    if asked.nowhere:
        conditions.append(sa.false())
    if asked.among is not None:
        conditions.append(c.row.in_(asked.among))
    if asked.centre is not None:
        x, y, z = asked.centre
        square = (c.x - x) * (c.x - x) + (c.y - y) * (c.y - y) + (c.z - z) * (c.z - z)
        # The first two let an index find the belt around the earth in which the circle lies.
        reach = math.sqrt(asked.chord)
        conditions += [c.z >= z - reach, c.z <= z + reach, square <= asked.chord]
    return conditions


def mended(connection: sa.Connection, asked: Asked) -> Asked | None:
    """The same query with misspelt words put right, as far as the tenant's postings know them; None if none is."""
    better: list[Term] = []
    for each in asked.terms:
        meant = matching.meant_by(connection, asked.tenant.slug, each.word)
        better.append(term(meant[0], _languages(asked.tenant)) if meant else each)
    if [each.word for each in better] == [each.word for each in asked.terms]:
        return None
    return replace(asked, terms=better)
