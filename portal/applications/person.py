"""What one person sent through this portal: listed for them, shown to them whole, and erased when they ask.

secrets: the secret key and its fallbacks, because each made its own hash of the address.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.fingerprints import email_hash
from portal.applications.model import ReceiptState
from portal.applications.receipt import find as find_receipt
from portal.applications.tables import PERSONAL, submissions, uploads
from portal.clock import Clock
from portal.db import Database
from portal.letters import queue as letters
from portal.outbox import queue


@dataclass(frozen=True, slots=True)
class SentApplication:
    """One application of theirs."""

    reference: str
    posting_id: str
    title: str
    accepted_at: datetime
    delivered_at: datetime | None
    state: ReceiptState


@dataclass(frozen=True, slots=True)
class HeldApplication:
    """All that the portal holds of one application, for its sender's eyes. kept: what is not erased yet, by name."""

    reference: str
    posting_id: str
    title: str
    accepted_at: datetime
    delivered_at: datetime | None
    erased_at: datetime | None
    kept: tuple[tuple[str, str], ...] = field(repr=False)
    cv_name: str | None = field(repr=False)
    cv_size: int | None


def sent_by(db: Database, *, tenant: str, email: str, secrets: Sequence[str]) -> list[SentApplication]:
    """Applications sent with this address, newest first. A duplicate follows the one it repeats."""
    c = submissions.c
    query = sa.select(c.reference, c.posting_id, c.posting_title, c.accepted_at)
    with db.read() as connection:
        rows = connection.execute(query.where(*_theirs(tenant, email, secrets)).order_by(c.accepted_at.desc())).all()
    found: list[SentApplication] = []
    for row in rows:
        receipt = find_receipt(db, tenant=tenant, reference=row.reference)
        if receipt is not None:
            found.append(
                SentApplication(
                    reference=row.reference,
                    posting_id=row.posting_id,
                    title=row.posting_title,
                    accepted_at=row.accepted_at,
                    delivered_at=receipt.delivered_at,
                    state=receipt.state,
                )
            )
    return found


def held_about(db: Database, *, tenant: str, email: str, secrets: Sequence[str]) -> list[HeldApplication]:
    """Everything that is stored of them, oldest first; keys of attachments are the service's and not shown."""
    c, u = submissions.c, uploads.c
    query = (
        sa.select(submissions, u.filename, u.size)
        .outerjoin(uploads, u.claimed_by == c.reference)
        .where(*_theirs(tenant, email, secrets))
        .order_by(c.accepted_at)
    )
    shown = [name for name in PERSONAL if name not in {"upload", "attachment_key"}]
    with db.read() as connection:
        rows = connection.execute(query).mappings().all()
    return [
        HeldApplication(
            reference=row[c.reference],
            posting_id=row[c.posting_id],
            title=row[c.posting_title],
            accepted_at=row[c.accepted_at],
            delivered_at=row[c.delivered_at],
            erased_at=row[c.purged_at],
            kept=tuple((name, str(row[name])) for name in shown if row[name] is not None),
            cv_name=row[u.filename],
            cv_size=row[u.size],
        )
        for row in rows
    ]


def withdraw(
    connection: sa.Connection, *, tenant: str, email: str, secrets: Sequence[str], reference: str | None, clock: Clock
) -> list[str]:
    """Erase their applications, or the one of `reference` with its duplicates; returns those not withdrawn before.

    Two that withdraw the same at once: one UPDATE marks it, and the other finds nothing left. What was not delivered
    will not be, even if it is being sent. Its CV's key stays for finish_discarding, which deletes the object outside of
    any transaction and then forgets the key.
    """
    c = submissions.c
    where = list(_theirs(tenant, email, secrets))
    if reference is not None:
        first = sa.select(sa.func.coalesce(c.duplicate_of, c.reference)).where(*where, c.reference == reference)
        sent = connection.execute(first).scalar()
        where.append(sa.or_(c.reference == sent, c.duplicate_of == sent))
    now = clock.now()
    marked = submissions.update().where(*where, c.withdrawn_at.is_(None)).values(withdrawn_at=now)
    references = list(connection.execute(marked.returning(c.reference)).scalars())
    abandoned = [one for one in references if queue.abandon(connection, KIND, one, now)]
    for one in references:
        queue.purged(connection, KIND, one)
    letters.withdraw(connection, references=references, now=now)
    erased = dict.fromkeys(PERSONAL)
    connection.execute(
        submissions.update()
        .where(c.reference.in_(references), c.reference.not_in(abandoned), c.purged_at.is_(None))
        .values(purged_at=now, **erased)
    )
    erased.pop("attachment_key")
    connection.execute(submissions.update().where(c.reference.in_(abandoned)).values(**erased))
    connection.execute(uploads.delete().where(uploads.c.claimed_by.in_(references)))
    return references


def _theirs(tenant: str, email: str, secrets: Sequence[str]) -> tuple[sa.ColumnElement[bool], ...]:
    hashes = [email_hash(secret, tenant, email) for secret in secrets]
    return (submissions.c.tenant == tenant, submissions.c.email_hash.in_(hashes))
