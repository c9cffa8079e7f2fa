"""Where a tenant's mirror stands: the row of `mirrors`, and the list of what was set aside."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.db import Instant, insert
from portal.passes.lease import Lease
from portal.vacancies import counts
from portal.vacancies.tables import mirrors, vacancy_problems

_SETTLE_AT = 200


@dataclass(frozen=True, slots=True)
class Standing:
    """counted_at: the instant that the tenant's counts are of. crossings: jobs that started or ended since.

    judged_by: hash of the stages that every publication, and so every count, is by. set_aside: records that could not
    be read, vacancy id (or '?' and a number) → what is wrong.
    """

    counted_at: datetime
    crossings: int
    judged_by: str | None
    set_aside: dict[str, str]


def standing(lease: Lease, now: datetime) -> Standing:
    """Where the tenant's mirror stands; its row is made if there is none."""
    with lease.read() as connection:
        found = connection.execute(_STANDING, {"at": lease.tenant, "now": now}).all()
    if not found:
        with lease.write() as connection:
            # A mirror that is built anew must not repeat the versions of the one before: pages are kept by version.
            first = {"tenant": lease.tenant, "version": int(now.timestamp()), "counted_at": now}
            connection.execute(insert(connection, mirrors).on_conflict_do_nothing(), first)
            found = list(connection.execute(_STANDING, {"at": lease.tenant, "now": now}).all())
    aside = {row.vacancy_id: row.problem for row in found if row.vacancy_id is not None}
    return Standing(found[0].counted_at, found[0].crossings, found[0].judged_by, aside)


def judged(lease: Lease, stages: str) -> None:
    """Every publication, and so every count, is by these stages."""
    with lease.write() as connection:
        connection.execute(
            sa.update(mirrors)
            .where(mirrors.c.tenant == lease.tenant)
            .values(judged_by=stages, version=mirrors.c.version + 1)
        )


def settle(lease: Lease, stood: Standing, now: datetime, *, written: bool) -> None:
    """Bring the counts to `now`, if that is worth a write; it is where the pass wrote anyway."""
    if written or stood.crossings >= _SETTLE_AT:
        with lease.write() as connection:
            counts.settle(connection, lease.tenant, stood.counted_at, now)


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


_STANDING = (
    sa.select(
        mirrors.c.counted_at,
        counts.crossings(mirrors.c.tenant, mirrors.c.counted_at, sa.bindparam("now", type_=Instant)).label("crossings"),
        mirrors.c.judged_by,
        vacancy_problems.c.vacancy_id,
        vacancy_problems.c.problem,
    )
    .outerjoin(vacancy_problems, vacancy_problems.c.tenant == mirrors.c.tenant)
    .where(mirrors.c.tenant == sa.bindparam("at"))
)
