"""Problems of the mirror for `portal check`, in addition to those of its syncs (background/sync/health.py)."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.background.sync import health
from portal.background.sync.tables import ListName
from portal.jobs.tables import Publication, vacancies, vacancy_problems
from portal.platform.database.db import Database
from portal.tenants.model import Tenant

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SetAside:
    """A record that could not be read; the vacancy's previously stored version stays public."""

    vacancy_id: str
    problem: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Clash:
    """A posting id that several published vacancies have; none of them is public."""

    posting_id: str
    vacancy_ids: tuple[str, ...]


def set_aside(db: Database, tenant: str) -> list[SetAside]:
    """Return the tenant's records that could not be read, the oldest problem first."""
    p = vacancy_problems.c
    query = sa.select(p.vacancy_id, p.problem, p.since).where(p.tenant == tenant).order_by(p.since, p.vacancy_id)
    with db.read() as connection:
        return [SetAside(row.vacancy_id, row.problem, row.since) for row in connection.execute(query)]


def clashes(db: Database, tenant: str) -> list[Clash]:
    """Return the posting ids that several published vacancies have."""
    found: dict[str, list[str]] = {}
    for posting_id, vacancy_id in _publication(db, tenant, Publication.CLASH):
        found.setdefault(posting_id or "", []).append(vacancy_id)
    return [Clash(posting_id, tuple(ids)) for posting_id, ids in found.items()]


def without_posting_id(db: Database, tenant: str) -> list[str]:
    """Return ids of published vacancies whose posting id is missing or cannot be part of a URL."""
    return [vacancy_id for _, vacancy_id in _publication(db, tenant, Publication.UNUSABLE)]


def problems(db: Database, tenant: Tenant, now: datetime) -> list[str]:
    """Return what operators should know about a tenant's mirror, one line for each problem; [] if there are none."""
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
