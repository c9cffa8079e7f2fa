"""Emails sent together in one digest, because the mailbox has used up its quota for the day.

Each email remains a row of its own, which is withdrawn, erased and shown to its recipient like any other. Only the
digest, a further row, has an outbox row; it is due when the mailbox may receive an email again. An email that joins a
waiting digest locks the digest's outbox row until it has joined, so the worker that sends the digest either sees the
email or cannot begin.

An operator's digest of failed deliveries works the same way, except that its first email is itself the digest.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from portal.background.mails.quota import DIGEST_TEMPLATE
from portal.background.mails.tables import letters
from portal.background.outbox.states import CLAIMABLE
from portal.background.outbox.tables import outbox
from portal.platform.crypto.sealing import Seal, mailbox_hashes, reader_hashes

APPLICATIONS = frozenset({"receipt", "confirm", "refused", "unsafe"})
"""Emails that anybody can cause by applying with another's address. The template `gathered` has a text for each."""
_LISTED = 100
"""Maximum emails that one digest lists, more than anybody sends applications in an evening; it counts the rest."""
_c = letters.c


@dataclass(frozen=True, slots=True)
class DigestContents:
    """The contents of a digest, in the language and tenant's name of its latest email.

    emails: oldest first, each with the tenant's slug, its template and its sealed content. more: how many are left
    out.
    """

    tenant: str
    locale: str
    emails: list[tuple[str, str, str]] = field(repr=False)
    more: int

    @property
    def several(self) -> bool:
        """Whether the digest concerns more than one company."""
        return len({tenant for tenant, _, _ in self.emails}) > 1


class Digest(NamedTuple):
    """An operator's email that further failed deliveries join."""

    id: str
    due_at: datetime


def open_digest_id(connection: sa.Connection, seal: Seal, kind: str, *, recipient: str) -> str | None:
    """Return the id of the unsent digest for the mailbox of this address; None if there is none.

    Its outbox row is locked until the transaction ends, so that no worker begins to send it.
    """
    o = outbox.c
    query = (
        sa.select(_c.id)
        .join(outbox, sa.and_(o.kind == kind, o.subject == _c.id))
        .where(
            _c.mailbox.in_(mailbox_hashes(seal, recipient)),
            _c.gathering.is_(None),
            _c.recipient.in_(reader_hashes(seal, recipient)),
            _c.template == DIGEST_TEMPLATE,
            _c.settled_at.is_(None),
            o.state.in_(CLAIMABLE),
        )
        .order_by(_c.due_at)
        .limit(1)
        .with_for_update(of=outbox, skip_locked=True)
    )
    found = connection.execute(query).scalar()
    return None if found is None else str(found)


def latest_waiting_digest(connection: sa.Connection, kind: str, *chosen: sa.ColumnElement[bool]) -> Digest | None:
    """Return the latest waiting email among `chosen`; None if none waits.

    Its outbox row is locked until the transaction ends, so that no worker begins to send it.
    """
    o = outbox.c
    query = (
        sa.select(_c.id, _c.due_at)
        .join(outbox, sa.and_(o.kind == kind, o.subject == _c.id))
        .where(*chosen, _c.settled_at.is_(None), o.state.in_(CLAIMABLE))
        .order_by(_c.due_at.desc())
        .limit(1)
        .with_for_update(of=outbox)
    )
    found = connection.execute(query).first()
    return Digest(found.id, found.due_at) if found else None


def joined(connection: sa.Connection, letter: str) -> list[str]:
    """Return the sealed contents of the emails that joined an email, oldest first."""
    condition = sa.and_(_c.gathering == letter, _c.sealed.is_not(None))
    return list(connection.scalars(sa.select(_c.sealed).where(condition).order_by(_c.created_at, _c.id)))


def opened(connection: sa.Connection, gathering: str) -> DigestContents | None:
    """Return the contents of a digest; None if every email in it was withdrawn."""
    condition = sa.and_(_c.gathering == gathering, _c.sealed.is_not(None))
    query = sa.select(letters).where(condition).order_by(_c.created_at.desc(), _c.id).limit(_LISTED)
    rows = connection.execute(query).all()
    if not rows:
        return None
    count = connection.execute(sa.select(sa.func.count()).where(condition)).scalar_one()
    listed = [(row.tenant, row.template, row.sealed) for row in reversed(rows)]
    return DigestContents(rows[0].tenant, rows[0].locale, listed, count - len(rows))
