"""How the mirror is, beside the passes that keep it (passes/health.py): for `portal check`."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.passes import health
from portal.passes.tables import ListName
from portal.tenants.model import Tenant
from portal.vacancies.tables import Publication, vacancies, vacancy_problems

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SetAside:
    """A record that could not be read; what was known of the vacancy before stays up."""

    vacancy_id: str
    problem: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Clash:
    """A posting id that several published vacancies claim; none of them is public."""

    posting_id: str
    vacancy_ids: tuple[str, ...]


def set_aside(db: Database, tenant: str) -> list[SetAside]:
    """Records of the tenant that could not be read, the oldest first."""
    p = vacancy_problems.c
    query = sa.select(p.vacancy_id, p.problem, p.since).where(p.tenant == tenant).order_by(p.since, p.vacancy_id)
    with db.read() as connection:
        return [SetAside(row.vacancy_id, row.problem, row.since) for row in connection.execute(query)]


def clashes(db: Database, tenant: str) -> list[Clash]:
    """Posting ids that several published vacancies claim."""
    found: dict[str, list[str]] = {}
    for posting_id, vacancy_id in _publication(db, tenant, Publication.CLASH):
        found.setdefault(posting_id or "", []).append(vacancy_id)
    return [Clash(posting_id, tuple(ids)) for posting_id, ids in found.items()]


def without_posting_id(db: Database, tenant: str) -> list[str]:
    """Published vacancies whose posting id is missing or is none that an address can bear."""
    return [vacancy_id for _, vacancy_id in _publication(db, tenant, Publication.UNUSABLE)]


def problems(db: Database, tenant: Tenant, now: datetime) -> list[str]:
    """What an operator should know of a tenant's mirror, a line each; empty when all is well."""
    lines = health.problems(db, ListName.VACANCIES, tenant.slug, now)
    lines += [
        f"posting id {clash.posting_id}: claimed by vacancies {', '.join(clash.vacancy_ids)}, so none of them is public"
        for clash in clashes(db, tenant.slug)
    ]
    unusable = without_posting_id(db, tenant.slug)
    if unusable:
        lines.append(f"no usable posting id, so not public: {_some(unusable)}")
    lines += [f"vacancy {each.vacancy_id} was set aside: {each.problem}" for each in set_aside(db, tenant.slug)]
    return lines


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _publication(db: Database, tenant: str, publication: Publication) -> list[tuple[str | None, str]]:
    c = vacancies.c
    query = sa.select(c.posting_id, c.vacancy_id).where(c.tenant == tenant, c.publication == publication)
    with db.read() as connection:
        return [(row[0], row[1]) for row in connection.execute(query.order_by(c.posting_id, c.row))]
