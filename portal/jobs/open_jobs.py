"""Every open posting of a tenant, one after the other, for sitemaps and feeds, which list all of them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.jobs.posting import Posting
from portal.jobs.search.attributes import has_any, team
from portal.jobs.search.database_query import DatabaseQuery, visible_conditions
from portal.jobs.search.hits import posting_columns, posting_of
from portal.jobs.tables import vacancies, vacancy_cells, vacancy_texts, vacancy_totals
from portal.platform.database.db import Database
from portal.tenants.model import Tenant

_AT_ONCE = 200
"""Rows in memory at a time: a description may have 200,000 characters."""


@dataclass(frozen=True, slots=True)
class JobSelection:
    """Which open postings to return; None means no restriction.

    places: (country, city) as stored. teams: as Posting.team. skip, most: number of postings to leave out, to return.
    """

    places: Collection[tuple[str, str]] | None = None
    employment_types: Collection[str] | None = None
    teams: Collection[str] | None = None
    skip: int = 0
    most: int | None = None


ALL = JobSelection()


def open_postings(db: Database, tenant: Tenant, now: datetime, part: JobSelection = ALL) -> Iterator[Posting]:
    """Yield every posting open at `now`, newest first, from one snapshot even if the mirror changes meanwhile."""
    c = vacancies.c
    query = (
        sa.select(*posting_columns())
        .join(vacancy_texts, vacancy_texts.c.row == c.row)
        .where(
            *visible_conditions(DatabaseQuery(tenant, now)),
            *_narrowing(part, tenant, sqlite=db.engine.dialect.name == "sqlite"),
        )
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
    """The id of an open posting, and when its page last changed or became visible."""

    posting_id: str
    changed_at: datetime


def count_open(db: Database, tenant: Tenant, now: datetime) -> int:
    """Return the number of postings open at `now`."""
    query = sa.select(sa.func.count()).select_from(vacancies).where(*visible_conditions(DatabaseQuery(tenant, now)))
    return db.value(query) or 0


def open_dates(
    db: Database, tenant: Tenant, now: datetime, *, skip: int = 0, most: int | None = None
) -> Iterator[Dated]:
    """Yield every posting open at `now` in the order in which they were stored; few columns, so 50,000 read quickly.

    skip, most: which part of the list. New postings come last, so a part changes only with its own postings, as long as
    no posting before it closes.
    """
    c = vacancies.c
    query = (
        sa.select(c.posting_id, c.modified_at, c.opens_at)
        .where(*visible_conditions(DatabaseQuery(tenant, now)))
        .order_by(c.row)
        .offset(skip)
        .limit(most)
    )
    with db.read() as connection:
        for row in connection.execution_options(yield_per=_AT_ONCE).execute(query):
            yield Dated(row.posting_id, max(row.modified_at, row.opens_at))


def open_rows(tenant: Tenant, now: datetime) -> sa.Select[tuple[int]]:
    """Return a query for the mirror's row number of every posting open at `now`, to be part of another statement.

    A row number belongs to one vacancy for good, whatever happens to its posting id, and is never reused.
    """
    return sa.select(vacancies.c.row).where(*visible_conditions(DatabaseQuery(tenant, now)))


def open_ids(db: Database, tenant: Tenant, now: datetime) -> Iterator[str]:
    """Yield the id of every posting open at `now`."""
    query = sa.select(vacancies.c.posting_id).where(*visible_conditions(DatabaseQuery(tenant, now)))
    with db.read() as connection:
        yield from connection.execution_options(yield_per=10 * _AT_ONCE).scalars(query)


def places(db: Database, tenant: Tenant) -> list[tuple[str, str]]:
    """Return (country, city), as stored, of every location where the tenant has or had a posting."""
    c = vacancy_cells.c
    query = sa.select(c.country, c.city).where(c.tenant == tenant.slug).distinct()
    return [(country, city) for country, city in db.rows(query)]


def teams(db: Database, tenant: Tenant) -> list[str]:
    """Return every value that Posting.team has or had."""
    own, t = team(tenant.publish), vacancy_totals.c
    if own is None:
        return []
    return db.values(sa.select(t.value).where(t.tenant == tenant.slug, t.facet == own.key))


def changed_at(db: Database, tenant: Tenant, now: datetime) -> datetime | None:
    """Return when the list of open postings last changed, by a sync or because a posting opened or closed.

    None if the tenant never had a posting. The result never decreases, because withdrawn postings count too.
    """
    c = vacancies.c

    def latest(column: sa.Column[datetime]) -> sa.ScalarSelect[datetime]:
        mine = (c.tenant == tenant.slug, column <= now)
        return sa.select(sa.func.max(column, type_=column.type)).where(*mine).scalar_subquery()

    with db.read() as connection:
        found = connection.execute(sa.select(latest(c.modified_at), latest(c.opens_at), latest(c.closes_at))).one()
    return max((at for at in found if at is not None), default=None)


def _narrowing(part: JobSelection, tenant: Tenant, *, sqlite: bool) -> list[sa.ColumnElement[bool]]:
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
