"""Daily counts of refused files by tenant and reason; nothing about the file or the person is stored."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.delivery.uploads.tables import refused_uploads
from portal.platform.database.db import Database, delete_old, insert
from portal.platform.errors import DatabaseUnavailable, UploadReason
from portal.platform.logs import SecurityEvent, log_security_event

KEPT = timedelta(days=400)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusals:
    """Files of a tenant's candidates that could not be accepted. reason: a member of UploadReason."""

    tenant: str
    reason: str
    count: int
    last_day: str


def count(db: Database, *, tenant: str, reason: UploadReason, now: datetime) -> None:
    """Count one more refused file today, and log it to the security log.

    An unavailable database is only logged: the response must not depend on the count.
    """
    log_security_event(SecurityEvent.UPLOAD_REFUSED, tenant=tenant, reason=reason)
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
    """Return the counts by tenant and reason from that day on, the highest first."""
    c = refused_uploads.c
    how_many = sa.func.sum(c["count"])
    query = (
        sa.select(c.tenant, c.reason, how_many.label("how_many"), sa.func.max(c.day).label("last"))
        .where(c.day >= day.date().isoformat())
        .group_by(c.tenant, c.reason)
        .order_by(how_many.desc(), c.tenant, c.reason)
    )
    return [Refusals(row.tenant, row.reason, int(row.how_many), row.last) for row in db.rows(query)]


def forget_old(db: Database, now: datetime) -> None:
    """Delete what is older than KEPT."""
    delete_old(db, refused_uploads, refused_uploads.c.day < (now - KEPT).date().isoformat())
