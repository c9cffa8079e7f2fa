"""Erasure: of a person on request, and of the applications to a job some time after it closed.

Requests that candidates made in the portal are read from the portal's database, if the service runs beside it: the
documented interface has no operation for them. Completing one erases the person here and answers the request there.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from werkzeug.exceptions import NotFound

from portal.adapters.storage.store import Store, is_key
from portal.background.mails import queue as mail_queue
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.privacy_requests import requests
from portal.delivery.privacy_requests.requests import OpenRequest, PrivacyRequestKind
from portal.delivery.privacy_requests.tables import owed_requests
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database, delete_old
from portal.platform.errors import StoreError
from portal.tracker import candidates as records
from portal.tracker import revisions, upsert
from portal.tracker import vacancies as jobs
from portal.tracker.hiring.application_list import cv_keys, job_title, title_of
from portal.tracker.hiring.colleagues import Activity, HiringTenant, Role, log, send_email
from portal.tracker.hiring.tables import (
    applications_seen,
    files_to_delete,
    hiring_log,
    hiring_settings,
    replies,
    retention_notices,
)
from portal.tracker.tables import addresses, applications, candidates, former_cvs, tenants, vacancies

ERASURE_NOTICE = timedelta(days=7)
MIN_RETENTION_DAYS, MAX_RETENTION_DAYS = 30, 3_650
LOG_RETENTION = timedelta(days=400)
"""How long the log of what colleagues did is kept, as the portal keeps its operators'."""
_AT_ONCE = 100


_Company = HiringTenant | sa.Row[Any]
"""With id and slug."""


@dataclass(frozen=True, slots=True)
class PortalSide:
    """The portal's database, where candidates' requests are."""

    database: Database
    seal: Seal
    clock: Clock


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A candidate's request. email: "" if a restore of the portal lost it. job: the posting's id, of a withdrawal."""

    request: OpenRequest
    email: str = field(repr=False)
    job: str | None


def pending(portal: PortalSide, slug: str) -> list[PendingRequest]:
    """Return the open requests of a company's candidates, the most urgent first."""
    c, seal = owed_requests.c, portal.seal
    query = sa.select(c.reference, c.sealed_address, deliveries.c.about).where(c.tenant == slug, c.done_at.is_(None))
    with portal.database.read() as connection:
        rows = connection.execute(query.outerjoin(deliveries, deliveries.c.reference == c.about)).all()
    facts = {row.reference: (seal.open(row.sealed_address) if row.sealed_address else "", row.about) for row in rows}
    every = requests.all_open(portal.database)
    return [PendingRequest(one, *facts[one.reference]) for one in every if one.reference in facts]


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
    """Erase the data that a candidate's request is about, and answer it; return the number of people or applications.

    None if it is not open, or if its address was lost, so that the person is unknown. Data is erased here first, then
    the portal's request is closed: after an interruption the request is still open and is completed again.
    """
    one = next((each for each in pending(portal, company.slug) if each.request.reference == reference), None)
    if one is None or not one.email:
        return None
    a, c, now = applications.c, addresses.c, clock.now()
    with db.write() as connection:
        revisions.require(connection, clock, company.id)
        people = sa.select(c.candidate_id).where(c.tenant_id == company.id, c.email == records.folded(one.email))
        found = connection.scalars(people).all()
        if one.request.kind is PrivacyRequestKind.ERASE:
            _erase_people(connection, company, found, clock)
        else:
            theirs = (a.tenant_id == company.id, a.candidate_id.in_(found), a.vacancy_id == one.job)
            found = connection.scalars(sa.select(a.id).where(*theirs)).all()
            _erase_applications(connection, company, found, clock)
        log(connection, company.id, by=by, what=Activity.ERASED, about=reference, now=now)
    delete_files(db, store)
    return len(found) if requests.done(portal.database, portal.seal, reference, clock) else None


def erase_applicant(
    db: Database, store: Store | None, company: HiringTenant, application_id: str, *, by: str, clock: Clock
) -> None:
    """Erase the person of an application with all their applications. Raises NotFound."""
    now, query = clock.now(), sa.select(applications.c.candidate_id)
    with db.write() as connection:
        revisions.require(connection, clock, company.id)
        row = connection.execute(query.filter_by(tenant_id=company.id, id=application_id)).one_or_none()
        if row is None:
            raise NotFound
        if row.candidate_id:
            _erase_people(connection, company, [row.candidate_id], clock)
        else:
            _erase_applications(connection, company, [application_id], clock)
        log(connection, company.id, by=by, what=Activity.ERASED, about=application_id, now=now)
    delete_files(db, store)


def announce_erasures(db: Database, seal: Seal, clock: Clock) -> None:
    """Email owners about closed jobs whose applications are erased in a week; forget notices of reopened jobs."""
    now, v, n, a = clock.now(), vacancies.c, retention_notices.c, applications.c
    noticed = sa.exists().where(n.tenant_id == v.tenant_id, n.vacancy_id == v.id)
    reopened = sa.exists().where(v.tenant_id == n.tenant_id, v.id == n.vacancy_id, v.status == "open")
    has_some = sa.exists().where(a.tenant_id == v.tenant_id, a.vacancy_id == v.id)
    for company in _companies(db):
        before = now - timedelta(days=company.retention_days) + ERASURE_NOTICE
        due = (v.tenant_id == company.id, v.status != "open", v.modified < before, has_some, ~noticed)
        with db.write() as connection:
            connection.execute(retention_notices.delete().where(n.tenant_id == company.id, reopened))
            closed: sa.Select[Any] = sa.select(v.id, job_title(connection)).where(*due).order_by(v.id).limit(_AT_ONCE)
            rows = connection.execute(closed).all()
            if rows:
                notices = [{"tenant_id": company.id, "vacancy_id": row.id, "told_at": now} for row in rows]
                connection.execute(retention_notices.insert(), notices)
                facts = {"jobs": [title_of(row) for row in rows], "before": (now + ERASURE_NOTICE).isoformat()}
                send_email(connection, seal, company, Role.OWNER, "applications_expire", facts, now)


def erase_old(db: Database, store: Store | None, clock: Clock) -> None:
    """Erase the applications to jobs that closed long ago and whose owners were notified in time, and old log lines."""
    now, v, n, a = clock.now(), vacancies.c, retention_notices.c, applications.c
    noticed = sa.and_(n.tenant_id == v.tenant_id, n.vacancy_id == v.id, n.told_at <= now - ERASURE_NOTICE)
    closed = sa.select(v.id).join(retention_notices, noticed).where(v.status != "open").order_by(v.id).limit(_AT_ONCE)
    delete_old(db, hiring_log, hiring_log.c.at < now - LOG_RETENTION)
    for company in _companies(db):
        old = (v.tenant_id == company.id, v.modified < now - timedelta(days=company.retention_days))
        with db.read() as connection:
            due = connection.scalars(closed.where(*old)).all()
        for job_id in due:
            with db.write() as connection:
                revisions.require(connection, clock, company.id)
                theirs = (a.tenant_id == company.id, a.vacancy_id == job_id)
                ids = connection.scalars(sa.select(a.id).where(*theirs).limit(_AT_ONCE)).all()
                _erase_applications(connection, company, ids, clock)
                if len(ids) < _AT_ONCE:
                    for table in (retention_notices, applications_seen):
                        connection.execute(table.delete().filter_by(tenant_id=company.id, vacancy_id=job_id))
    delete_files(db, store)


def _companies(db: Database) -> Sequence[sa.Row[Any]]:
    """Return the companies with colleagues: rows of id, slug and retention_days."""
    s = hiring_settings.c
    query: sa.Select[Any] = sa.select(tenants.c.id, tenants.c.slug, s.retention_days)
    with db.read() as connection:
        return connection.execute(query.join(hiring_settings, s.tenant_id == tenants.c.id)).all()


def _erase_people(connection: sa.Connection, company: _Company, people: Collection[str], clock: Clock) -> None:
    """Erase candidates and all their applications."""
    a = applications.c
    theirs = sa.select(a.id).where(a.tenant_id == company.id, a.candidate_id.in_(people))
    _erase_applications(connection, company, connection.scalars(theirs).all(), clock)
    for one in people:
        _erase_candidate(connection, company, one)


def _erase_applications(connection: sa.Connection, company: _Company, ids: Collection[str], clock: Clock) -> None:
    """Erase applications with their replies, candidates without other applications, and unused CVs of the other
    candidates.

    Replies that are not sent yet are withdrawn.
    """
    a, r = applications.c, replies.c
    these, answered = (a.tenant_id == company.id, a.id.in_(ids)), (r.tenant_id == company.id, r.application_id.in_(ids))
    connection.execute(sa.select(a.id).where(*these).with_for_update())
    letters = connection.scalars(sa.select(r.letter).where(*answered)).all()
    if letters:  # locks in the order in which the outbox settles: outbox, letters, replies
        mail_queue.withdraw(connection, ids=letters, now=clock.now())
    connection.execute(replies.delete().where(*answered))
    gone = applications.delete().where(*these).returning(a.vacancy_id, a.candidate_id, a.cv)
    rows = connection.execute(gone).all()
    jobs.recount(connection, company.id, {row.vacancy_id for row in rows if row.vacancy_id})
    for person in {row.candidate_id for row in rows if row.candidate_id}:
        left = sa.select(a.cv).where(a.tenant_id == company.id, a.candidate_id == person)
        if used := connection.scalars(left).all():
            came_with = {row.cv for row in rows if row.candidate_id == person and row.cv}
            _erase_former_cvs(connection, company, person, came_with, used, clock)
        else:
            _erase_candidate(connection, company, person)


def _erase_former_cvs(
    connection: sa.Connection,
    company: _Company,
    candidate_id: str,
    came_with: set[str],
    used: Sequence[str | None],
    clock: Clock,
) -> None:
    """In a record that is kept, erase the CVs of erased applications, and CVs that later ones replaced.

    used: the CVs of applications that are kept. If one of these is unknown, replaced CVs are kept.
    """
    person, its = records.get(connection, company.id, candidate_id), former_cvs.c
    former = (its.tenant_id == company.id, its.candidate_id == candidate_id)
    keys = [*connection.scalars(sa.select(its.key).where(*former)), *(cv_keys(person.record) if person else ())]
    over = (came_with.union(keys[:-1] if None not in used else ()) & set(keys)).difference(used)
    if person and over:
        connection.execute(former_cvs.delete().where(*former, its.key.in_(over)))
        records.drop_cvs(person.record, over)
        records.keep(connection, revisions.require(connection, clock, company.id), person)
        _delete_later(connection, company, over)


def _erase_candidate(connection: sa.Connection, company: _Company, candidate_id: str) -> None:
    """Erase a record with its files."""
    connection.execute(addresses.delete().filter_by(tenant_id=company.id, candidate_id=candidate_id))
    gone = candidates.delete().filter_by(tenant_id=company.id, id=candidate_id).returning(candidates.c.record)
    record = connection.scalar(gone)
    former = former_cvs.delete().filter_by(tenant_id=company.id, candidate_id=candidate_id).returning(former_cvs.c.key)
    keys = [*connection.scalars(former), *(cv_keys(json.loads(record)) if record else ())]
    _delete_later(connection, company, keys)


def _delete_later(connection: sa.Connection, company: _Company, keys: Collection[str]) -> None:
    """Store the keys of files until they are deleted, except files of other applications.

    Keys came with applications, which anybody can send: keys of other companies are ignored.
    """
    a = applications.c
    used = set(connection.scalars(sa.select(a.cv).where(a.tenant_id == company.id, a.cv.in_(keys))))
    own = [{"key": key} for key in keys if key.startswith(f"{company.slug}/") and is_key(key) and key not in used]
    upsert.put_if_new(connection, files_to_delete, own)


def delete_files(db: Database, store: Store | None) -> None:
    """Delete files that no record names any more. Those that the storage does not delete are tried again in the next
    call."""
    if store is None:
        return
    f = files_to_delete.c
    with db.read() as connection:
        keys = connection.scalars(sa.select(f.key).limit(_AT_ONCE)).all()
    for key in keys:
        try:
            store.delete(key)
        except StoreError:
            continue  # an unavailable storage fails at once; a file that it never deletes must not stop the others
        with db.write() as connection:
            connection.execute(files_to_delete.delete().where(f.key == key))
