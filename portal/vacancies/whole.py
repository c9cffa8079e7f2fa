"""Every open posting of a tenant, one after the other, for what has to hold all of them: sitemaps and feeds."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.tenants.model import Tenant
from portal.vacancies.hits import posting_columns, posting_of
from portal.vacancies.posting import Posting
from portal.vacancies.question import Asked, open_to
from portal.vacancies.tables import vacancies, vacancy_texts

_AT_ONCE = 200
"""Rows in memory: a description may have 200,000 characters."""


def open_postings(db: Database, tenant: Tenant, now: datetime) -> Iterator[Posting]:
    """Every posting that is open at `now`, newest first; of one moment, though the mirror may change meanwhile."""
    c = vacancies.c
    query = (
        sa.select(*posting_columns())
        .join(vacancy_texts, vacancy_texts.c.row == c.row)
        .where(*open_to(Asked(tenant, now)))
        .order_by(c.dated_at.desc(), c.row.desc())
    )
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
