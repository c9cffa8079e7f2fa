"""Which vacancy of the service a posting is."""

import sqlalchemy as sa

from portal.db import Database
from portal.tenants.model import Tenant
from portal.vacancies.tables import vacancies


def vacancy_id(db: Database, tenant: Tenant, posting_id: str) -> str | None:
    """The vacancy's id at the service; None where the mirror knows none, or several, of that posting id."""
    if tenant.publish.posting_attribute is None:
        return posting_id
    c = vacancies.c
    with db.read() as connection:
        query = sa.select(c.vacancy_id).where(c.tenant == tenant.slug, c.posting_id == posting_id).limit(2)
        found = list(connection.execute(query).scalars())
    return found[0] if len(found) == 1 else None
