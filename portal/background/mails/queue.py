"""Put emails into the outbox, as part of the transaction that causes them; and the status of queued ones."""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from portal.background.mails import digest as gathering
from portal.background.mails import quota
from portal.background.mails.tables import letters
from portal.background.outbox import queue as outbox
from portal.background.outbox.states import FINISHED, OutboxState
from portal.background.outbox.tables import outbox as outbox_table
from portal.platform.crypto.sealing import Seal, address_hash, address_hashes, reader_hashes
from portal.platform.database.db import Database
from portal.platform.database.prepared import PreparedStatement

KIND = "letter"
LANE = "mail"
"""The lane family of the mail server; each tenant has lanes below it, see lane()."""
DIGEST_PAUSE = timedelta(hours=1)

_BATCH = 500
_WRITE = PreparedStatement(letters.insert())
Fact = str | Sequence[str] | Sequence[Sequence[str]] | None
Row = dict[str, Any]


def lane(tenant: str) -> str:
    """Return the outbox lane of one tenant's emails."""
    return f"{LANE}:{tenant}"


@dataclass(frozen=True, slots=True)
class Content:
    """The recipient and the facts of an email. facts: each a string, a list of strings, or rows of strings."""

    recipient: str = field(repr=False)
    facts: Mapping[str, Fact] = field(repr=False)

    def sealed(self, seal: Seal) -> str:
        """Return the encrypted form for the database."""
        return seal.seal(json.dumps([self.recipient, dict(self.facts)]))

    @classmethod
    def opened(cls, seal: Seal, sealed: str) -> "Content":
        """Decrypt the form in the database."""
        return cls(*json.loads(seal.open(sealed)))


def send(
    connection: sa.Connection,
    seal: Seal,
    *,
    tenant: str,
    template: str,
    locale: str,
    recipient: str,
    facts: Mapping[str, Fact],
    now: datetime,
    about: str | None = None,
    due_at: datetime | None = None,
) -> str:
    """Queue one email and return its id. template: a name below templates/mail/.

    about: the delivery with which the email is erased. due_at: when it is sent, if not now.

    An email that anybody can cause, and that exceeds the quota of its mailbox, is sent later, in a digest.
    """
    row = _row(seal, tenant, template, locale, recipient, facts, now) | {"about": about, "due_at": due_at or now}
    if template in gathering.APPLICATIONS:
        room = quota.locked_quota(connection, seal, tenant=tenant, recipient=recipient, now=now)
        row["mailbox"] = room.mailbox
        if not room.at_once:
            row["gathering"] = _gather(connection, seal, row, recipient, room)
            _WRITE.run(connection, row)
            return str(row["id"])
    _post(connection, row)
    return str(row["id"])


def _gather(connection: sa.Connection, seal: Seal, letter: Row, recipient: str, room: quota.MailboxQuota) -> str:
    """Return the id of the digest for this email; create one if none waits."""
    known = gathering.open_digest_id(connection, seal, KIND, recipient=recipient)
    if known is not None:
        return known
    row = {
        **letter,
        "id": secrets.token_hex(16),
        "template": quota.DIGEST_TEMPLATE,
        # The mailbox's hash instead of the address's: the digest cannot be found or withdrawn by an address, because
        # its only content is its emails.
        "recipient": reader_hashes(seal, recipient)[0],
        "about": None,
        "sealed": None,
        "due_at": room.digest_due_at,
    }
    _post(connection, row)
    return str(row["id"])


def _post(connection: sa.Connection, row: Row) -> None:
    _WRITE.run(connection, row)
    outbox.enqueue(
        connection,
        kind=KIND,
        subject=row["id"],
        tenant=row["tenant"],
        lane=lane(row["tenant"]),
        now=row["created_at"],
        due_at=row["due_at"],
    )


def withdraw(
    connection: sa.Connection, *, about: Collection[str] = (), ids: Collection[str] = (), now: datetime
) -> None:
    """Withdraw the unsent emails about these deliveries, or with these ids, and erase their contents.

    An email that is being sent at this moment is erased too; its handler has already read the contents.
    """
    which = letters.c.id.in_(ids) if ids else letters.c.about.in_(about)
    waits = sa.select(letters.c.id).where(which, letters.c.sealed.is_not(None))
    for letter in connection.execute(waits).scalars().all():
        _forget(connection, letter, now)


@dataclass(frozen=True, slots=True)
class EmailStatus:
    """One email. state: None once it is settled and its outbox row removed. outcome: class name of the last failure.

    due_at: no worker sends it earlier; None if state is None.
    """

    template: str
    queued_at: datetime
    settled_at: datetime | None
    state: OutboxState | None
    outcome: str | None
    due_at: datetime | None


def emails_about(db: Database, reference: str) -> list[EmailStatus]:
    """Return the emails about a delivery, oldest first; those of a purged delivery are erased."""
    c, o = letters.c, outbox_table.c
    query = (
        sa.select(c.template, c.created_at, c.settled_at, o.state, o.outcome, o.due_at)
        .outerjoin(outbox_table, sa.and_(o.kind == KIND, o.subject == c.id))
        .where(c.about == reference)
        .order_by(c.created_at, c.id)
    )
    return [
        EmailStatus(template, queued_at, settled_at, OutboxState(state) if state else None, outcome, due_at)
        for template, queued_at, settled_at, state, outcome, due_at in db.rows(query)
    ]


@dataclass(frozen=True, slots=True)
class WaitingEmail:
    """An email that is not sent yet."""

    id: str
    template: str
    locale: str
    queued_at: datetime
    facts: Mapping[str, Fact] = field(repr=False)


def waiting(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str) -> list[WaitingEmail]:
    """Return a tenant's unsent emails to this address, in any spelling of it; oldest first."""
    c = letters.c
    theirs = (c.tenant == tenant, c.recipient.in_(address_hashes(seal, tenant, recipient)), c.sealed.is_not(None))
    query = sa.select(letters).where(*theirs).order_by(c.created_at, c.id)
    return [
        WaitingEmail(row.id, row.template, row.locale, row.created_at, Content.opened(seal, row.sealed).facts)
        for row in connection.execute(query)
    ]


def withdraw_to(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str, now: datetime) -> None:
    """Withdraw the unsent emails to this address, and delete its quota counts and proofs at this tenant."""
    for letter in waiting(connection, seal, tenant=tenant, recipient=recipient):
        _forget(connection, letter.id, now)
    quota.forget(connection, seal, tenant=tenant, recipient=recipient)


def withdraw_hashed(connection: sa.Connection, *, tenant: str, recipients: Collection[str], now: datetime) -> None:
    """Withdraw the unsent emails to addresses of which only keyed hashes are known."""
    c = letters.c
    theirs = (c.tenant == tenant, c.recipient.in_(recipients), c.sealed.is_not(None))
    for letter in connection.scalars(sa.select(c.id).where(*theirs)).all():
        _forget(connection, letter, now)


def last_sent(connection: sa.Connection, *, tenant: str, template: str) -> datetime | None:
    """Return when the tenant's latest email with this template was queued."""
    ours = sa.and_(letters.c.tenant == tenant, letters.c.template == template)
    return connection.execute(sa.select(sa.func.max(letters.c.created_at)).where(ours)).scalar()


def notify_operator(
    connection: sa.Connection,
    seal: Seal,
    *,
    tenant: str,
    operator: str,
    locale: str,
    reference: str,
    now: datetime,
    template: str,
) -> None:
    """Notify the operator of a failed delivery: the first immediately, further ones within the hour in one digest.

    1. If no email with this template was due in the last hour, one is sent now.
    2. If one still waits, the reference joins it in a row of its own, so the cost does not grow with the digest.
    3. Otherwise a digest is queued that is due an hour after the last email.
    """
    c = letters.c
    ours = (c.tenant == tenant, c.template == template, c.gathering.is_(None))
    digest = gathering.latest_waiting_digest(connection, KIND, *ours)
    row = _row(seal, tenant, template, locale, operator, {"references": [reference]}, now)
    if digest is not None:
        _WRITE.run(connection, row | {"gathering": digest.id, "due_at": digest.due_at})
        return
    last = connection.execute(sa.select(sa.func.max(c.due_at, type_=c.due_at.type)).where(*ours)).scalar()
    _post(connection, row | {"due_at": max(now, last + DIGEST_PAUSE) if last is not None else now})


def _row(
    seal: Seal, tenant: str, template: str, locale: str, recipient: str, facts: Mapping[str, Fact], now: datetime
) -> Row:
    return {
        "id": secrets.token_hex(16),
        "tenant": tenant,
        "template": template,
        "locale": locale,
        "recipient": address_hash(seal, tenant, recipient),
        "about": None,
        "sealed": Content(recipient, facts).sealed(seal),
        "created_at": now,
        "due_at": now,
        "mailbox": None,
        "gathering": None,
    }


def forget_settled(db: Database, *, before: datetime) -> None:
    """Delete emails that were sent, or never will be, with their outbox rows, once they no longer count for quotas."""
    ended = (*FINISHED, OutboxState.DEAD)
    while True:
        with db.read() as connection:
            gone = [one.subject for one in outbox.finished(connection, [KIND], ended, before=before, limit=_BATCH)]
        if not gone:
            return
        with db.write() as connection:
            connection.execute(letters.delete().where(sa.or_(letters.c.id.in_(gone), letters.c.gathering.in_(gone))))
            outbox.remove(connection, KIND, gone)


def _forget(connection: sa.Connection, letter: str, now: datetime) -> None:
    outbox.discard(connection, KIND, letter, now)
    connection.execute(letters.update().where(letters.c.id == letter).values(sealed=None, settled_at=now))
