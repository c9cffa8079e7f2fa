"""What one person sent through this portal: listed for them, shown to them whole, and taken back when they ask.

Everything is found under every key, so that what was sent before a change of the secret is found too.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.deliveries import consent
from portal.deliveries.consent import Consent
from portal.deliveries.kinds import Contents, Delivery, Kinds, P
from portal.deliveries.receipt import Receipt, following, receipt_of
from portal.deliveries.sources import opened as sources_opened
from portal.deliveries.tables import ERASED, deliveries
from portal.letters import queue as letters
from portal.outbox import queue
from portal.outbox.states import State
from portal.outbox.tables import outbox
from portal.sealing import Seal, address_hash, address_hashes
from portal.uploads import claims
from portal.uploads.storing import About
from portal.uploads.tables import uploads


@dataclass(frozen=True, slots=True)
class KeptDelivery:
    """All that the portal keeps of one delivery, for its sender's eyes. said: what is not erased yet, by member."""

    reference: str
    kind: str
    about: str
    title: str | None
    accepted_at: datetime
    delivered_at: datetime | None
    erased_at: datetime | None
    said: Mapping[str, object] = field(repr=False)
    file_name: str | None = field(repr=False)
    file_size: int | None
    consent: Consent | None
    sources: Mapping[str, str] = field(repr=False)
    """What the address of the form said of where they came from."""


def sent_by(db: Database, seal: Seal, *, tenant: str, kind: str, email: str) -> list[Receipt]:
    """Deliveries of one kind sent with this address, newest first; what was sent again is there once."""
    d = deliveries.c
    theirs = (d.kind == kind, d.duplicate_of.is_(None), *_of(seal, tenant, email))
    query = following().where(*theirs).order_by(d.accepted_at.desc())
    with db.read() as connection:
        return [receipt_of(row) for row in connection.execute(query)]


def kept_of(db: Database, seal: Seal, kinds: Kinds, *, tenant: str, email: str) -> list[KeptDelivery]:
    """Everything that is stored of them, oldest first; keys of attachments are the service's and not shown."""
    d, u = deliveries.c, uploads.c
    query = (
        following(d.sealed, d.sources, u.sealed.label("file"), u.size)
        .outerjoin(uploads, u.claimed_by == d.reference)
        .where(*_of(seal, tenant, email))
        .order_by(d.accepted_at)
    )
    with db.read() as connection:
        rows = connection.execute(query).all()
        agreed = {
            row.reference: consent.given(connection, tenant=tenant, version=row.consent, at=row.accepted_at)
            for row in rows
            if row.consent
        }
    return [
        KeptDelivery(
            reference=row.reference,
            kind=row.kind,
            about=row.about,
            title=row.title,
            accepted_at=row.accepted_at,
            delivered_at=row.delivered_at,
            erased_at=row.erased_at,
            said=Contents.opened(seal, kinds[row.kind], row.sealed).payload.shown() if row.sealed else {},
            file_name=About.opened(seal, row.file).filename if row.file else None,
            file_size=row.size,
            consent=agreed.get(row.reference),
            sources=sources_opened(seal, row.sources),
        )
        for row in rows
    ]


def references_of(connection: sa.Connection, seal: Seal, *, tenant: str, email: str) -> list[str]:
    """Of everything that was sent with this address, or moved on to it."""
    return list(connection.scalars(sa.select(deliveries.c.reference).where(*_of(seal, tenant, email))))


def sent_before(db: Database, seal: Seal, one: Delivery[P]) -> bool:
    """Whether this person sent another one about the same: what the service shows may be that one."""
    d = deliveries.c
    # It may have moved on with its person to an address that it was not sent with.
    now_of = sa.select(d.person).where(d.reference == one.reference).scalar_subquery()
    earlier = sa.select(d.reference).where(
        d.tenant == one.tenant,
        sa.or_(d.person.in_(address_hashes(seal, one.tenant, one.email)), d.person == now_of),
        d.kind == one.kind,
        d.about == one.about,
        d.reference != one.reference,
        d.duplicate_of.is_(None),
    )
    with db.read() as connection:
        return connection.execute(earlier.limit(1)).first() is not None


def withdraw(
    connection: sa.Connection, seal: Seal, *, tenant: str, kind: str, email: str, reference: str, now: datetime
) -> list[str]:
    """Take back one delivery of theirs with its duplicates; the references of those that were not taken back before."""
    d = deliveries.c
    theirs = (d.kind == kind, *_of(seal, tenant, email))
    first = sa.select(sa.func.coalesce(d.duplicate_of, d.reference)).where(*theirs, d.reference == reference)
    sent = connection.execute(first).scalar()
    return _take_back(connection, [*theirs, sa.or_(d.reference == sent, d.duplicate_of == sent)], now)


def erase(
    connection: sa.Connection, seal: Seal, *, tenant: str, email: str, about: Collection[str], now: datetime
) -> list[str]:
    """Take back everything that was sent with this address, or is about one of these candidates' keys."""
    return _take_back(connection, _all_of(seal, tenant, email, about), now)


def hold(connection: sa.Connection, seal: Seal, *, tenant: str, email: str, about: Collection[str]) -> None:
    """What erase() will take back is settled by now, or waits until this transaction ends: a worker that settles a
    change of address holds the outbox's row before it moves anything, so who erases must hold it first too.
    """
    _hold(connection, _all_of(seal, tenant, email, about))


def move(
    connection: sa.Connection, seal: Seal, *, tenant: str, old: str, new: str, about: Collection[str] | None
) -> None:
    """Whatever was sent with one address is its person's at another from now on. about: that about these alone."""
    chosen = _of(seal, tenant, old) if about is None else (*_of(seal, tenant, old), deliveries.c.about.in_(about))
    connection.execute(deliveries.update().where(*chosen).values(person=address_hash(seal, tenant, new)))


def _hold(connection: sa.Connection, where: list[sa.ColumnElement[bool]]) -> None:
    d, o = deliveries.c, outbox.c
    in_hand = sa.select(o.id).join(deliveries, sa.and_(o.kind == d.kind, o.subject == d.reference)).where(*where)
    connection.execute(in_hand.order_by(o.id).with_for_update(of=outbox)).all()


def _take_back(connection: sa.Connection, where: list[sa.ColumnElement[bool]], now: datetime) -> list[str]:
    """Two that ask the same at once: one UPDATE marks it, and the other finds nothing left.

    What was not delivered will not be, even if it is being sent; its file goes. Of what was delivered the file is the
    service's, and only its name and key are forgotten. A worker that records an outcome holds the row of the outbox
    before it touches the delivery, so they are taken in that order here too: else each could wait for the other.
    """
    d = deliveries.c
    _hold(connection, where)
    marked = deliveries.update().where(*where, d.withdrawn_at.is_(None)).values(withdrawn_at=now)
    found = connection.execute(marked.returning(d.reference, d.kind, d.delivered_at)).all()
    references = [row.reference for row in found]
    for row in found:
        if queue.abandon(connection, row.kind, row.reference, now):
            claims.let_go(connection, row.reference)
    claims.forget(connection, references)
    letters.withdraw(connection, about=references, now=now)
    chosen = d.reference.in_(references)
    connection.execute(
        deliveries.update()
        .where(chosen)
        .values(**ERASED, erased_at=sa.func.coalesce(d.erased_at, sa.literal(now, d.erased_at.type)))
    )
    for kind in {row.kind for row in found}:
        delivered = [row.reference for row in found if row.kind == kind and row.delivered_at is not None]
        end(connection, kind, delivered, State.PURGED, None)
    return references


def end(connection: sa.Connection, kind: str, references: Collection[str], state: State, outcome: str | None) -> None:
    """The last state of deliveries whose rows leave the outbox."""
    ended = deliveries.c.reference.in_(references)
    connection.execute(deliveries.update().where(ended).values(ended=state, outcome=outcome))
    queue.remove(connection, kind, list(references))


def _of(seal: Seal, tenant: str, email: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (deliveries.c.tenant == tenant, deliveries.c.person.in_(address_hashes(seal, tenant, email)))


def _all_of(seal: Seal, tenant: str, email: str, about: Collection[str]) -> list[sa.ColumnElement[bool]]:
    d = deliveries.c
    return [d.tenant == tenant, sa.or_(d.person.in_(address_hashes(seal, tenant, email)), d.about.in_(about))]
