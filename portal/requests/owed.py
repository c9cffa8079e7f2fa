"""Withdrawal and erasure: the portal erases its own at once, and its tenant owes an answer for the service's.

One transaction: 1. the portal's data goes; 2. the request is written down with a deadline; 3. the operator is written
to. The address stays sealed until the operator has answered, because the answer goes to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa
from babel import Locale

from portal import moments
from portal.alerts import subscribing as alerts
from portal.candidates import history, index
from portal.candidates.history import What
from portal.clock import Clock
from portal.db import Database
from portal.deliveries import person, receipt
from portal.deliveries.accept import new_reference, one_at_a_time
from portal.deliveries.operate import Noted, unnoted
from portal.deliveries.receipt import Receipt
from portal.letters import queue as letters
from portal.requests.tables import owed_requests
from portal.sealing import Seal, address_hash, address_hashes
from portal.signin import sessions
from portal.signin.sessions import Session
from portal.tenants.model import Tenant

ANSWER_WITHIN = timedelta(days=30)
"""Article 12 (3) of the GDPR: within one month."""


class Asked(StrEnum):
    """What was asked for."""

    WITHDRAW = "withdraw"
    ERASE = "erase"


@dataclass(frozen=True, slots=True)
class OwedRequest:
    """One request, without its person. about: an application's reference, where it is about one."""

    reference: str
    tenant: str
    kind: Asked
    about: str | None
    asked_at: datetime
    due_at: datetime
    done_at: datetime | None

    def as_json(self) -> dict[str, str | None]:
        """The same for machines; times in ISO 8601."""
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
) -> OwedRequest | None:
    """Take back one delivery of that kind here, and ask for it there. about: its reference.

    None, and nobody is written to, for what was asked already: a double click asks once.
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
                what=What.WITHDRAWN,
                now=now,
                reference=about,
            )
        return _ask(connection, seal, tenant, session, Asked.WITHDRAW, locale, now, sent=sent)


def erase(
    db: Database, seal: Seal, *, tenant: Tenant, session: Session, locale: str, clock: Clock
) -> OwedRequest | None:
    """Erase everything of a person here, ask for it there. None for what was asked already.

    It ends the session, and takes back every change of the record that is on its way, whichever of its addresses it
    was sent with: a record may have others, and what was done from there is about the same person. An application that
    they send at this very moment is accepted before it, and goes with the rest, or after it, and stands.
    """
    now, slug, email = clock.now(), tenant.slug, session.email
    with db.write() as connection:
        one_at_a_time(connection, address_hash(seal, slug, email))
        theirs = [session.candidate] if session.candidate else index.keys_at(connection, seal, slug, email)
        person.hold(connection, seal, tenant=slug, email=email, about=theirs)
        if not sessions.forget(connection, seal, tenant=slug, email=email):
            return None
        keys = index.forget(connection, seal, slug, email, key=session.candidate)
        sessions.forget_of_candidates(connection, tenant=slug, candidates=keys)
        person.erase(connection, seal, tenant=slug, email=email, about=keys, now=now)
        history.erase(connection, tenant=slug, addresses=address_hashes(seal, slug, email), keys=keys)
        alerts.forget_person(connection, seal, tenant=slug, email=email, now=now)
        letters.withdraw_to(connection, seal, tenant=slug, recipient=email, now=now)
        return _ask(connection, seal, tenant, session, Asked.ERASE, locale, now)


def owed(db: Database, *, unanswered: bool = True) -> list[OwedRequest]:
    """Requests of every tenant, the one due first first."""
    query = sa.select(*_COLUMNS).order_by(owed_requests.c.due_at)
    if unanswered:
        query = query.where(owed_requests.c.done_at.is_(None))
    with db.read() as connection:
        return [_request(row) for row in connection.execute(query).mappings()]


def of_person(db: Database, seal: Seal, *, tenant: str, email: str) -> list[OwedRequest]:
    """What one person asked for, newest first. A request about what they sent is theirs wherever that moved on to."""
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
    noted: Noted = unnoted,
) -> bool:
    """The tenant has answered: the person is told, and their address forgotten. False if there is nothing to answer.

    noted: called in the same transaction, with whether it was done.
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
        letters.send(
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


def _ask(
    connection: sa.Connection,
    seal: Seal,
    tenant: Tenant,
    session: Session,
    kind: Asked,
    locale: str,
    now: datetime,
    *,
    sent: Receipt | None = None,
) -> OwedRequest:
    request = OwedRequest(
        new_reference(), tenant.slug, kind, sent.reference if sent else None, now, now + ANSWER_WITHIN, None
    )
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
    """Of an application that is withdrawn now, for its letter."""
    delivered = sent.delivered_at.isoformat() if sent.delivered_at else None
    return {"when": sent.accepted_at.isoformat(), "delivered": delivered, "withdrawn": now.isoformat()}


def _write(
    connection: sa.Connection,
    seal: Seal,
    tenant: Tenant,
    email: str,
    request: OwedRequest,
    locale: str,
    way: Mapping[str, str | None],
) -> None:
    facts = {**way, "kind": request.kind.value, "request": request.reference, "about": request.about}
    recipients = [("request_received", locale, email)]
    if tenant.mail.operator:
        recipients.append(("request_owed", tenant.site.locales[0], tenant.mail.operator))
    for template, language, recipient in recipients:
        day = moments.date_of(request.due_at, moments.zone_of(tenant.site.timezone))
        due = moments.day_in_words(day, Locale.parse(language, sep="-"))
        letters.send(
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


def _request(row: sa.RowMapping) -> OwedRequest:
    values = dict(row)
    return OwedRequest(**{**values, "kind": Asked(values["kind"])})
