"""Accept a profile change like every delivery, and in the same transaction everything that depends on it.

In order, all or nothing, once the envelope is written (envelopes/accept.py):
 1. The session must still be open: an erasure in another tab ends it, and nothing is sent for an erased person.
 2. An earlier change of this record that is not delivered yet is replaced, or nothing is accepted (see below).
 3. The history is written; if addresses changed, every former address gets an email with a link that undoes it.

An earlier change is replaced only if its owner was shown which one, and it certainly never reached the service. A
change states everything shown (§4.10), so the later one includes all that is wanted. The race with the worker that
sends the earlier one:
 1. Two forms of one record: SQLite's single write lock, PostgreSQL's advisory lock; the second sees the first's writes.
 2. UPDATE … discarded, with a new fence, WHERE it is held, due or retry AND never maybe_arrived.
 3. The worker claims by UPDATE WHERE fence, and commits `sending` before it connects. If it was first, 2 finds no row:
    EarlierChangePending, and nothing is written. If 2 was first, the worker's fence is outdated: it sends nothing.
 4. The later change's row is in the same transaction: one of the two is sent, never both and never neither.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.background.outbox import queue
from portal.background.outbox.states import UNFINISHED
from portal.background.outbox.tables import outbox
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.accept import NewDelivery
from portal.delivery.envelopes.accept import accept as accept_delivery
from portal.delivery.envelopes.kinds import Delivery, opened
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.record_changes import undo_links
from portal.delivery.record_changes.kind import CHANGE
from portal.delivery.record_changes.model import (
    ChangePayload,
    CurrentRecord,
    Record,
    addresses_changed,
    digest,
    fingerprint,
    new_addresses,
    update_of,
)
from portal.delivery.record_changes.undo_links import Undoable
from portal.people.index import history
from portal.people.index.history import HistoryEventKind
from portal.people.index.index import IndexedCandidate
from portal.people.signin import sessions
from portal.people.signin.sessions import Session
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, folded, mailbox_in_a_log
from portal.platform.database.db import Database
from portal.platform.errors import PortalError
from portal.platform.logs import SecurityEvent, log_security_event
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class PendingChange:
    """A change that is not settled. replaceable: whether it certainly never arrived, so a later one may replace it."""

    reference: str
    replaceable: bool


class EarlierChangePending(PortalError):
    """An earlier change of this record, `waiting`, is not delivered yet."""

    def __init__(self, waiting: PendingChange) -> None:
        super().__init__("an earlier change of this record is still on its way")
        self.waiting = waiting


class SessionOver(PortalError):
    """The session ended while the change was being posted: nothing is accepted."""


@dataclass(frozen=True, slots=True)
class NewChange:
    """A form that passed every check. form_id: the same id again is the same change. upload: of a CV, or None.

    replaces: the reference of the earlier change that this one replaces, as its owner was shown.
    """

    form_id: str
    after: Record = field(repr=False)
    upload: str | None
    locale: str
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """The person, the record and its change: the parameters that every step shares."""

    tenant: Tenant
    session: Session
    who: IndexedCandidate
    before: CurrentRecord
    new: NewChange


def accept(db: Database, seal: Seal, change: Change, *, clock: Clock, scan_required: bool = False) -> str:
    """Accept a change and return its reference, committed to disk.

    Raises DifferentContent, EarlierChangePending, SessionOver, UploadGone, DatabaseUnavailable.
    """
    new, moved = change.new, _Moved()
    delivery = NewDelivery(
        form_id=new.form_id,
        about=change.who.key,
        email=change.session.email,
        locale=new.locale,
        payload=_payload(seal, change),
        upload=new.upload,
        on_insert=partial(_prepare, seal, change, clock.now(), moved),
    )
    reference = accept_delivery(
        db, seal, CHANGE, tenant=change.tenant, new=delivery, clock=clock, scan_required=scan_required
    )
    if moved.addresses:
        mailbox = mailbox_in_a_log(seal, change.session.email)
        log_security_event(
            SecurityEvent.ADDRESS_CHANGED, tenant=change.tenant.slug, reference=reference, mailbox=mailbox
        )
    return reference


def _payload(seal: Seal, change: Change) -> ChangePayload:
    return ChangePayload(
        candidate_id=change.who.candidate_id,
        based_on=fingerprint(seal, change.before.record)[0],
        based_on_digest=digest(change.before.record),
        based_at=change.before.modified_at,
        update=update_of(change.new.after),
        left=tuple(new_addresses(change.new.after, change.before.record)),
        proven=_proven(change),
    )


def _proven(change: Change) -> tuple[str, ...]:
    """Return the addresses that the record keeps or gains and that are certainly the owner's.

    These are the session's address or, if that is removed, the new ones. The primary one comes first.
    """
    new, mine = change.new.after, folded(change.session.email)
    own = [entry for entry in new.emails if folded(entry.value) == mine]
    added = set(new_addresses(change.before.record, new))
    proven = own or [entry for entry in new.emails if entry.value in added]
    return tuple(entry.value for entry in sorted(proven, key=lambda entry: not entry.is_primary))


@dataclass(slots=True)
class _Moved:
    """Whether an accepted change concerned addresses, for the security log."""

    addresses: bool = False


def pending(connection: sa.Connection, tenant: str, keys: Collection[str], *, beside: str = "") -> PendingChange | None:
    """Return an unsettled change of this record other than `beside`. keys: the candidate's, under every secret key."""
    d, o = deliveries.c, outbox.c
    query = (
        sa.select(d.reference)
        .join(outbox, sa.and_(o.kind == d.kind, o.subject == d.reference))
        .where(d.tenant == tenant, d.kind == CHANGE.name, d.about.in_(keys), o.state.in_(UNFINISHED))
        .where(d.reference != beside)
        .order_by(d.accepted_at)
    )
    reference = connection.execute(query.limit(1)).scalar()
    entry = reference and queue.find(connection, CHANGE.name, reference)
    if not entry:
        return None
    return PendingChange(entry.subject, entry.replaceable and not undo_links.is_an_undo(connection, entry.subject))


def wanted_of(
    db: Database, seal: Seal, *, tenant: str, keys: Collection[str], reference: str
) -> Delivery[ChangePayload] | None:
    """Return a change of this candidate's record with its contents, as long as they are stored."""
    with db.read() as connection:
        one = opened(connection, seal, CHANGE, reference)
    return one if one is not None and one.tenant == tenant and one.about in keys else None


def _prepare(
    seal: Seal, change: Change, now: datetime, moved: _Moved, connection: sa.Connection, reference: str
) -> None:
    if not sessions.is_open(connection, change.session):
        raise SessionOver("the session ended meanwhile")
    waiting = pending(connection, change.tenant.slug, change.who.keys, beside=reference)
    if waiting is not None:
        _replace(connection, change, waiting, now)
    changed = addresses_changed(change.before.record, change.new.after)
    for what in [HistoryEventKind.CHANGED, *([HistoryEventKind.ADDRESS] if changed else [])]:
        _note(connection, change, what, reference, now)
    moved.addresses = changed
    if changed:
        _tell(connection, seal, change, reference, now)


def _replace(connection: sa.Connection, change: Change, earlier: PendingChange, now: datetime) -> None:
    meant = earlier.replaceable and earlier.reference == change.new.replaces
    if not meant or not queue.discard_if_unsent(connection, CHANGE.name, earlier.reference, now):
        raise EarlierChangePending(earlier)
    submissions.erase(connection, earlier.reference, now)
    _note(connection, change, HistoryEventKind.REPLACED, earlier.reference, now)


def _note(connection: sa.Connection, change: Change, what: HistoryEventKind, reference: str, now: datetime) -> None:
    history.note(
        connection,
        tenant=change.tenant.slug,
        candidate=change.who.key,
        address=change.session.address,
        what=what,
        now=now,
        reference=reference,
    )


def _tell(connection: sa.Connection, seal: Seal, change: Change, reference: str, now: datetime) -> None:
    """Notify every address that the record had, with a link that undoes the change."""
    remaining = {folded(entry.value) for entry in change.new.after.emails}
    added = new_addresses(change.before.record, change.new.after)
    payload, before = _payload(seal, change), update_of(change.before.record)
    for address in dict.fromkeys(entry.value for entry in change.before.record.emails):
        undoable = Undoable(recipient=address, email=change.session.email, change=payload, before=before)
        token = undo_links.offer(
            connection,
            seal,
            tenant=change.tenant.slug,
            candidate=change.who.key,
            reference=reference,
            undoable=undoable,
            now=now,
        )
        mail_queue.send(
            connection,
            seal,
            tenant=change.tenant.slug,
            template="address_changed",
            locale=change.new.locale,
            recipient=address,
            facts={
                "removed": None if folded(address) in remaining else "yes",
                "added": "yes" if added else None,
                "operator": change.tenant.mail.operator,
                "undo": token,
                "when": (now + undo_links.WINDOW).isoformat(),
            },
            now=now,
        )
