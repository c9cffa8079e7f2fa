"""What the mirror has stored already, as far as a sync compares it with what it reads."""

from dataclasses import dataclass

import sqlalchemy as sa

from portal.jobs.mirror.writing import VacancyChange
from portal.jobs.tables import Publication, vacancies
from portal.platform.database.db import Database


@dataclass(frozen=True, slots=True)
class StoredVacancy:
    """A vacancy as it was last stored."""

    fingerprint: str
    posting_id: str | None
    gone: bool
    attributes: str

    def is_same(self, change: VacancyChange) -> bool:
        """Return whether storing the change would change nothing."""
        mine = (self.fingerprint, self.posting_id, self.attributes)
        return not self.gone and mine == (change.vacancy.fingerprint, change.posting_id, change.attributes)


def stored(db: Database, tenant: str, vacancy_ids: list[str]) -> dict[str, StoredVacancy]:
    """Return those of the vacancies that were ever stored, by vacancy id."""
    if not vacancy_ids:
        return {}
    c = vacancies.c
    query = sa.select(c.vacancy_id, c.fingerprint, c.posting_id, c.publication, c.attributes).where(
        c.tenant == tenant, c.vacancy_id.in_(vacancy_ids)
    )
    with db.read() as connection:
        return {
            row.vacancy_id: StoredVacancy(
                row.fingerprint, row.posting_id, row.publication == Publication.GONE, row.attributes
            )
            for row in connection.execute(query)
        }
