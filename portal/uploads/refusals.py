"""How many files were refused, why, and for whom: a number a day, and nothing of file or person."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database, insert
from portal.errors import DatabaseUnavailable, UploadReason
from portal.logs import Seen, seen
from portal.uploads.tables import refused_uploads

KEPT = timedelta(days=400)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusals:
    """Files that a tenant's applicants chose and that could not be taken. reason: a member of UploadReason."""

    tenant: str
    reason: str
    count: int
    last_day: str


def count(db: Database, *, tenant: str, reason: UploadReason, now: datetime) -> None:
    """One more today, and a line of the security stream. Its person is told whatever becomes of the figure."""
    seen(Seen.UPLOAD_REFUSED, tenant=tenant, reason=reason)
    c = refused_uploads.c
    try:
        with db.write() as connection:
            row = insert(connection, refused_uploads).values(
                day=now.date().isoformat(), tenant=tenant, reason=reason, count=1
            )
            connection.execute(
                row.on_conflict_do_update(index_elements=["day", "tenant", "reason"], set_={"count": c["count"] + 1})
            )
    except DatabaseUnavailable as error:
        log.warning("a refused file is not counted: %s", error)


def since(db: Database, day: datetime) -> list[Refusals]:
    """By tenant and reason from that day on, the most first."""
    c = refused_uploads.c
    how_many = sa.func.sum(c["count"])
    query = (
        sa.select(c.tenant, c.reason, how_many.label("how_many"), sa.func.max(c.day).label("last"))
        .where(c.day >= day.date().isoformat())
        .group_by(c.tenant, c.reason)
        .order_by(how_many.desc(), c.tenant, c.reason)
    )
    with db.read() as connection:
        return [Refusals(row.tenant, row.reason, int(row.how_many), row.last) for row in connection.execute(query)]


def forget_old(db: Database, now: datetime) -> None:
    """Delete what is older than KEPT."""
    old = refused_uploads.c.day < (now - KEPT).date().isoformat()
    with db.read() as connection:
        if not connection.execute(sa.select(sa.exists().where(old))).scalar():
            return
    with db.write() as connection:
        connection.execute(refused_uploads.delete().where(old))
