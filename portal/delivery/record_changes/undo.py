"""Undo a change of email addresses: restore the record's former addresses, by the same kind of delivery.

In one transaction, once the envelope is written (envelopes/accept.py), all or nothing:
 1. The change can still be undone, and the later changes are those that the envelope takes back; if another one was
    accepted meanwhile, the undo starts again.
 2. Those changes that certainly never reached the service are discarded. One that is being sent, or may have arrived,
    is not sent again (kind.py), and the undo is sent after it, because the outbox keeps the order of a record.
 3. Sessions about the record end, and the index has the former addresses at once.
 4. All links of these changes end, so undoing twice has the effect of undoing once. All affected addresses are
    notified.

The update is computed when the undo is sent, from the record as it is then: nothing that the company changed is lost.
An undo cannot be undone by a link, and no later change replaces it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from functools import partial

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.background.outbox import queue
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.accept import NewDelivery
from portal.delivery.envelopes.accept import accept as accept_delivery
from portal.delivery.envelopes.repeats import DifferentContent
from portal.delivery.record_changes import undo_links
from portal.delivery.record_changes.kind import CHANGE
from portal.delivery.record_changes.model import AddressRestore, ChangePayload, fingerprint, new_addresses, record_of
from portal.delivery.record_changes.undo_links import Undoable, UndoRow
from portal.people.index import history, index
from portal.people.index.history import HistoryEventKind
from portal.people.signin import sessions
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, folded, mailbox_in_a_log
from portal.platform.database.db import Database
from portal.platform.errors import PortalError
from portal.platform.logs import SecurityEvent, log_security_event
from portal.tenants.model import Tenant

_TRIES = 5


class UndoOutcome(Enum):
    """The state of a link. UNKNOWN: it does not belong to this tenant."""

    OPEN = auto()
    UNDONE = auto()
    OVER = auto()
    UNKNOWN = auto()


class _AnotherChange(PortalError):
    """The record's addresses were changed, or the link ended, while the undo was being prepared."""


@dataclass(frozen=True, slots=True)
class _Undo:
    tenant: Tenant
    row: UndoRow
    undoable: Undoable
    chain: list[UndoRow]
    keys: list[str]
    payload: ChangePayload
    locale: str
    now: datetime


def find(db: Database, seal: Seal, tenant: str, token: str, now: datetime) -> tuple[UndoOutcome, UndoRow | None]:
    """Return the state of a link and its row. Nothing changes."""
    with db.read() as connection:
        row = undo_links.find(connection, seal, tenant, token)
    if row is None:
        return UndoOutcome.UNKNOWN, None
    if row.is_undone:
        return UndoOutcome.UNDONE, row
    return (UndoOutcome.OPEN if row.undoable is not None and now < row.expires_at else UndoOutcome.OVER), row


def undo(db: Database, seal: Seal, *, tenant: Tenant, token: str, locale: str, clock: Clock) -> UndoOutcome:
    """Undo the change of a link, and every later change of the record's addresses. UNDONE is committed to disk.

    Raises DatabaseUnavailable.
    """
    for _ in range(_TRIES):
        now = clock.now()
        outcome, row = find(db, seal, tenant.slug, token, now)
        if outcome is not UndoOutcome.OPEN or row is None or row.undoable is None:
            return outcome
        one = _prepared(db, seal, tenant, row, row.undoable, locale, now)
        delivery = NewDelivery(
            form_id=seal.hash("undo-form", tenant.slug, token)[:32],
            about=row.candidate,
            email=row.undoable.recipient,
            locale=locale,
            payload=one.payload,
            on_insert=partial(_take_back, seal, one),
        )
        try:
            reference = accept_delivery(db, seal, CHANGE, tenant=tenant, new=delivery, clock=clock)
        except (_AnotherChange, DifferentContent):
            continue
        mailbox = mailbox_in_a_log(seal, row.undoable.recipient)
        log_security_event(SecurityEvent.ADDRESS_UNDONE, tenant=tenant.slug, reference=reference, mailbox=mailbox)
        return UndoOutcome.UNDONE
    return find(db, seal, tenant.slug, token, clock.now())[0]


def _prepared(
    db: Database, seal: Seal, tenant: Tenant, row: UndoRow, undoable: Undoable, locale: str, now: datetime
) -> _Undo:
    change = undoable.change
    keys = list(dict.fromkeys((row.candidate, *seal.hashes("candidate", tenant.slug, change.candidate_id))))
    with db.read() as connection:
        chain = undo_links.chain(connection, seal, row, keys)
    changes = [one.undoable for one in chain if one.undoable is not None]
    before = record_of(undoable.before)
    had = {folded(entry.value) for entry in before.emails}
    added = [new for one in changes for new in new_addresses(record_of(one.before), record_of(one.change.update))]
    left = [old for one in changes for old in one.change.left]
    payload = ChangePayload(
        candidate_id=change.candidate_id,
        based_on=fingerprint(seal, record_of(changes[-1].change.update if changes else change.update))[0],
        based_at=change.based_at,
        update=undoable.before,
        restored=AddressRestore(
            takes_out=tuple(dict.fromkeys(new for new in added if folded(new) not in had)),
            brings_back=tuple(dict.fromkeys(old for old in left if folded(old) in had)),
        ),
    )
    return _Undo(tenant, row, undoable, chain, keys, payload, locale, now)


def _take_back(seal: Seal, one: _Undo, connection: sa.Connection, reference: str) -> None:
    slug, row = one.tenant.slug, one.row
    chain = [link.reference for link in undo_links.chain(connection, seal, row, one.keys)]
    if chain != [link.reference for link in one.chain] or row.reference not in chain:
        raise _AnotherChange("another change was accepted meanwhile")
    for earlier in chain:
        if queue.discard_if_unsent(connection, CHANGE.name, earlier, one.now):
            submissions.erase(connection, earlier, one.now)
    sessions.forget_of_candidates(connection, tenant=slug, candidates=one.keys)
    if not undo_links.end(connection, chain, reference):
        raise _AnotherChange("the window closed meanwhile")
    before = [entry.value for entry in record_of(one.undoable.before).emails]
    index.readdress(connection, seal, slug, one.keys, before)
    history.note(
        connection,
        tenant=slug,
        candidate=row.candidate,
        address=row.address,
        what=HistoryEventKind.ADDRESS,
        now=one.now,
        reference=reference,
    )
    restored = one.payload.restored or AddressRestore()
    for recipient in dict.fromkeys([*before, *restored.takes_out]):
        mail_queue.send(
            connection,
            seal,
            tenant=slug,
            template="address_undone",
            locale=one.locale,
            recipient=recipient,
            facts={"when": row.accepted_at.isoformat(), "operator": one.tenant.mail.operator},
            now=one.now,
        )
