"""How the mirror is: for `portal check`, /readyz and /metrics."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.db import Database
from portal.tenants.model import Tenant
from portal.vacancies import state
from portal.vacancies.counts import is_open
from portal.vacancies.tables import Standing, mirrors, vacancies, vacancy_problems

_STALE = timedelta(minutes=30)
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


@dataclass(frozen=True, slots=True)
class Health:
    """A tenant's mirror. age: seconds since the service was last read with success, None before the first time.

    age is up to five minutes too high: a pass that finds nothing new is not written down more often.
    """

    tenant: str
    age: float | None
    open_jobs: int
    set_aside: int
    clashes: int
    error: str | None
    failing_since: datetime | None
    alarm: str | None


def all_of(db: Database, now: datetime) -> dict[str, Health]:
    """Every mirrored tenant's health, by slug."""
    c = vacancies.c
    with db.read() as connection:
        rows = connection.execute(sa.select(mirrors)).all()
        aside = _counts(connection, sa.select(vacancy_problems.c.tenant, sa.func.count()), vacancy_problems.c.tenant)
        clashing = sa.select(c.tenant, sa.func.count(c.posting_id.distinct())).where(c.standing == Standing.CLASH)
        clashes = _counts(connection, clashing, c.tenant)
        open_now = sa.select(c.tenant, sa.func.count()).where(c.standing == Standing.PUBLIC, is_open(now))
        jobs = _counts(connection, open_now, c.tenant)
    return {
        row.tenant: Health(
            tenant=row.tenant,
            age=max(0.0, (now - row.checked_at).total_seconds()) if row.checked_at else None,
            open_jobs=jobs.get(row.tenant, 0),
            set_aside=aside.get(row.tenant, 0),
            clashes=clashes.get(row.tenant, 0),
            error=row.error,
            failing_since=row.failing_since,
            alarm=row.alarm,
        )
        for row in rows
    }


def ages(db: Database, now: datetime) -> dict[str, float | None]:
    """Seconds since each tenant's service was last read with success; cheap."""
    with db.read() as connection:
        rows = connection.execute(sa.select(mirrors.c.tenant, mirrors.c.checked_at)).all()
    return {row.tenant: max(0.0, (now - row.checked_at).total_seconds()) if row.checked_at else None for row in rows}


def set_aside(db: Database, tenant: str) -> list[SetAside]:
    """Records of the tenant that could not be read, the oldest first."""
    p = vacancy_problems.c
    query = sa.select(p.vacancy_id, p.problem, p.since).where(p.tenant == tenant).order_by(p.since, p.vacancy_id)
    with db.read() as connection:
        return [SetAside(row.vacancy_id, row.problem, row.since) for row in connection.execute(query)]


def clashes(db: Database, tenant: str) -> list[Clash]:
    """Posting ids that several published vacancies claim."""
    found: dict[str, list[str]] = {}
    for posting_id, vacancy_id in _standing(db, tenant, Standing.CLASH):
        found.setdefault(posting_id or "", []).append(vacancy_id)
    return [Clash(posting_id, tuple(ids)) for posting_id, ids in found.items()]


def without_posting_id(db: Database, tenant: str) -> list[str]:
    """Published vacancies whose posting id is missing or is none that an address can bear."""
    return [vacancy_id for _, vacancy_id in _standing(db, tenant, Standing.UNUSABLE)]


def problems(db: Database, tenant: Tenant, now: datetime) -> list[str]:
    """What an operator should know of a tenant's mirror, a line each; empty when all is well."""
    known = state.all_of(db).get(tenant.slug)
    if known is None:
        return ["never mirrored: `portal worker` does it by itself, `portal sync` at once"]
    lines: list[str] = []
    if known.error:
        since = f"{known.failing_since:%Y-%m-%d %H:%M} UTC" if known.failing_since else "the last pass"
        lines.append(f"failing since {since}: {known.error}")
    if known.checked_at is None:
        lines.append("no pass has succeeded yet")
    elif now - known.checked_at > _STALE:
        minutes = int((now - known.checked_at).total_seconds() // 60)
        lines.append(f"the data is {minutes} minutes old: is `portal worker` running?")
    if known.alarm:
        lines.append(known.alarm)
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


def _standing(db: Database, tenant: str, standing: Standing) -> list[tuple[str | None, str]]:
    c = vacancies.c
    query = sa.select(c.posting_id, c.vacancy_id).where(c.tenant == tenant, c.standing == standing)
    with db.read() as connection:
        return [(row[0], row[1]) for row in connection.execute(query.order_by(c.posting_id, c.row))]


def _counts(connection: sa.Connection, query: sa.Select[str, int], by: sa.Column[str]) -> dict[str, int]:
    return {row[0]: row[1] for row in connection.execute(query.group_by(by))}
