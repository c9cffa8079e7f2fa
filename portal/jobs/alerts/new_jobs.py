"""Which jobs are new. A job is recorded once, with the number of the look (comparison) that first saw it open.

Times would not do: a job may become public by its stage, its date or the tenant file, long after it was created. Looks
of one tenant wait for each other (SQLite: the single write lock; PostgreSQL: the tenant's row), so a number that an
alert has seen is never given to another job later.
"""

from datetime import datetime

import sqlalchemy as sa

from portal.jobs import open_jobs
from portal.jobs.alerts.tables import alert_looks, alert_openings
from portal.jobs.mirror import version
from portal.platform.database.db import insert
from portal.tenants.model import Tenant


def look(connection: sa.Connection, tenant: Tenant, now: datetime) -> int:
    """Record jobs that are open for the first time; return the highest number. One query if nothing changed."""
    tag = version.within(connection, tenant.slug, now).tag
    mine = alert_looks.c.tenant == tenant.slug
    known = connection.execute(sa.select(alert_looks).where(mine)).one_or_none()
    if known is not None and known.version == tag:
        return int(known.number)
    first = {"tenant": tenant.slug, "version": "", "number": 0}
    connection.execute(insert(connection, alert_looks).on_conflict_do_nothing(), first)
    number: int = connection.execute(sa.select(alert_looks.c.number).where(mine).with_for_update()).scalar_one()
    is_open = open_jobs.open_rows(tenant, now).subquery()
    noted = sa.select(is_open.c.row, sa.literal(tenant.slug), sa.literal(number + 1)).where(
        ~sa.exists().where(alert_openings.c.row == is_open.c.row)
    )
    added = connection.execute(alert_openings.insert().from_select(["row", "tenant", "number"], noted)).rowcount
    number += 1 if added else 0
    connection.execute(alert_looks.update().where(mine).values(version=tag, number=number))
    return number


def since(tenant: Tenant, seen: int) -> sa.Select[tuple[int]]:
    """Return a query for rows of the mirror that were recorded after a number."""
    o = alert_openings.c
    return sa.select(o.row).where(o.tenant == tenant.slug, o.number > seen)
