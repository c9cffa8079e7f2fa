"""The version of a tenant's public vacancies, which cached pages depend on."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.jobs.tables import ALWAYS, NEVER, Publication, mirrors, vacancies
from portal.platform.database.db import Database


@dataclass(frozen=True, slots=True)
class Version:
    """tag: changes with every public change. until: when the next posting opens or closes because of its dates."""

    tag: str
    until: datetime | None


def current(db: Database, tenant_slug: str, now: datetime) -> Version:
    """Return the version at `now`: one query that reads five index entries."""
    with db.read_once() as connection:
        return within(connection, tenant_slug, now)


def within(connection: sa.Connection, tenant_slug: str, now: datetime) -> Version:
    """Return the version at `now` within the caller's transaction."""
    opens, closes = vacancies.c.opens_at, vacancies.c.closes_at

    def edge(
        choose: sa.sql.functions.Function[datetime], condition: sa.ColumnElement[bool]
    ) -> sa.ScalarSelect[datetime]:
        mine = (vacancies.c.tenant == tenant_slug, vacancies.c.publication == Publication.PUBLIC)
        return sa.select(choose).where(*mine, condition).scalar_subquery()

    stored = sa.select(mirrors.c.version).where(mirrors.c.tenant == tenant_slug).scalar_subquery()
    query = sa.select(
        stored,
        edge(sa.func.max(opens), opens <= now),
        edge(sa.func.max(closes), closes <= now),
        edge(sa.func.min(opens), opens > now),
        edge(sa.func.min(closes), closes > now),
    )
    version, opened, closed, opening, closing = connection.execute(query).one()
    passed = max((at for at in (opened, closed) if at is not None), default=ALWAYS)
    following = min((at for at in (opening, closing) if at is not None), default=NEVER)
    # Opening and closing by date changes the tag too, though nothing is written then.
    return Version(f"{version or 0}-{passed:%Y%m%d%H%M%S%f}", following if following < NEVER else None)


def renew(connection: sa.Connection, tenant_slug: str) -> None:
    """Invalidate every cached page of the tenant, because something else that pages show has changed."""
    mine = mirrors.c.tenant == tenant_slug
    connection.execute(sa.update(mirrors).where(mine).values(version=mirrors.c.version + 1))
