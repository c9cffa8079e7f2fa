"""Where a tenant's mirror stands: the row of `mirrors`, and the list of what was set aside."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database, insert
from portal.passes.lease import Lease
from portal.vacancies import counts
from portal.vacancies.tables import mirrors, vacancy_problems

_SETTLE_AT = 200


def counted_at(db: Database, lease: Lease, now: datetime) -> datetime:
    """The instant that the tenant's counts are of; its row is made if there is none."""
    query = sa.select(mirrors.c.counted_at).where(mirrors.c.tenant == lease.tenant)
    with db.read() as connection:
        found: datetime | None = connection.scalar(query)
    if found is not None:
        return found
    with lease.write() as connection:
        # A mirror that is built anew must not repeat the versions of the one before: pages are kept by version.
        first = {"tenant": lease.tenant, "version": int(now.timestamp()), "counted_at": now}
        connection.execute(insert(connection, mirrors).on_conflict_do_nothing(), first)
        made: datetime = connection.execute(query).scalar_one()
    return made


def judged_by(db: Database, tenant: str) -> str | None:
    """Hash of the stages that every publication, and so every count, is by."""
    with db.read() as connection:
        return connection.scalar(sa.select(mirrors.c.judged_by).where(mirrors.c.tenant == tenant))


def judged(lease: Lease, stages: str) -> None:
    """Every publication, and so every count, is by these stages."""
    with lease.write() as connection:
        connection.execute(
            sa.update(mirrors)
            .where(mirrors.c.tenant == lease.tenant)
            .values(judged_by=stages, version=mirrors.c.version + 1)
        )


def settle(db: Database, lease: Lease, then: datetime, now: datetime, *, written: bool) -> None:
    """Bring the counts from `then` to `now`, if that is worth a write; it is where the pass wrote anyway."""
    with db.read() as connection:
        crossings = counts.crossings(connection, lease.tenant, then, now)
    if crossings >= (1 if written else _SETTLE_AT):
        with lease.write() as connection:
            counts.settle(connection, lease.tenant, then, now)


def put_aside(
    connection: sa.Connection, tenant: str, news: dict[str, str], mended: Iterable[str], now: datetime
) -> None:
    """Add to the list of records that could not be read, and take off what is good again."""
    mine = vacancy_problems.c.tenant == tenant
    if news:
        added = insert(connection, vacancy_problems)
        told = added.on_conflict_do_update(
            index_elements=["tenant", "vacancy_id"], set_={"problem": added.excluded.problem}
        )
        rows = [{"tenant": tenant, "vacancy_id": k, "problem": v[:500], "since": now} for k, v in news.items()]
        connection.execute(told, rows)
    gone = list(mended)
    if gone:
        connection.execute(sa.delete(vacancy_problems).where(mine, vacancy_problems.c.vacancy_id.in_(gone)))
