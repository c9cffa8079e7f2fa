"""State of a tenant's mirror: the row of `mirrors`, and the list of unreadable records."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.background.sync.lease import Lease
from portal.jobs.search import counts
from portal.jobs.tables import mirrors, vacancy_problems
from portal.platform.database.db import Instant, insert

_SETTLE_AT = 200


@dataclass(frozen=True, slots=True)
class MirrorState:
    """State of a mirror at the start of a sync.

    counted_at: the instant that the counts are for. crossings: number of postings that opened or closed since.
    judged_by: hash of the stages that all publications, and so all counts, are based on. set_aside: records that could
    not be read: vacancy id (or '?' and a number) → what is wrong.
    """

    counted_at: datetime
    crossings: int
    judged_by: str | None
    set_aside: dict[str, str]


def standing(lease: Lease, now: datetime) -> MirrorState:
    """Return the state of the tenant's mirror; create its row if there is none."""
    with lease.read() as connection:
        found = connection.execute(_STANDING, {"at": lease.tenant, "now": now}).all()
    if not found:
        with lease.write() as connection:
            # A rebuilt mirror must not repeat versions of the one before it: pages are cached by version.
            first = {"tenant": lease.tenant, "version": int(now.timestamp()), "counted_at": now}
            connection.execute(insert(connection, mirrors).on_conflict_do_nothing(), first)
            found = list(connection.execute(_STANDING, {"at": lease.tenant, "now": now}).all())
    aside = {row.vacancy_id: row.problem for row in found if row.vacancy_id is not None}
    return MirrorState(found[0].counted_at, found[0].crossings, found[0].judged_by, aside)


def judged(lease: Lease, stages: str) -> None:
    """Record that all publications, and so all counts, are now based on these stages."""
    with lease.write() as connection:
        connection.execute(
            sa.update(mirrors)
            .where(mirrors.c.tenant == lease.tenant)
            .values(judged_by=stages, version=mirrors.c.version + 1)
        )


def settle(lease: Lease, stood: MirrorState, now: datetime, *, written: bool) -> None:
    """Update the counts to `now` if that is worth a write: when the sync wrote anyway, or after many crossings."""
    if written or stood.crossings >= _SETTLE_AT:
        with lease.write() as connection:
            counts.settle(connection, lease.tenant, stood.counted_at, now)


def put_aside(
    connection: sa.Connection, tenant: str, news: dict[str, str], mended: Iterable[str], now: datetime
) -> None:
    """Add to the list of unreadable records, and remove those that can be read again."""
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
