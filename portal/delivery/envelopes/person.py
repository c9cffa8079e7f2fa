"""Deliveries of one person: listed for them, shown in full, withdrawn or erased on request, and erased once finished.

Everything is searched by hashes under every secret key, so that deliveries from before a change of the key are found.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.background.outbox import queue
from portal.background.outbox.states import FINISHED, OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.envelopes import consent
from portal.delivery.envelopes.consent import Consent
from portal.delivery.envelopes.kinds import Contents, Delivery, Kinds, P
from portal.delivery.envelopes.receipt import Receipt, deliveries_with_original, receipt_of
from portal.delivery.envelopes.tables import ERASED, deliveries, secret_keys, unindexed_accepted_at
from portal.delivery.envelopes.tables import opened as sources_opened
from portal.delivery.uploads import claims
from portal.delivery.uploads.storing import FileFacts
from portal.delivery.uploads.tables import uploads
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, address_hash, address_hashes
from portal.platform.database.db import Database, insert

_PURGED_AT_ONCE = 500
_k = secret_keys.c


@dataclass(frozen=True, slots=True)
class StoredDelivery:
    """Everything stored about one delivery, to show to its sender. contents: those not erased yet, by field."""

    reference: str
    kind: str
    about: str
    title: str | None
    accepted_at: datetime
    delivered_at: datetime | None
    erased_at: datetime | None
    contents: Mapping[str, object] = field(repr=False)
    file_name: str | None = field(repr=False)
    file_size: int | None
    consent: Consent | None
    sources: Mapping[str, str] = field(repr=False)
    """Where they came from, according to the parameters of the form's URL."""


def sent_by(db: Database, seal: Seal, *, tenant: str, kind: str, email: str) -> list[Receipt]:
    """Return the receipts of deliveries of one kind from this address, newest first, without repeats."""
    d = deliveries.c
    theirs = (d.kind == kind, d.duplicate_of.is_(None), *_of(seal, tenant, email))
    query = deliveries_with_original().where(*theirs).order_by(unindexed_accepted_at.desc())
    return [receipt_of(row) for row in db.rows(query)]


def deliveries_of(db: Database, seal: Seal, kinds: Kinds, *, tenant: str, email: str) -> list[StoredDelivery]:
    """Return everything stored that this address sent, oldest first, without attachment keys (for the service only)."""
    d, u = deliveries.c, uploads.c
    query = (
        deliveries_with_original(d.sealed, d.sources, u.sealed.label("file"), u.size)
        .outerjoin(uploads, u.claimed_by == d.reference)
        .where(*_of(seal, tenant, email))
        .order_by(unindexed_accepted_at)
    )
    with db.read() as connection:
        rows = connection.execute(query).all()
        agreed = {
            row.reference: consent.given(connection, tenant=tenant, version=row.consent, at=row.accepted_at)
            for row in rows
            if row.consent
        }
    return [
        StoredDelivery(
            reference=row.reference,
            kind=row.kind,
            about=row.about,
            title=row.title,
            accepted_at=row.accepted_at,
            delivered_at=row.delivered_at,
            erased_at=row.erased_at,
            contents=Contents.opened(seal, kinds[row.kind], row.sealed).payload.shown() if row.sealed else {},
            file_name=FileFacts.opened(seal, row.file).filename if row.file else None,
            file_size=row.size,
            consent=agreed.get(row.reference),
            sources=sources_opened(seal, row.sources),
        )
        for row in rows
    ]


def references_of(connection: sa.Connection, seal: Seal, *, tenant: str, email: str) -> list[str]:
    """Return the references of everything that this address sent, or that a change of address assigned to it."""
    return list(connection.scalars(sa.select(deliveries.c.reference).where(*_of(seal, tenant, email))))


def sent_before(db: Database, seal: Seal, one: Delivery[P]) -> bool:
    """Return whether this person sent another delivery about the same job or record; the service may list that one."""
    d = deliveries.c
    # A change of address may have assigned it to an address that it was not sent with.
    now_of = sa.select(d.person).where(d.reference == one.reference).scalar_subquery()
    earlier = sa.select(d.reference).where(
        d.tenant == one.tenant,
        sa.or_(d.person.in_(address_hashes(seal, one.tenant, one.email)), d.person == now_of),
        d.kind == one.kind,
        d.about == one.about,
        d.reference != one.reference,
        d.duplicate_of.is_(None),
    )
    return db.exists(earlier.limit(1))


def withdraw(
    connection: sa.Connection, seal: Seal, *, tenant: str, kind: str, email: str, reference: str, now: datetime
) -> list[str]:
    """Withdraw one delivery of this person, with its repeats; return the references of those newly withdrawn."""
    d = deliveries.c
    theirs = (d.kind == kind, *_of(seal, tenant, email))
    first = sa.select(sa.func.coalesce(d.duplicate_of, d.reference)).where(*theirs, d.reference == reference)
    sent = connection.execute(first).scalar()
    return _take_back(connection, [*theirs, sa.or_(d.reference == sent, d.duplicate_of == sent)], now)


def erase(
    connection: sa.Connection, seal: Seal, *, tenant: str, email: str, about: Collection[str], now: datetime
) -> list[str]:
    """Withdraw and erase everything that this address sent, or that is about one of these candidates' keys."""
    return _take_back(connection, _all_of(seal, tenant, email, about), now)


def erase_again(
    connection: sa.Connection,
    *,
    tenant: str,
    people: Collection[str],
    about: Collection[str],
    until: datetime,
    now: datetime,
) -> None:
    """Withdraw and erase what these people (keyed hashes) sent until an instant, or what is about these records."""
    d = deliveries.c
    theirs = sa.or_(d.person.in_(people), d.about.in_(about))
    _take_back(connection, [d.tenant == tenant, theirs, d.accepted_at <= until], now)


def lock_outbox_rows(connection: sa.Connection, seal: Seal, *, tenant: str, email: str, about: Collection[str]) -> None:
    """Lock the outbox rows of everything that erase() will withdraw, until the transaction ends.

    A worker that settles a change of address locks its outbox row before it moves anything, so an erasure must lock
    first too: each delivery is then either settled already, or settled after the erasure.
    """
    _lock_outbox_rows(connection, _all_of(seal, tenant, email, about))


def move(
    connection: sa.Connection, seal: Seal, *, tenant: str, old: str, new: str, about: Collection[str] | None
) -> None:
    """Assign what one address sent to another address of the same person.

    about: only deliveries about these; None: all of them.
    """
    chosen = _of(seal, tenant, old) if about is None else (*_of(seal, tenant, old), deliveries.c.about.in_(about))
    connection.execute(deliveries.update().where(*chosen).values(person=address_hash(seal, tenant, new)))


def _lock_outbox_rows(connection: sa.Connection, where: list[sa.ColumnElement[bool]]) -> None:
    d, o = deliveries.c, outbox.c
    in_hand = sa.select(o.id).join(deliveries, sa.and_(o.kind == d.kind, o.subject == d.reference)).where(*where)
    connection.execute(in_hand.order_by(o.id).with_for_update(of=outbox)).all()


def _take_back(connection: sa.Connection, where: list[sa.ColumnElement[bool]], now: datetime) -> list[str]:
    """Withdraw and erase deliveries; of two concurrent requests, only one finds rows to mark.

    A delivery that has not arrived yet is cancelled, even if it is being sent, and its file is deleted. The file of a
    delivered one belongs to the service; only its name and key are erased. A worker that records a result locks the
    outbox row before the delivery, so the same order is used here: otherwise each could wait for the other.
    """
    d = deliveries.c
    _lock_outbox_rows(connection, where)
    marked = deliveries.update().where(*where, d.withdrawn_at.is_(None)).values(withdrawn_at=now)
    found = connection.execute(marked.returning(d.reference, d.kind, d.delivered_at)).all()
    references = [row.reference for row in found]
    for row in found:
        if queue.discard_even_if_sending(connection, row.kind, row.reference, now):
            claims.orphan_file(connection, row.reference)
    claims.delete_rows(connection, references)
    mail_queue.withdraw(connection, about=references, now=now)
    chosen = d.reference.in_(references)
    connection.execute(
        deliveries.update()
        .where(chosen)
        .values(**ERASED, erased_at=sa.func.coalesce(d.erased_at, sa.literal(now, d.erased_at.type)))
    )
    for kind in {row.kind for row in found}:
        delivered = [row.reference for row in found if row.kind == kind and row.delivered_at is not None]
        end(connection, kind, delivered, OutboxState.PURGED, None)
    return references


def end(
    connection: sa.Connection, kind: str, references: Collection[str], state: OutboxState, outcome: str | None
) -> None:
    """Record the final state of deliveries and remove their outbox rows."""
    ended = deliveries.c.reference.in_(references)
    connection.execute(deliveries.update().where(ended).values(ended=state, outcome=outcome))
    queue.remove(connection, kind, list(references))


def _of(seal: Seal, tenant: str, email: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (deliveries.c.tenant == tenant, deliveries.c.person.in_(address_hashes(seal, tenant, email)))


def _all_of(seal: Seal, tenant: str, email: str, about: Collection[str]) -> list[sa.ColumnElement[bool]]:
    d = deliveries.c
    return [d.tenant == tenant, sa.or_(d.person.in_(address_hashes(seal, tenant, email)), d.about.in_(about))]


def purge(db: Database, kinds: Kinds, *, after: float, clock: Clock) -> int:
    """Erase deliveries that were delivered or discarded more than `after` seconds ago; return how many.

    The file of a delivered one belongs to the service by then. Finished deliveries are found by their outbox rows,
    which are removed with them, so that the outbox contains only work in progress. Emails about them that could not be
    sent yet are withdrawn too: they contain the address.
    """
    now, purged = clock.now(), 0
    before = now - timedelta(seconds=after)
    while True:
        with db.read() as connection:
            over = queue.finished(connection, list(kinds), FINISHED, before=before, limit=_PURGED_AT_ONCE)
        if not over:
            return purged
        with db.write() as connection:
            references = [one.subject for one in over]
            c = deliveries.c
            connection.execute(
                deliveries.update()
                .where(c.reference.in_(references))
                .values(**ERASED, erased_at=sa.func.coalesce(c.erased_at, sa.literal(now, c.erased_at.type)))
            )
            claims.delete_rows(connection, references)
            mail_queue.withdraw(connection, about=references, now=now)
            alike = attrgetter("kind", "state", "outcome")
            for (kind, state, outcome), ones in groupby(sorted(over, key=lambda one: str(alike(one))), alike):
                last = OutboxState.PURGED if state is OutboxState.DELIVERED else state
                end(connection, kind, [one.subject for one in ones], last, outcome)
        purged += len(over)


def record_secret_key_in_use(db: Database, seal: Seal, now: datetime) -> None:
    """Record that the current secret key is in use."""
    known = db.value(sa.select(_k.first_used_at).where(_k.fingerprint == seal.fingerprints[0]))
    if known is None:
        with db.write() as connection:
            row = {"fingerprint": seal.fingerprints[0], "first_used_at": now}
            connection.execute(insert(connection, secret_keys).values(row).on_conflict_do_nothing())


def count_hashed_before(db: Database, seal: Seal) -> int:
    """Return how many erased deliveries are older than the current key: most are found by a former key alone.

    The count includes people who have signed in since, because a hash does not show which key made it.
    """
    d = deliveries.c
    since = sa.select(_k.first_used_at).where(_k.fingerprint == seal.fingerprints[0]).scalar_subquery()
    return db.value(sa.select(sa.func.count()).where(d.sealed.is_(None), d.accepted_at < since)) or 0


def used_keys(db: Database) -> list[str]:
    """Return the fingerprints of the keys that ever were the current one, the oldest first."""
    return db.values(sa.select(_k.fingerprint).order_by(_k.first_used_at))


def may_lack_earlier(db: Database, seal: Seal) -> bool:
    """Return whether deliveries of a person may not be found, because the key of their hashes is no longer set."""
    if set(used_keys(db)) <= {*seal.fingerprints}:
        return False
    with db.read() as connection:
        since = connection.scalar(sa.select(_k.first_used_at).where(_k.fingerprint == seal.fingerprints[0]))
        earlier = deliveries.c.accepted_at < since if since else sa.true()
        return connection.execute(sa.select(deliveries.c.reference).where(earlier).limit(1)).first() is not None
