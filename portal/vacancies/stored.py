"""What the mirror holds already, as far as a pass compares it with what it reads."""

from dataclasses import dataclass

import sqlalchemy as sa

from portal.db import Database
from portal.vacancies.tables import Publication, vacancies
from portal.vacancies.writing import Change


@dataclass(frozen=True, slots=True)
class Stored:
    """One vacancy as it was stored."""

    fingerprint: str
    posting_id: str | None
    gone: bool
    attributes: str

    def is_same(self, change: Change) -> bool:
        """Whether storing the change would change nothing."""
        mine = (self.fingerprint, self.posting_id, self.attributes)
        return not self.gone and mine == (change.vacancy.fingerprint, change.posting_id, change.attributes)


def stored(db: Database, tenant: str, vacancy_ids: list[str]) -> dict[str, Stored]:
    """Those of the ids that were ever stored."""
    if not vacancy_ids:
        return {}
    c = vacancies.c
    query = sa.select(c.vacancy_id, c.fingerprint, c.posting_id, c.publication, c.attributes).where(
        c.tenant == tenant, c.vacancy_id.in_(vacancy_ids)
    )
    with db.read() as connection:
        return {
            row.vacancy_id: Stored(row.fingerprint, row.posting_id, row.publication == Publication.GONE, row.attributes)
            for row in connection.execute(query)
        }
