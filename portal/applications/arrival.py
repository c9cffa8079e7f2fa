"""Did an earlier attempt come through? Asked by §4.6 before what may have arrived is sent again.

To take a stranger's application for ours would lose ours, so it counts only as what it can be: of this address, to
this vacancy, not older than ours, and not one that the portal delivered before. Where that cannot be told it is sent
again, under the same Idempotency-Key: loss outranks duplication.
"""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from portal.applications.tables import submissions
from portal.contract.applications import ApplicationSummary
from portal.db import Database
from portal.errors import UpstreamError
from portal.sealing import folded
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream
from portal.vacancies.identity import vacancy_id

PATIENCE = 4
"""Up to this attempt an answer is waited for; after it, a service whose list never answers gets the application."""
_CLOCKS_DIFFER = timedelta(minutes=10)
_CREATED = "applicationCreated"


def arrived(db: Database, service: Upstream, tenant: Tenant, row: sa.Row[Any], *, attempts: int) -> bool:
    """Whether the service shows the application; unknown counts as no.

    Raises a transient UpstreamError as long as asking again is worth it.
    """
    vacancy = vacancy_id(db, tenant, row.posting_id)
    if vacancy is None or _went_before(db, row):
        return False
    try:
        known = service.applications(vacancy).applications
    except UpstreamError as error:
        if error.transient and attempts <= PATIENCE:
            raise
        return False
    return any(_is_ours(one, row.email, row.accepted_at) for one in known)


def _is_ours(application: ApplicationSummary, email: str, accepted_at: datetime) -> bool:
    person = application.candidate
    if person is None or folded(email) not in {folded(address) for address in person.emails or ()}:
        return False
    latest = application.latest_activity
    if latest is None or latest.date is None:
        return True
    return latest.type in {None, _CREATED} and latest.date >= accepted_at - _CLOCKS_DIFFER


def _went_before(db: Database, row: sa.Row[Any]) -> bool:
    """An earlier application of this person to this posting: what the service shows may be that one."""
    c = submissions.c
    earlier = sa.select(c.reference).where(
        c.tenant == row.tenant,
        c.email_hash == row.email_hash,
        c.posting_id == row.posting_id,
        c.reference != row.reference,
        c.duplicate_of.is_(None),
    )
    with db.read() as connection:
        return connection.execute(earlier.limit(1)).first() is not None
