"""A visitor's query as it is asked of the database: words, place, filters, instant, and what is public at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVarTuple

import sqlalchemy as sa

from portal.tenants.model import Tenant
from portal.vacancies import facets, matching
from portal.vacancies.counts import is_open
from portal.vacancies.facets import Chosen
from portal.vacancies.gazetteer import Spot, chord_squared, find_place, unit_vector
from portal.vacancies.posting import FACETS, Query
from portal.vacancies.tables import Publication, vacancies, vacancy_texts, vacancy_totals
from portal.vacancies.words import Term, term, terms_of

Rows = TypeVarTuple("Rows")

NEAR_KM = 50
"""What "near" means where no distance is given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it is asked of the database."""

    tenant: Tenant
    now: datetime
    terms: Sequence[Term] = ()
    centre: tuple[float, float, float] | None = None
    chord: float = 0.0
    nowhere: bool = False


def ask(connection: sa.Connection, tenant: Tenant, query: Query, now: datetime) -> Asked:
    """The query's words in every form, and its place on the map."""
    asked = Asked(tenant, now, terms_of(query.text, _languages(tenant)))
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


def open_to(asked: Asked, connection: sa.Connection) -> tuple[sa.FromClause, list[sa.ColumnElement[bool]]]:
    """Where to read from, and what holds for every posting that may be shown, filters aside."""
    c = vacancies.c
    conditions = [
        c.tenant == asked.tenant.slug,
        c.publication == Publication.PUBLIC,
        c.stage.in_(asked.tenant.publish.stages),
        is_open(asked.now),
    ]
    source: sa.FromClause = vacancies
    if asked.nowhere:
        conditions.append(sa.false())
    if asked.centre is not None:
        x, y, z = asked.centre
        square = (c.x - x) * (c.x - x) + (c.y - y) * (c.y - y) + (c.z - z) * (c.z - z)
        # The first two let an index find the belt around the earth in which the circle lies.
        reach = math.sqrt(asked.chord)
        conditions += [c.z >= z - reach, c.z <= z + reach, square <= asked.chord]
    if asked.terms:
        matched = matching.having(asked.tenant.slug, asked.terms, sqlite=connection.dialect.name == "sqlite")
        source = matched.join(vacancies, c.row == matched.c.row)
    return source, conditions


def hinted(query: sa.Select[*Rows], asked: Asked) -> sa.Select[*Rows]:
    """The query with the index that SQLite should read: without statistics it takes one that narrows nothing.

    Rows that have the words are looked up one by one; the words' own index leads to them.
    """
    if asked.terms:
        return query.with_hint(vacancies, "NOT INDEXED", "sqlite")
    index = "ix_vacancies_z" if asked.centre is not None else "ix_vacancies_dated_at"
    return query.with_hint(vacancies, f"INDEXED BY {index}", "sqlite")


def mended(connection: sa.Connection, asked: Asked) -> Asked | None:
    """The same query with misspelt words put right, as far as the tenant's postings know them; None if none is."""
    better: list[Term] = []
    for each in asked.terms:
        meant = matching.meant_by(connection, asked.tenant.slug, each.word)
        better.append(term(meant[0], _languages(asked.tenant)) if meant else each)
    if [each.word for each in better] == [each.word for each in asked.terms]:
        return None
    return replace(asked, terms=better)
