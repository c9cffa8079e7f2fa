"""Send a change of a record: accepted like every delivery, and in the same transaction what belongs to it.

In order, all or nothing, once the envelope is written (deliveries/accept.py):
 1. the session must still be open: an erasure in another tab ends it, and nothing is sent for who is erased;
 2. an earlier change of this record that is on its way makes way, or nothing is accepted (see below);
 3. the history, and a letter to every address that the record had, if addresses changed.

An earlier change makes way only if its owner was told which one, and it certainly never reached the service. A change
says all that is shown (§4.10), so the later one says everything that is to be. The race with the worker that sends the
earlier one:
 1. two forms of one record: SQLite's one write lock, PostgreSQL's advisory lock; the second sees what the first wrote;
 2. UPDATE … discarded, with a new fence, WHERE it is held, due or retry AND never maybe_arrived;
 3. the worker claims by UPDATE WHERE fence, and commits `sending` before it connects. If it was first, 2 finds no row:
    StillOnItsWay, nothing is written. If 2 was first, the worker's fence is old: it claims nothing and sends nothing;
 4. the later change's row is in the same transaction: neither both go out nor none.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import sqlalchemy as sa

from portal.candidates import history
from portal.candidates.history import What
from portal.candidates.index import Indexed
from portal.clock import Clock
from portal.db import Database
from portal.deliveries import operate
from portal.deliveries.accept import NewDelivery
from portal.deliveries.accept import accept as accept_delivery
from portal.deliveries.kinds import Delivery, opened
from portal.deliveries.tables import deliveries
from portal.errors import PortalError
from portal.letters import queue as letters
from portal.logs import Seen, seen
from portal.outbox import queue
from portal.outbox.states import UNFINISHED
from portal.outbox.tables import outbox
from portal.records.current import Current
from portal.records.kind import CHANGE
from portal.records.model import Record, addresses_changed, fingerprint, new_addresses, update_of
from portal.records.payload import ChangePayload
from portal.sealing import Seal, folded, mailbox_in_a_log
from portal.signin import sessions
from portal.signin.sessions import Session
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change that is not settled. gives_way: it certainly never arrived, so a later one may take its place."""

    reference: str
    gives_way: bool


class StillOnItsWay(PortalError):
    """An earlier change of this record is not delivered yet: `waiting`."""

    def __init__(self, waiting: Waiting) -> None:
        super().__init__("an earlier change of this record is still on its way")
        self.waiting = waiting


class SessionOver(PortalError):
    """The session ended while the change was on its way here: nothing is accepted."""


@dataclass(frozen=True, slots=True)
class NewChange:
    """A form that passed every check. form_id: the same id again is the same change. upload: of a CV, or None.

    replaces: the reference of the earlier change that its owner was told this one replaces.
    """

    form_id: str
    after: Record = field(repr=False)
    upload: str | None
    locale: str
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Who changes what: the parameters that every step shares."""

    tenant: Tenant
    session: Session
    who: Indexed
    before: Current
    new: NewChange


def accept(db: Database, seal: Seal, change: Change, *, clock: Clock, scanned: bool = True) -> str:
    """The reference of the change, committed to disk.

    Raises DifferentContent, StillOnItsWay, SessionOver, UploadGone, DatabaseUnavailable.
    """
    new, moved = change.new, _Moved()
    delivery = NewDelivery(
        form_id=new.form_id,
        about=change.who.key,
        email=change.session.email,
        locale=new.locale,
        payload=ChangePayload(
            candidate_id=change.who.candidate_id,
            based_on=fingerprint(seal, change.before.record)[0],
            based_at=change.before.modified_at,
            update=update_of(new.after),
            left=tuple(new_addresses(new.after, change.before.record)),
            proven=_proven(change),
        ),
        upload=new.upload,
        before=partial(_prepare, seal, change, clock.now(), moved),
    )
    reference = accept_delivery(db, seal, CHANGE, tenant=change.tenant, new=delivery, clock=clock, scanned=scanned)
    if moved.addresses:
        mailbox = mailbox_in_a_log(seal, change.session.email)
        seen(Seen.ADDRESS_CHANGED, tenant=change.tenant.slug, reference=reference, mailbox=mailbox)
    return reference


def _proven(change: Change) -> tuple[str, ...]:
    """Addresses that the record has then and whose owner is certainly here: the session's, and else the new ones."""
    new, mine = change.new.after, folded(change.session.email)
    own = [entry for entry in new.emails if folded(entry.value) == mine]
    added = set(new_addresses(change.before.record, new))
    proven = own or [entry for entry in new.emails if entry.value in added]
    return tuple(entry.value for entry in sorted(proven, key=lambda entry: not entry.is_primary))


@dataclass(slots=True)
class _Moved:
    """What a change that was accepted just now concerns, for the security log."""

    addresses: bool = False


def pending(connection: sa.Connection, tenant: str, keys: Collection[str], *, beside: str = "") -> Waiting | None:
    """A change of this record that is not settled, other than `beside`. keys: the candidate's, under every secret."""
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
    return Waiting(entry.subject, entry.gives_way) if entry else None


def wanted_of(
    db: Database, seal: Seal, *, tenant: str, keys: Collection[str], reference: str
) -> Delivery[ChangePayload] | None:
    """A change of this candidate's record with what it says, as long as that is kept."""
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
    for what in [What.CHANGED, *([What.ADDRESS] if changed else [])]:
        _note(connection, change, what, reference, now)
    moved.addresses = changed
    if changed:
        _tell(connection, seal, change, [entry.value for entry in change.before.record.emails], now)


def _replace(connection: sa.Connection, change: Change, earlier: Waiting, now: datetime) -> None:
    meant = earlier.reference == change.new.replaces
    if not meant or not queue.give_way(connection, CHANGE.name, earlier.reference, now):
        raise StillOnItsWay(earlier)
    operate.erase(connection, earlier.reference, now)
    _note(connection, change, What.REPLACED, earlier.reference, now)


def _note(connection: sa.Connection, change: Change, what: What, reference: str, now: datetime) -> None:
    history.note(
        connection,
        tenant=change.tenant.slug,
        candidate=change.who.key,
        address=change.session.address,
        what=what,
        now=now,
        reference=reference,
    )


def _tell(connection: sa.Connection, seal: Seal, change: Change, old: Sequence[str], now: datetime) -> None:
    kept = {folded(entry.value) for entry in change.new.after.emails}
    added = new_addresses(change.before.record, change.new.after)
    for address in dict.fromkeys(old):
        letters.send(
            connection,
            seal,
            tenant=change.tenant.slug,
            template="address_changed",
            locale=change.new.locale,
            recipient=address,
            facts={
                "removed": None if folded(address) in kept else "yes",
                "added": "yes" if added else None,
                "operator": change.tenant.mail.operator,
            },
            now=now,
        )
