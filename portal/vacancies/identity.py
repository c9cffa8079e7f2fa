"""Which vacancy of the service a posting is."""

import sqlalchemy as sa

from portal.db import Database
from portal.tenants.model import Tenant
from portal.vacancies.tables import vacancies, vacancy_former_ids


def vacancy_id(db: Database, tenant: Tenant, posting_id: str) -> str | None:
    """The vacancy's id at the service; None where the mirror knows none, or several, of that posting id."""
    if tenant.publish.posting_attribute is None:
        return posting_id
    c, former = vacancies.c, vacancy_former_ids.c
    now = sa.select(c.vacancy_id).where(c.tenant == tenant.slug, c.posting_id == posting_id).limit(2)
    before = (
        sa.select(c.vacancy_id)
        .join(vacancy_former_ids, former.row == c.row)
        .where(former.tenant == tenant.slug, former.posting_id == posting_id)
    )
    with db.read() as connection:
        found = list(connection.scalars(now)) or list(connection.scalars(before))
    return found[0] if len(found) == 1 else None
