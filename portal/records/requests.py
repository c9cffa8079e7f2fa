"""Withdrawal and erasure: the portal erases its own at once, and its tenant owes an answer for the service's.

One transaction: 1. the portal's data goes; 2. the request is written down with a deadline; 3. the operator is written
to. The address stays sealed until the operator has answered, because the answer goes to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa
from babel.dates import format_date

from portal.applications import person, uploads
from portal.applications.accept import new_reference
from portal.candidates import index
from portal.clock import Clock
from portal.db import Database
from portal.letters import queue as letters
from portal.outbox import queue
from portal.records.change import KIND
from portal.records.tables import SEALED, owed_requests, record_changes, record_history
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


def ask(
    db: Database,
    seal: Seal,
    *,
    tenant: Tenant,
    session: Session,
    kind: Asked,
    about: str | None,
    locale: str,
    secrets: Sequence[str],
    clock: Clock,
) -> OwedRequest | None:
    """Erase here, ask there. about: the application to withdraw; None with ERASE. Raises DatabaseUnavailable.

    None, and nobody is written to, for what was asked already: a double click asks once. Erasing ends the session and
    every change of the record that is on its way.
    """
    now, reference = clock.now(), new_reference()
    with db.write() as connection:
        if kind is Asked.ERASE and not sessions.forget(connection, seal, tenant=tenant.slug, email=session.email):
            return None
        withdrawn = person.withdraw(
            connection, tenant=tenant.slug, email=session.email, secrets=secrets, reference=about, clock=clock
        )
        if about is not None and not withdrawn:
            return None
        if kind is Asked.ERASE:
            _erase(connection, seal, tenant.slug, session, now)
        request = OwedRequest(reference, tenant.slug, kind, about, now, now + ANSWER_WITHIN, None)
        connection.execute(
            owed_requests.insert().values(
                reference=reference,
                tenant=tenant.slug,
                kind=kind,
                about=about,
                address=address_hash(seal, tenant.slug, session.email),
                sealed_address=seal.seal(session.email),
                locale=locale,
                asked_at=now,
                due_at=request.due_at,
            )
        )
        _write(connection, tenant, session.email, request, locale)
    return request


def owed(db: Database, *, unanswered: bool = True) -> list[OwedRequest]:
    """Requests of every tenant, the one due first first."""
    query = sa.select(*_COLUMNS).order_by(owed_requests.c.due_at)
    if unanswered:
        query = query.where(owed_requests.c.done_at.is_(None))
    with db.read() as connection:
        return [_request(row) for row in connection.execute(query).mappings()]


def of_person(db: Database, seal: Seal, *, tenant: str, email: str) -> list[OwedRequest]:
    """What one person asked for, newest first."""
    c = owed_requests.c
    mine = sa.and_(c.tenant == tenant, c.address.in_(address_hashes(seal, tenant, email)))
    with db.read() as connection:
        query = sa.select(*_COLUMNS).where(mine).order_by(c.asked_at.desc())
        return [_request(row) for row in connection.execute(query).mappings()]


def done(db: Database, seal: Seal, reference: str, clock: Clock) -> bool:
    """The tenant has answered: the person is told, and their address forgotten. False if there is nothing to answer."""
    c, now = owed_requests.c, clock.now()
    with db.write() as connection:
        row = connection.execute(
            sa.select(owed_requests).where(c.reference == reference, c.done_at.is_(None)).with_for_update()
        ).one_or_none()
        if row is None:
            return False
        connection.execute(
            owed_requests.update().where(c.reference == reference).values(done_at=now, sealed_address=None)
        )
        letters.send(
            connection,
            tenant=row.tenant,
            template="request_done",
            locale=row.locale,
            recipient=seal.open(row.sealed_address),
            facts={"kind": row.kind, "request": reference},
            now=now,
        )
    return True


def _erase(connection: sa.Connection, seal: Seal, tenant: str, session: Session, now: datetime) -> None:
    c = record_changes.c
    hashes = address_hashes(seal, tenant, session.email)
    # A record may have other addresses, and what was done from there is about the same person.
    keys = index.forget(connection, seal, tenant, session.email, key=session.candidate)
    sessions.forget_of_candidates(connection, tenant=tenant, candidates=keys)
    theirs = sa.and_(c.tenant == tenant, sa.or_(c.address.in_(hashes), c.candidate.in_(keys)))
    for reference in connection.execute(sa.select(c.reference).where(theirs)).scalars().all():
        if queue.abandon(connection, KIND, reference, now):
            uploads.let_go(connection, reference)
    connection.execute(record_changes.update().where(theirs).values(**dict.fromkeys(SEALED)))
    h = record_history.c
    connection.execute(
        record_history.delete().where(h.tenant == tenant, sa.or_(h.address.in_(hashes), h.candidate.in_(keys)))
    )
    letters.withdraw_to(connection, tenant=tenant, recipient=session.email, now=now)


def _write(connection: sa.Connection, tenant: Tenant, email: str, request: OwedRequest, locale: str) -> None:
    # Not named `reference`: letters about an application are withdrawn by that name, and these must go out.
    facts = {"kind": request.kind.value, "request": request.reference, "about": request.about}
    recipients = [("request_received", locale, email)]
    if tenant.mail.operator:
        recipients.append(("request_owed", tenant.site.locales[0], tenant.mail.operator))
    for template, language, recipient in recipients:
        due = format_date(request.due_at.date(), "long", locale=language.replace("-", "_"))
        letters.send(
            connection,
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
