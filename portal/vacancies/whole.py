"""Every open posting of a tenant, one after the other, for what has to hold all of them: sitemaps and feeds."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.tenants.model import Tenant
from portal.vacancies.attributes import has_any, team
from portal.vacancies.hits import posting_columns, posting_of
from portal.vacancies.posting import Posting
from portal.vacancies.question import Asked, open_to
from portal.vacancies.tables import vacancies, vacancy_cells, vacancy_texts, vacancy_totals

_AT_ONCE = 200
"""Rows in memory: a description may have 200,000 characters."""


@dataclass(frozen=True, slots=True)
class Part:
    """Which of them. places: (country, city) as stored; None, and nothing is asked of them; most: None, and all.

    teams: as Posting.team.
    """

    places: Collection[tuple[str, str]] | None = None
    employment_types: Collection[str] | None = None
    teams: Collection[str] | None = None
    skip: int = 0
    most: int | None = None


ALL = Part()


def open_postings(db: Database, tenant: Tenant, now: datetime, part: Part = ALL) -> Iterator[Posting]:
    """Every posting that is open at `now`, newest first; of one moment, though the mirror may change meanwhile."""
    c = vacancies.c
    query = (
        sa.select(*posting_columns())
        .join(vacancy_texts, vacancy_texts.c.row == c.row)
        .where(*open_to(Asked(tenant, now)), *_narrowing(part, tenant, sqlite=db.engine.dialect.name == "sqlite"))
        .order_by(c.dated_at.desc(), c.row.desc())
    )
    if part.most is not None:
        query = query.limit(part.most)
    if part.skip:
        query = query.offset(part.skip)
    with db.read() as connection:
        for row in connection.execution_options(yield_per=_AT_ONCE).execute(query):
            yield posting_of(row, tenant)


@dataclass(frozen=True, slots=True)
class Dated:
    """An open posting's id, and when what its page shows last changed or began to be shown."""

    posting_id: str
    changed_at: datetime


def count_open(db: Database, tenant: Tenant, now: datetime) -> int:
    """How many postings are open at `now`."""
    query = sa.select(sa.func.count()).select_from(vacancies).where(*open_to(Asked(tenant, now)))
    with db.read() as connection:
        return connection.scalar(query) or 0


def open_dates(
    db: Database, tenant: Tenant, now: datetime, *, skip: int = 0, most: int | None = None
) -> Iterator[Dated]:
    """Every posting that is open at `now`, the one stored first at the start: narrow, so that 50,000 are read at once.

    skip, most: a part of them. New postings come last, so that a part changes with its own postings alone while none
    before it closes.
    """
    c = vacancies.c
    query = (
        sa.select(c.posting_id, c.modified_at, c.opens_at)
        .where(*open_to(Asked(tenant, now)))
        .order_by(c.row)
        .offset(skip)
        .limit(most)
    )
    with db.read() as connection:
        for row in connection.execution_options(yield_per=_AT_ONCE).execute(query):
            yield Dated(row.posting_id, max(row.modified_at, row.opens_at))


def open_rows(tenant: Tenant, now: datetime) -> sa.Select[tuple[int]]:
    """The mirror's row of every posting that is open at `now`, for a statement to be made of it.

    A row stays a vacancy's own whatever becomes of its posting id, and is no other's ever.
    """
    return sa.select(vacancies.c.row).where(*open_to(Asked(tenant, now)))


def open_ids(db: Database, tenant: Tenant, now: datetime) -> Iterator[str]:
    """The id of every posting that is open at `now`."""
    query = sa.select(vacancies.c.posting_id).where(*open_to(Asked(tenant, now)))
    with db.read() as connection:
        yield from connection.execution_options(yield_per=10 * _AT_ONCE).scalars(query)


def places(db: Database, tenant: Tenant) -> list[tuple[str, str]]:
    """(country, city), as stored, of every place where the tenant has or had a posting."""
    c = vacancy_cells.c
    query = sa.select(c.country, c.city).where(c.tenant == tenant.slug).distinct()
    with db.read() as connection:
        return [(country, city) for country, city in connection.execute(query)]


def teams(db: Database, tenant: Tenant) -> list[str]:
    """Every value that Posting.team has or had."""
    own, t = team(tenant.publish), vacancy_totals.c
    if own is None:
        return []
    with db.read() as connection:
        return list(connection.scalars(sa.select(t.value).where(t.tenant == tenant.slug, t.facet == own.key)))


def changed_at(db: Database, tenant: Tenant, now: datetime) -> datetime | None:
    """When what is open last changed: by the service, or because a posting began or ended. None: there was never one.

    It never goes back: who was withdrawn counts too.
    """
    c = vacancies.c

    def latest(column: sa.Column[datetime]) -> sa.ScalarSelect[datetime]:
        mine = (c.tenant == tenant.slug, column <= now)
        return sa.select(sa.func.max(column, type_=column.type)).where(*mine).scalar_subquery()

    with db.read() as connection:
        found = connection.execute(sa.select(latest(c.modified_at), latest(c.opens_at), latest(c.closes_at))).one()
    return max((at for at in found if at is not None), default=None)


def _narrowing(part: Part, tenant: Tenant, *, sqlite: bool) -> list[sa.ColumnElement[bool]]:
    c, found = vacancies.c, list[sa.ColumnElement[bool]]()
    if part.places is not None:
        found.append(
            sa.or_(sa.false(), *(sa.and_(c.country == country, c.city == city) for country, city in part.places))
        )
    if part.employment_types is not None:
        found.append(c.employment_type.in_(part.employment_types))
    if part.teams is not None:
        own = team(tenant.publish)
        found.append(has_any(c.attributes, own.key, sorted(part.teams), sqlite=sqlite) if own else sa.false())
    return found
