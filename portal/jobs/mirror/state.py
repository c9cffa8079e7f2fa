"""What is stored of a tenant's mirror: the row of `mirrors`, the list of unreadable records, and every vacancy: those
that are no longer listed are withdrawn, and a changed rule is applied to all.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.background.sync import health
from portal.background.sync.lease import Lease
from portal.background.sync.state import Missing
from portal.background.sync.tables import ListName
from portal.jobs.alerts.tables import alert_openings
from portal.jobs.mirror.writing import MirrorWriter
from portal.jobs.search import counts
from portal.jobs.search.counts import is_open
from portal.jobs.tables import Publication, mirrors, vacancies, vacancy_problems, vacancy_texts
from portal.platform.clock import Clock
from portal.platform.database.db import Database, Instant, in_steps, insert
from portal.tenants.model import Tenant
from portal.tenants.retention import Cutoffs

_SETTLE_AT = 200
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class MirrorState:
    """State of a mirror at the start of a sync.

    counted_at: the instant that the counts are for. crossings: number of postings that opened or closed since.
    stages_hash: of the stages that all publications, and so all counts, are based on. known_problems: what is wrong
    with each record that could not be read, by vacancy id (or '?' and a number).
    """

    counted_at: datetime
    crossings: int
    stages_hash: str | None
    known_problems: dict[str, str]


def load(lease: Lease, now: datetime) -> MirrorState:
    """Return the state of the tenant's mirror; create its row if there is none."""
    with lease.read() as connection:
        found = connection.execute(_LOAD, {"at": lease.tenant, "now": now}).all()
    if not found:
        with lease.write() as connection:
            # A rebuilt mirror must not repeat versions of the one before it: pages are cached by version.
            first = {"tenant": lease.tenant, "version": int(now.timestamp()), "counted_at": now}
            connection.execute(insert(connection, mirrors).on_conflict_do_nothing(), first)
            found = list(connection.execute(_LOAD, {"at": lease.tenant, "now": now}).all())
    aside = {row.vacancy_id: row.problem for row in found if row.vacancy_id is not None}
    return MirrorState(found[0].counted_at, found[0].crossings, found[0].judged_by, aside)


def record_stages_hash(lease: Lease, stages: str) -> None:
    """Record that all publications, and so all counts, are now based on these stages."""
    with lease.write() as connection:
        connection.execute(
            sa.update(mirrors)
            .where(mirrors.c.tenant == lease.tenant)
            .values(judged_by=stages, version=mirrors.c.version + 1)
        )


def settle(lease: Lease, start: MirrorState, now: datetime, *, written: bool) -> None:
    """Update the counts to `now` if that is worth a write: if the sync has written anyway, or after many crossings."""
    if written or start.crossings >= _SETTLE_AT:
        with lease.write() as connection:
            counts.settle(connection, lease.tenant, start.counted_at, now)


def update_problems(
    connection: sa.Connection, tenant: str, new_problems: dict[str, str], resolved: Iterable[str], now: datetime
) -> None:
    """Add to the list of unreadable records, and remove those that can be read again."""
    mine = vacancy_problems.c.tenant == tenant
    if new_problems:
        added = insert(connection, vacancy_problems)
        upsert = added.on_conflict_do_update(
            index_elements=["tenant", "vacancy_id"], set_={"problem": added.excluded.problem}
        )
        rows = [{"tenant": tenant, "vacancy_id": k, "problem": v[:500], "since": now} for k, v in new_problems.items()]
        connection.execute(upsert, rows)
    gone = list(resolved)
    if gone:
        connection.execute(sa.delete(vacancy_problems).where(mine, vacancy_problems.c.vacancy_id.in_(gone)))


_LOAD = (
    sa.select(
        mirrors.c.counted_at,
        counts.crossings(mirrors.c.tenant, mirrors.c.counted_at, sa.bindparam("now", type_=Instant)).label("crossings"),
        mirrors.c.judged_by,
        vacancy_problems.c.vacancy_id,
        vacancy_problems.c.problem,
    )
    .outerjoin(vacancy_problems, vacancy_problems.c.tenant == mirrors.c.tenant)
    .where(mirrors.c.tenant == sa.bindparam("at"))
)


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
    return [SetAside(row.vacancy_id, row.problem, row.since) for row in db.rows(query)]


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


_NOT_SHOWN = {
    Publication.PUBLIC: "not between their first and last day",
    Publication.UNUSABLE: "no usable posting id",
    Publication.CLASH: "the posting id of another",
}


def none_shown(db: Database, tenant: Tenant, clock: Clock) -> str:
    """Return why none of the vacancies that the service lists is shown; "" if one is, or if it lists none."""
    v = vacancies.c
    query = sa.select(v.publication, v.stage, sa.func.count()).group_by(v.publication, v.stage).order_by(v.stage)
    found = db.rows(query.where(v.tenant == tenant.slug, v.publication != Publication.GONE))
    if not found or _open(db, tenant.slug, None, clock):
        return ""
    why = [f"{n}: {_NOT_SHOWN.get(is_, f'stage {stage[:50]!r}' if stage else 'no stage')}" for is_, stage, n in found]
    listed, stages = sum(row[2] for row in found), ", ".join(sorted(tenant.publish.stages))
    return f"none of {listed} vacancies is shown: {_some(why)}; publish.stages lists {stages}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _publication(db: Database, tenant: str, publication: Publication) -> list[tuple[str | None, str]]:
    c = vacancies.c
    query = sa.select(c.posting_id, c.vacancy_id).where(c.tenant == tenant, c.publication == publication)
    return [(row[0], row[1]) for row in db.rows(query.order_by(c.posting_id, c.row))]


def missing(db: Database, tenant: str, seen: Collection[str], clock: Clock) -> Missing:
    """Return stored vacancies not in `seen`, counting open jobs only: closed ones may vanish by the hundred."""
    rows: list[int] = []
    for chunk in _chunks(db, tenant):
        rows += [row.row for row in chunk if row.vacancy_id not in seen]
    hit = sum(_open(db, tenant, rows[i : i + _AT_ONCE], clock) for i in range(0, len(rows), _AT_ONCE))
    return Missing(rows, counted=hit, of=_open(db, tenant, None, clock), called="open jobs")


def withdraw(lease: Lease, writer: MirrorWriter, rows: Collection[int], clock: Clock) -> None:
    """Withdraw rows that the service no longer has, in batches."""
    every = list(rows)
    for start in range(0, len(every), _AT_ONCE):
        with lease.write() as connection:
            writer.withdraw(connection, every[start : start + _AT_ONCE], clock.now())


def forget_closed(db: Database, old: Cutoffs) -> int:
    """Delete vacancies that the service has not listed for long, with all that belongs to them; return how many.

    Their pages then answer 404, like those of unknown jobs. A vacancy that the service lists again meanwhile is kept.
    """
    v, total = vacancies.c, 0
    over = sa.and_(v.publication == Publication.GONE, old.passed(v.tenant, v.modified_at))

    def step() -> bool:
        nonlocal total
        rows = db.values(sa.select(v.row).where(over).limit(_AT_ONCE))
        if not rows:
            return False
        with db.write() as connection:
            gone = sa.delete(vacancies).where(v.row.in_(rows), v.publication == Publication.GONE).returning(v.row)
            deleted = list(connection.scalars(gone))
            # SQLite may reuse the row number for another vacancy, which alerts must treat as new.
            connection.execute(sa.delete(alert_openings).where(alert_openings.c.row.in_(deleted)))
        total += len(deleted)
        return True

    in_steps(step)
    return total


def forget_problems(db: Database, lease: Lease, seen: Collection[str]) -> None:
    """Delete problems of records that the service no longer lists."""
    mine = vacancy_problems.c.tenant == lease.tenant
    held = db.values(sa.select(vacancy_problems.c.vacancy_id).where(mine))
    gone = [key for key in held if key not in seen]
    if gone:
        with lease.write() as connection:
            connection.execute(sa.delete(vacancy_problems).where(mine, vacancy_problems.c.vacancy_id.in_(gone)))


def reapply_publication_rules(db: Database, lease: Lease, writer: MirrorWriter, clock: Clock) -> None:
    """Apply a changed rule to everything stored, in batches."""
    for chunk in _chunks(db, lease.tenant):
        with lease.write() as connection:
            writer.reapply_publication_rules(connection, [row.row for row in chunk], clock.now())


def _chunks(db: Database, tenant: str) -> Iterator[list[sa.Row[int, str]]]:
    last = 0
    query = (
        sa.select(vacancies.c.row, vacancies.c.vacancy_id)
        .where(vacancies.c.tenant == tenant, vacancies.c.publication != Publication.GONE)
        .order_by(vacancies.c.row)
        .limit(_AT_ONCE)
    )
    while True:
        chunk = list(db.rows(query.where(vacancies.c.row > last)))
        if not chunk:
            return
        yield chunk
        last = chunk[-1].row


def _open(db: Database, tenant: str, rows: list[int] | None, clock: Clock) -> int:
    query = sa.select(sa.func.count()).where(
        vacancies.c.tenant == tenant, vacancies.c.publication == Publication.PUBLIC, is_open(clock.now())
    )
    if rows is not None:
        query = query.where(vacancies.c.row.in_(rows))
    return db.value(query) or 0


def titles(db: Database, jobs: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return (tenant, posting id) → the title in the mirror, for operators: whether or not the job is public."""
    if not jobs:
        return {}
    v = vacancies.c
    wanted = sa.tuple_(v.tenant, v.posting_id).in_(sorted(jobs))
    query = sa.select(v.tenant, v.posting_id, vacancy_texts.c.title).join(vacancy_texts).where(wanted)
    return {(row.tenant, row.posting_id): row.title for row in db.rows(query)}


def jobs_named(db: Database, text: str, *, tenant: str | None, limit: int) -> list[tuple[str, str]]:
    """Return (tenant, posting id) of jobs with this id, or with this text in their title, the newest first."""
    v = vacancies.c
    is_it = sa.or_(v.posting_id == text, vacancy_texts.c.title.icontains(text, autoescape=True))
    query = sa.select(v.tenant, v.posting_id).join(vacancy_texts).where(v.posting_id.is_not(None), is_it)
    if tenant is not None:
        query = query.where(v.tenant == tenant)
    with db.read() as connection:
        found = connection.execute(query.order_by(v.posting_id != text, v.dated_at.desc(), v.row).limit(limit))
        return [(row.tenant, row.posting_id) for row in found]
