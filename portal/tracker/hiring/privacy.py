"""Erasure: of a person on request, and of the applications to a job some time after it closed.

Requests that candidates made in the portal are read from the portal's database, if the service runs beside it: the
documented interface has no operation for them. Completing one erases the person here and answers the request there.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from portal.adapters.storage.store import Store, is_key
from portal.background.mails import queue as mail_queue
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.privacy_requests import requests
from portal.delivery.privacy_requests.requests import OpenRequest, PrivacyRequestKind
from portal.delivery.privacy_requests.tables import owed_requests
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database, insert
from portal.platform.errors import StoreError
from portal.tracker import candidates as records
from portal.tracker import revisions
from portal.tracker import vacancies as jobs
from portal.tracker.hiring import activity_log, notifications
from portal.tracker.hiring.activity_log import Activity
from portal.tracker.hiring.application_detail import cv_keys
from portal.tracker.hiring.application_list import job_title, title_of
from portal.tracker.hiring.colleagues import HiringTenant, Role
from portal.tracker.hiring.tables import (
    applications_seen,
    colleagues,
    files_to_delete,
    hiring_log,
    hiring_settings,
    replies,
    retention_notices,
)
from portal.tracker.tables import addresses, applications, candidates, tenants, vacancies

NOTICE = timedelta(days=7)
LEAST_DAYS, MOST_DAYS = 30, 3_650
LOG_KEPT = timedelta(days=400)
"""How long the log of what colleagues did is kept, as the portal keeps its operators'."""
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class PortalSide:
    """The portal's database, where candidates' requests are."""

    database: Database
    seal: Seal
    clock: Clock


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A candidate's request. job: the posting's id, of a withdrawal. email: "" if a restore of the portal lost it."""

    request: OpenRequest
    email: str = field(repr=False)
    job: str | None


def pending(portal: PortalSide, slug: str) -> list[PendingRequest]:
    """Return the open requests of a company's candidates, the most urgent first."""
    c = owed_requests.c
    query = (
        sa.select(c.reference, c.sealed_address, deliveries.c.about)
        .outerjoin(deliveries, deliveries.c.reference == c.about)
        .where(c.tenant == slug, c.done_at.is_(None))
    )
    with portal.database.read() as connection:
        facts = {row.reference: row for row in connection.execute(query)}
    found = []
    for one in requests.all_open(portal.database):
        if row := facts.get(one.reference):
            email = portal.seal.open(row.sealed_address) if row.sealed_address else ""
            found.append(PendingRequest(one, email, row.about))
    return sorted(found, key=lambda one: one.request.due_at)


def complete(
    db: Database,
    store: Store | None,
    portal: PortalSide,
    company: HiringTenant,
    reference: str,
    *,
    by: str,
    clock: Clock,
) -> int | None:
    """Erase what a candidate's request is about, and answer it; return how many people or applications that were.

    None if it is not open, or if its address was lost, so that nobody knows whom it is about. First here, then there:
    if it is interrupted, the request stays open and is completed again.
    """
    one = next((each for each in pending(portal, company.slug) if each.request.reference == reference), None)
    if one is None or not one.email:
        return None
    now = clock.now()
    with db.write() as connection:
        turn = revisions.take(connection, clock, tenant_id=company.id)
        found: Sequence[str] = _people_at(connection, company.id, one.email) if turn else []
        if one.request.kind is PrivacyRequestKind.ERASE:
            keys = _erase_people(connection, company.id, found, now)
        else:
            a = applications.c
            theirs = (a.tenant_id == company.id, a.candidate_id.in_(found), a.vacancy_id == one.job)
            found = connection.scalars(sa.select(a.id).where(*theirs)).all()
            keys = _erase_applications(connection, company.id, found, now)
        activity_log.write(connection, company.id, by=by, what=Activity.ERASED, about=reference, now=now)
        _forget_files(connection, company.slug, keys)
    delete_files(db, store)
    return len(found) if requests.done(portal.database, portal.seal, reference, clock) else None


def erase_applicant(
    db: Database, store: Store | None, company: HiringTenant, application_id: str, *, by: str, clock: Clock
) -> bool:
    """Erase the person of an application with all their applications; return False if there is none."""
    a = applications.c
    with db.write() as connection:
        turn = revisions.take(connection, clock, tenant_id=company.id)
        query = sa.select(a.candidate_id).where(a.tenant_id == company.id, a.id == application_id)
        row = connection.execute(query).one_or_none() if turn else None
        if row is None:
            return False
        now = clock.now()
        keys = (
            _erase_people(connection, company.id, [row.candidate_id], now)
            if row.candidate_id
            else _erase_applications(connection, company.id, [application_id], now)
        )
        activity_log.write(connection, company.id, by=by, what=Activity.ERASED, about=application_id, now=now)
        _forget_files(connection, company.slug, keys)
    delete_files(db, store)
    return True


def announce(db: Database, seal: Seal, clock: Clock) -> None:
    """Email owners about closed jobs whose applications are erased in a week; forget notices of reopened jobs."""
    now, v, n, a = clock.now(), vacancies.c, retention_notices.c, applications.c
    noticed = sa.exists().where(n.tenant_id == v.tenant_id, n.vacancy_id == v.id)
    reopened = sa.exists().where(v.tenant_id == n.tenant_id, v.id == n.vacancy_id, v.status == "open")
    has_some = sa.exists().where(a.tenant_id == v.tenant_id, a.vacancy_id == v.id)
    for company in _companies(db):
        before = now - timedelta(days=company.retention_days) + NOTICE
        due = (v.tenant_id == company.id, v.status != "open", v.modified < before, has_some, ~noticed)
        with db.write() as connection:
            connection.execute(retention_notices.delete().where(n.tenant_id == company.id, reopened))
            closed: sa.Select[Any] = sa.select(v.id, job_title(connection)).where(*due).order_by(v.id).limit(_AT_ONCE)
            rows = connection.execute(closed).all()
            if rows:
                told = [{"tenant_id": company.id, "vacancy_id": row.id, "told_at": now} for row in rows]
                connection.execute(retention_notices.insert(), told)
                facts = {"jobs": [title_of(row) for row in rows], "before": (now + NOTICE).isoformat()}
                is_owner = colleagues.c.role == Role.OWNER.value
                notifications.email(connection, seal, company, is_owner, "applications_expire", facts, now)


def erase_old(db: Database, store: Store | None, clock: Clock) -> None:
    """Erase the applications to jobs that closed long ago and whose owners were told NOTICE ago, and old log lines."""
    now, v, n, a = clock.now(), vacancies.c, retention_notices.c, applications.c
    told = sa.and_(n.tenant_id == v.tenant_id, n.vacancy_id == v.id, n.told_at <= now - NOTICE)
    closed: sa.Select[Any] = sa.select(v.tenant_id, v.id, tenants.c.slug)
    closed = closed.join(tenants, tenants.c.id == v.tenant_id)
    closed = closed.join(retention_notices, told).where(v.status != "open").order_by(v.id).limit(_AT_ONCE)
    due: list[sa.Row[Any]] = []
    with db.write() as connection:
        connection.execute(hiring_log.delete().where(hiring_log.c.at < now - LOG_KEPT))
    for company in _companies(db):
        old = (v.tenant_id == company.id, v.modified < now - timedelta(days=company.retention_days))
        with db.read() as connection:
            due += connection.execute(closed.where(*old)).all()
    for job in due:
        with db.write() as connection:
            revisions.take(connection, clock, tenant_id=job.tenant_id)
            theirs = (a.tenant_id == job.tenant_id, a.vacancy_id == job.id)
            ids = connection.scalars(sa.select(a.id).where(*theirs).limit(_AT_ONCE)).all()
            keys = _erase_applications(connection, job.tenant_id, ids, now)
            if len(ids) < _AT_ONCE:
                for table in (retention_notices, applications_seen):
                    connection.execute(table.delete().filter_by(tenant_id=job.tenant_id, vacancy_id=job.id))
            _forget_files(connection, job.slug, keys)
    delete_files(db, store)


def _companies(db: Database) -> Sequence[sa.Row[Any]]:
    """Return the companies with colleagues: rows of id, slug and retention_days."""
    s = hiring_settings.c
    kept: sa.Select[Any] = sa.select(tenants.c.id, tenants.c.slug, s.retention_days)
    with db.read() as connection:
        return connection.execute(kept.join(hiring_settings, s.tenant_id == tenants.c.id)).all()


def _people_at(connection: sa.Connection, tenant_id: int, email: str) -> list[str]:
    c = addresses.c
    query = sa.select(c.candidate_id).where(c.tenant_id == tenant_id, c.email == records.folded(email))
    return list(connection.scalars(query))


def _erase_people(connection: sa.Connection, tenant_id: int, people: Collection[str], now: datetime) -> list[str]:
    """Erase candidates and all their applications; return the keys of their files."""
    a = applications.c
    theirs = sa.select(a.id).where(a.tenant_id == tenant_id, a.candidate_id.in_(people))
    keys = _erase_applications(connection, tenant_id, connection.scalars(theirs).all(), now)
    return list(
        dict.fromkeys([*keys, *(key for one in people for key in _erase_candidate(connection, tenant_id, one))])
    )


def _erase_applications(connection: sa.Connection, tenant_id: int, ids: Collection[str], now: datetime) -> list[str]:
    """Erase applications, what was answered to them, and candidates who have none left; return the keys of files.

    What was answered and is not sent yet is withdrawn.
    """
    a, r = applications.c, replies.c
    connection.execute(sa.select(a.id).where(a.tenant_id == tenant_id, a.id.in_(ids)).with_for_update())
    answered = (r.tenant_id == tenant_id, r.application_id.in_(ids))
    letters = connection.scalars(sa.select(r.letter).where(*answered)).all()
    if letters:  # locks in the order in which the outbox settles: outbox, letters, replies
        mail_queue.withdraw(connection, ids=letters, now=now)
    connection.execute(replies.delete().where(*answered))
    gone = applications.delete().where(a.tenant_id == tenant_id, a.id.in_(ids)).returning(a.vacancy_id, a.candidate_id)
    rows = connection.execute(gone).all()
    jobs.recount(connection, tenant_id, {row.vacancy_id for row in rows if row.vacancy_id})
    keys: list[str] = []
    for person in {row.candidate_id for row in rows if row.candidate_id}:
        left = sa.select(a.id).where(a.tenant_id == tenant_id, a.candidate_id == person).limit(1)
        if connection.execute(left).first() is None:
            keys += _erase_candidate(connection, tenant_id, person)
    return keys


def _erase_candidate(connection: sa.Connection, tenant_id: int, candidate_id: str) -> list[str]:
    connection.execute(addresses.delete().filter_by(tenant_id=tenant_id, candidate_id=candidate_id))
    gone = candidates.delete().filter_by(tenant_id=tenant_id, id=candidate_id).returning(candidates.c.record)
    record = connection.scalar(gone)
    return cv_keys(json.loads(record)) if record else []


def _forget_files(connection: sa.Connection, slug: str, keys: Sequence[str]) -> None:
    """Remember files that no record names any more, until they are deleted.

    Keys came with applications, which anybody can send: others than the company's are left alone.
    """
    own = [{"key": key} for key in keys if key.startswith(f"{slug}/") and is_key(key)]
    if own:
        connection.execute(insert(connection, files_to_delete).on_conflict_do_nothing(), own)


def delete_files(db: Database, store: Store | None) -> None:
    """Delete what no record names any more. What the storage does not delete waits for the next call."""
    if store is None:
        return
    f = files_to_delete.c
    with db.read() as connection:
        keys = connection.scalars(sa.select(f.key).limit(_AT_ONCE)).all()
    for key in keys:
        try:
            store.delete(key)
        except StoreError:
            continue  # while the storage is away it refuses at once; one that it never deletes holds up no other
        with db.write() as connection:
            connection.execute(files_to_delete.delete().where(f.key == key))
