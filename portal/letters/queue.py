"""Put a letter into the outbox, as part of the transaction that gives cause for it."""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from portal.db import Database
from portal.letters import allowance, gathering
from portal.letters.tables import letters
from portal.outbox import queue as outbox
from portal.outbox.states import FINISHED, State
from portal.sealing import Seal, address_hash, address_hashes, reader_hashes
from portal.straight import Straight

KIND = "letter"
LANE = "mail"
"""The mail server; each tenant has lanes below it, see lane()."""
DIGEST_PAUSE = timedelta(hours=1)

_BATCH = 500
_WRITE = Straight(letters.insert())
Fact = str | Sequence[str] | Sequence[Sequence[str]] | None
Row = dict[str, Any]


def lane(tenant: str) -> str:
    """The outbox lane of one tenant's letters."""
    return f"{LANE}:{tenant}"


@dataclass(frozen=True, slots=True)
class Content:
    """To whom a letter goes and what it says; facts: each a string, a list of them, or rows of
    them, for its template."""

    recipient: str = field(repr=False)
    facts: Mapping[str, Fact] = field(repr=False)

    def sealed(self, seal: Seal) -> str:
        """For the database."""
        return seal.seal(json.dumps([self.recipient, dict(self.facts)]))

    @classmethod
    def opened(cls, seal: Seal, sealed: str) -> "Content":
        """From the database."""
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
) -> None:
    """Queue one letter. template: a name below templates/mail/. about: the delivery whose end would take it along.

    One that anybody can cause, and that its mailbox has no room for now, goes out later, together with others.
    """
    row = {
        "id": secrets.token_hex(16),
        "tenant": tenant,
        "template": template,
        "locale": locale,
        "recipient": address_hash(seal, tenant, recipient),
        "about": about,
        "sealed": Content(recipient, facts).sealed(seal),
        "created_at": now,
        "due_at": due_at or now,
        "mailbox": None,
        "gathering": None,
    }
    if template in gathering.APPLICATIONS:
        room = allowance.room_for(connection, seal, tenant=tenant, recipient=recipient, now=now)
        row["mailbox"] = room.mailbox
        if not room.at_once:
            row["gathering"] = _gather(connection, seal, row, recipient, room)
            _WRITE.run(connection, row)
            return
    _post(connection, row)


def _gather(connection: sa.Connection, seal: Seal, letter: Row, recipient: str, room: allowance.Room) -> str:
    """The gathering that this letter goes out with; a new one where none waits."""
    known = gathering.waiting(connection, seal, KIND, recipient=recipient)
    if known is not None:
        return known
    row = {
        **letter,
        "id": secrets.token_hex(16),
        "template": allowance.GATHERED,
        # Neither found nor withdrawn by anybody's address, and it holds none: what it says are its letters.
        "recipient": reader_hashes(seal, recipient)[0],
        "about": None,
        "sealed": None,
        "due_at": room.gathers_until,
    }
    _post(connection, row)
    return str(row["id"])


def _post(connection: sa.Connection, row: Row) -> None:
    outbox.enqueue(
        connection,
        kind=KIND,
        subject=row["id"],
        tenant=row["tenant"],
        lane=lane(row["tenant"]),
        now=row["created_at"],
        due_at=row["due_at"],
        after=[(_WRITE, row)],
    )


def withdraw(connection: sa.Connection, *, about: Collection[str], now: datetime) -> None:
    """Letters about these deliveries that were not sent yet will not be: what they say goes.

    One that is being sent at this moment is erased too; its handler has what it needs by then.
    """
    waits = sa.select(letters.c.id).where(letters.c.about.in_(about), letters.c.sealed.is_not(None))
    for letter in connection.execute(waits).scalars().all():
        _forget(connection, letter, now)


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A letter that is not sent yet."""

    id: str
    template: str
    locale: str
    queued_at: datetime
    facts: Mapping[str, Fact] = field(repr=False)


def waiting(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str) -> list[WaitingLetter]:
    """Letters of a tenant that wait for this address, however it is written; oldest first."""
    c = letters.c
    theirs = (c.tenant == tenant, c.recipient.in_(address_hashes(seal, tenant, recipient)), c.sealed.is_not(None))
    query = sa.select(letters).where(*theirs).order_by(c.created_at, c.id)
    return [
        WaitingLetter(row.id, row.template, row.locale, row.created_at, Content.opened(seal, row.sealed).facts)
        for row in connection.execute(query)
    ]


def withdraw_to(connection: sa.Connection, seal: Seal, *, tenant: str, recipient: str, now: datetime) -> None:
    """Letters that wait for this address will not be sent: it goes, and that it was proven here."""
    for letter in waiting(connection, seal, tenant=tenant, recipient=recipient):
        _forget(connection, letter.id, now)
    allowance.forget(connection, seal, tenant=tenant, recipient=recipient)


def last_sent(connection: sa.Connection, *, tenant: str, template: str) -> datetime | None:
    """When the tenant's latest letter of this kind was queued."""
    ours = sa.and_(letters.c.tenant == tenant, letters.c.template == template)
    return connection.execute(sa.select(sa.func.max(letters.c.created_at)).where(ours)).scalar()


def tell_operator(
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
    """A dead delivery: told at once, further ones of the same template within the hour in one digest.

    1. no letter in the last hour: one now; 2. one that still waits: the reference joins it; 3. else a digest that is
    due an hour after the last.
    """
    ours = sa.and_(letters.c.tenant == tenant, letters.c.template == template)
    last = connection.execute(
        sa.select(letters).where(ours).order_by(letters.c.due_at.desc()).limit(1).with_for_update()
    ).one_or_none()
    if last is not None and last.due_at > now and last.sealed is not None:
        known = Content.opened(seal, last.sealed)
        facts = {**known.facts, "references": [*(known.facts["references"] or ()), reference]}
        sealed = Content(known.recipient, facts).sealed(seal)
        connection.execute(letters.update().where(letters.c.id == last.id).values(sealed=sealed))
        return
    send(
        connection,
        seal,
        tenant=tenant,
        template=template,
        locale=locale,
        recipient=operator,
        facts={"references": [reference]},
        now=now,
        due_at=max(now, last.due_at + DIGEST_PAUSE) if last is not None else now,
    )


def forget_settled(db: Database, *, before: datetime) -> None:
    """Rows of letters that were sent, or never will be, leave their table and the outbox, once they no longer count."""
    ended = (*FINISHED, State.DEAD)
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
