"""Put a letter into the outbox, as part of the transaction that gives cause for it."""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.letters.tables import letters
from portal.outbox import queue as outbox
from portal.sealing import folded

KIND = "letter"
LANE = "mail"
DIGEST_PAUSE = timedelta(hours=1)

_WRITE = letters.insert()
Fact = str | Sequence[str] | None


def send(
    connection: sa.Connection,
    *,
    tenant: str,
    template: str,
    locale: str,
    recipient: str,
    facts: Mapping[str, Fact],
    now: datetime,
    due_at: datetime | None = None,
) -> None:
    """Queue one letter. template: a name below templates/mail/; facts: what it says, each a string or list of them."""
    identity = secrets.token_hex(16)
    row = {
        "id": identity,
        "tenant": tenant,
        "template": template,
        "locale": locale,
        "recipient": recipient,
        "facts": json.dumps(facts),
        "created_at": now,
        "due_at": due_at or now,
    }
    connection.execute(_WRITE, row)
    outbox.enqueue(connection, kind=KIND, subject=identity, tenant=tenant, lane=LANE, now=now, due_at=due_at)


def withdraw(connection: sa.Connection, *, references: Collection[str], now: datetime) -> None:
    """Letters to the applicants of these submissions that were not sent yet will not be: their address goes.

    One that is being sent at this moment is erased too; its handler has what it needs by then.
    """
    waiting = sa.select(letters.c.id, letters.c.facts).where(letters.c.facts.is_not(None))
    for row in connection.execute(waiting).all():
        if json.loads(row.facts).get("reference") in references:
            _forget(connection, row.id, now)


@dataclass(frozen=True, slots=True)
class WaitingLetter:
    """A letter that is not sent yet."""

    id: str
    template: str
    locale: str
    queued_at: datetime
    facts: Mapping[str, Fact] = field(repr=False)


def waiting(connection: sa.Connection, *, tenant: str, recipient: str) -> list[WaitingLetter]:
    """Letters of a tenant that wait for this address, however it is written; oldest first."""
    c = letters.c
    query = sa.select(letters).where(c.tenant == tenant, c.recipient.is_not(None)).order_by(c.created_at, c.id)
    theirs = folded(recipient)
    return [
        WaitingLetter(row.id, row.template, row.locale, row.created_at, json.loads(row.facts))
        for row in connection.execute(query)
        if folded(row.recipient) == theirs
    ]


def withdraw_to(connection: sa.Connection, *, tenant: str, recipient: str, now: datetime) -> None:
    """Letters that wait for this address will not be sent: it goes."""
    for letter in waiting(connection, tenant=tenant, recipient=recipient):
        _forget(connection, letter.id, now)


def last_sent(connection: sa.Connection, *, tenant: str, template: str) -> datetime | None:
    """When the tenant's latest letter of this kind was queued."""
    ours = sa.and_(letters.c.tenant == tenant, letters.c.template == template)
    return connection.execute(sa.select(sa.func.max(letters.c.created_at)).where(ours)).scalar()


def tell_operator(
    connection: sa.Connection,
    *,
    tenant: str,
    operator: str,
    locale: str,
    reference: str,
    now: datetime,
    template: str = "dead",
) -> None:
    """A dead submission: told at once, further ones of the same template within the hour in one digest.

    1. no letter in the last hour: one now; 2. one that still waits: the reference joins it; 3. else a digest that is
    due an hour after the last.
    """
    ours = sa.and_(letters.c.tenant == tenant, letters.c.template == template)
    last = connection.execute(
        sa.select(letters).where(ours).order_by(letters.c.due_at.desc()).limit(1).with_for_update()
    ).one_or_none()
    if last is not None and last.due_at > now and last.facts is not None:
        facts = json.loads(last.facts)
        facts["references"].append(reference)
        connection.execute(letters.update().where(letters.c.id == last.id).values(facts=json.dumps(facts)))
        return
    due_at = max(now, last.due_at + DIGEST_PAUSE) if last is not None else now
    send(
        connection,
        tenant=tenant,
        template=template,
        locale=locale,
        recipient=operator,
        facts={"references": [reference]},
        now=now,
        due_at=due_at,
    )


def _forget(connection: sa.Connection, letter: str, now: datetime) -> None:
    outbox.discard(connection, KIND, letter, now)
    connection.execute(
        letters.update().where(letters.c.id == letter).values(recipient=None, facts=None, settled_at=now)
    )
