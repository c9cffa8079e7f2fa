"""Withdrawal and erasure: the portal erases its own data at once, and the tenant must respond about the service's data.

One transaction: 1. the portal's data is erased; 2. the request is stored with a deadline; 3. the operator is emailed.
The address stays sealed until the operator has responded, because the response is sent to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa
from babel import Locale

from portal.background.mails import queue as mail_queue
from portal.delivery.envelopes import person, receipt
from portal.delivery.envelopes.receipt import Receipt
from portal.delivery.envelopes.references import new_reference
from portal.delivery.envelopes.repeats import lock_order_key
from portal.delivery.envelopes.submissions import AuditHook, no_audit
from portal.delivery.privacy_requests import tombstones
from portal.delivery.privacy_requests.tables import owed_requests
from portal.delivery.privacy_requests.tombstones import Tombstone
from portal.delivery.record_changes import undo_links
from portal.jobs.alerts import subscribing as alerts
from portal.people.index import history, index
from portal.people.index.history import HistoryEventKind
from portal.people.signin import sessions
from portal.people.signin.sessions import Session
from portal.platform import local_time
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, address_hash, address_hashes
from portal.platform.database.db import Database, delete_old
from portal.platform.errors import PortalError
from portal.tenants.model import Tenant
from portal.tenants.retention import Cutoffs

ANSWER_WITHIN = timedelta(days=30)
"""Article 12 (3) of the GDPR: within one month."""


class ErasureBlockedUntil(PortalError):
    """The record's email addresses were changed, and a former one can still undo that, until `until`."""

    def __init__(self, until: datetime) -> None:
        super().__init__("a change of addresses can still be undone")
        self.until = until


class PrivacyRequestKind(StrEnum):
    """What was requested."""

    WITHDRAW = "withdraw"
    ERASE = "erase"


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """One request, without its person. about: an application's reference, if it is about one."""

    reference: str
    tenant: str
    kind: PrivacyRequestKind
    about: str | None
    asked_at: datetime
    due_at: datetime
    done_at: datetime | None

    def as_json(self) -> dict[str, str | None]:
        """Return the same as JSON values; times in ISO 8601."""
        return {
            "reference": self.reference,
            "tenant": self.tenant,
            "kind": self.kind.value,
            "application": self.about,
            "askedAt": self.asked_at.isoformat(),
            "dueAt": self.due_at.isoformat(),
            "doneAt": self.done_at.isoformat() if self.done_at else None,
        }


def withdraw(
    db: Database, seal: Seal, *, tenant: Tenant, session: Session, kind: str, about: str, locale: str, clock: Clock
) -> OpenRequest | None:
    """Withdraw one delivery of that kind in the portal, and ask the tenant to do the same. about: its reference.

    Return None, and send no email, if it was requested already: a double click makes one request.
    """
    now, email = clock.now(), session.email
    sent = receipt.find(db, tenant=tenant.slug, kind=kind, reference=about)
    with db.write() as connection:
        if not person.withdraw(connection, seal, tenant=tenant.slug, kind=kind, email=email, reference=about, now=now):
            return None
        if session.candidate:
            history.note(
                connection,
                tenant=tenant.slug,
                candidate=session.candidate,
                address=session.address,
                what=HistoryEventKind.WITHDRAWN,
                now=now,
                reference=about,
            )
        return _ask(connection, seal, tenant, session, PrivacyRequestKind.WITHDRAW, locale, now, sent=sent)


def erase(
    db: Database, seal: Seal, *, tenant: Tenant, session: Session, locale: str, clock: Clock
) -> OpenRequest | None:
    """Erase everything about a person in the portal, and ask the tenant for the rest. None if it was requested already.

    It ends the session, and withdraws every undelivered change of the record, sent from any of its addresses: a
    record may have several, and a change from any of them is about the same person. An application that they send at
    this very moment is either accepted before it and erased with the rest, or accepted after it and remains.

    Raises ErasureBlockedUntil for somebody who got access through a change of addresses that can still be undone.
    """
    now, slug, email = clock.now(), tenant.slug, session.email
    addresses = address_hashes(seal, slug, email)
    with db.write() as connection:
        lock_order_key(connection, address_hash(seal, slug, email))
        theirs = [session.candidate] if session.candidate else index.keys_at(connection, seal, slug, email)
        for key in sorted(theirs):  # a change or an undo of one of these records is accepted before this, or after it
            lock_order_key(connection, key)
        until = undo_links.holds_up_erasing(connection, seal, tenant=slug, email=email, keys=theirs, now=now)
        if until is not None:
            raise ErasureBlockedUntil(until)
        person.lock_outbox_rows(connection, seal, tenant=slug, email=email, about=theirs)
        if not sessions.forget(connection, tenant=slug, addresses=addresses):
            return None
        keys = index.forget(connection, seal, slug, email, key=session.candidate)
        sessions.forget_of_candidates(connection, tenant=slug, candidates=keys)
        person.erase(connection, seal, tenant=slug, email=email, about=keys, now=now)
        history.erase(connection, tenant=slug, addresses=addresses, keys=keys)
        undo_links.forget(connection, tenant=slug, addresses=addresses, keys=keys)
        alerts.forget_person(connection, tenant=slug, addresses=addresses, now=now)
        mail_queue.withdraw_to(connection, seal, tenant=slug, recipient=email, now=now)
        request = _ask(connection, seal, tenant, session, PrivacyRequestKind.ERASE, locale, now)
        tombstones.record(
            connection,
            Tombstone(slug, now, tuple(addresses), tuple(sorted({*theirs, *keys})), request.reference, request.due_at),
        )
        return request


def all_open(db: Database, *, unanswered: bool = True) -> list[OpenRequest]:
    """Return the requests of every tenant, earliest deadline first."""
    query = sa.select(*_COLUMNS).order_by(owed_requests.c.due_at)
    if unanswered:
        query = query.where(owed_requests.c.done_at.is_(None))
    with db.read() as connection:
        return [_request(row) for row in connection.execute(query).mappings()]


def of_person(db: Database, seal: Seal, *, tenant: str, email: str) -> list[OpenRequest]:
    """Return what one person requested, newest first.

    A request about a delivery belongs to the person to whom the delivery belongs now, also after a change of address.
    """
    c = owed_requests.c
    asked = sa.and_(c.about.is_(None), c.address.in_(address_hashes(seal, tenant, email)))
    with db.read() as connection:
        sent = person.references_of(connection, seal, tenant=tenant, email=email)
        mine = sa.and_(c.tenant == tenant, sa.or_(asked, c.about.in_(sent)))
        query = sa.select(*_COLUMNS).where(mine).order_by(c.asked_at.desc())
        return [_request(row) for row in connection.execute(query).mappings()]


def done(
    db: Database,
    seal: Seal,
    reference: str,
    clock: Clock,
    *,
    noted: AuditHook = no_audit,
) -> bool:
    """Record that the tenant has responded, email the person, and erase their address. Return False if it is not open.

    No email is sent about an erasure that a restore had lost, because the address is no longer known.

    noted: called in the same transaction, with whether it was open.
    """
    c, now = owed_requests.c, clock.now()
    with db.write() as connection:
        row = connection.execute(
            sa.select(owed_requests).where(c.reference == reference, c.done_at.is_(None)).with_for_update()
        ).one_or_none()
        noted(connection, row is not None)
        if row is None:
            return False
        connection.execute(
            owed_requests.update().where(c.reference == reference).values(done_at=now, sealed_address=None)
        )
        if row.sealed_address is not None:  # a request that a restore lost is known without it
            mail_queue.send(
                connection,
                seal,
                tenant=row.tenant,
                template="request_done",
                locale=row.locale,
                recipient=seal.open(row.sealed_address),
                facts={"kind": row.kind, "request": reference},
                now=now,
            )
    return True


def has_open_request(reference: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Return a condition: a request about the delivery of that reference is not answered yet."""
    return sa.exists().where(owed_requests.c.about == reference, owed_requests.c.done_at.is_(None))


def forget_answered(db: Database, old: Cutoffs) -> None:
    """Delete requests that were answered long ago."""
    c = owed_requests.c
    delete_old(db, owed_requests, sa.and_(c.done_at.is_not(None), old.passed(c.tenant, c.done_at)))


def _ask(
    connection: sa.Connection,
    seal: Seal,
    tenant: Tenant,
    session: Session,
    kind: PrivacyRequestKind,
    locale: str,
    now: datetime,
    *,
    sent: Receipt | None = None,
) -> OpenRequest:
    reference = new_reference(seal, tenant=tenant.slug, kind="request", posting_id=None, now=now)
    about = sent.reference if sent else None
    request = OpenRequest(reference, tenant.slug, kind, about, now, now + ANSWER_WITHIN, None)
    connection.execute(
        owed_requests.insert().values(
            reference=request.reference,
            tenant=tenant.slug,
            kind=kind,
            about=request.about,
            address=address_hash(seal, tenant.slug, session.email),
            sealed_address=seal.seal(session.email),
            locale=locale,
            asked_at=now,
            due_at=request.due_at,
        )
    )
    _write(connection, seal, tenant, session.email, request, locale, _way(sent, now) if sent else {})
    return request


def _way(sent: Receipt, now: datetime) -> dict[str, str | None]:
    """Return the times of an application that is withdrawn now, for its email."""
    delivered = sent.delivered_at.isoformat() if sent.delivered_at else None
    return {"when": sent.accepted_at.isoformat(), "delivered": delivered, "withdrawn": now.isoformat()}


def _write(
    connection: sa.Connection,
    seal: Seal,
    tenant: Tenant,
    email: str,
    request: OpenRequest,
    locale: str,
    way: Mapping[str, str | None],
) -> None:
    facts = {**way, "kind": request.kind.value, "request": request.reference, "about": request.about}
    recipients = [("request_received", locale, email)]
    if tenant.mail.operator:
        recipients.append(("request_owed", tenant.site.locales[0], tenant.mail.operator))
    for template, language, recipient in recipients:
        day = local_time.date_of(request.due_at, local_time.zone_of(tenant.site.timezone))
        due = local_time.day_in_words(day, Locale.parse(language, sep="-"))
        mail_queue.send(
            connection,
            seal,
            tenant=tenant.slug,
            template=template,
            locale=language,
            recipient=recipient,
            facts={**facts, "due": due, "email": email},
            now=request.asked_at,
        )


_COLUMNS = (
    owed_requests.c.reference,
    owed_requests.c.tenant,
    owed_requests.c.kind,
    owed_requests.c.about,
    owed_requests.c.asked_at,
    owed_requests.c.due_at,
    owed_requests.c.done_at,
)


def _request(row: sa.RowMapping) -> OpenRequest:
    values = dict(row)
    return OpenRequest(**{**values, "kind": PrivacyRequestKind(values["kind"])})
