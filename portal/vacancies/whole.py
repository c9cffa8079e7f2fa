"""Every open posting of a tenant, one after the other, for what has to hold all of them: sitemaps and feeds."""

from collections.abc import Iterator
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
