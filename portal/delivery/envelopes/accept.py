"""Accept a delivery in one transaction; its reference is returned only after the COMMIT.

Steps, all or nothing:
 1. The upload is claimed: stored, of this tenant and form, and not claimed yet. If it is claimed already, this form
    was sent before: then its content is compared, and nothing is written.
 2. Deliveries with the same order key, which are sent one after the other, are also accepted one after the other
    (SQLite: the single write lock; PostgreSQL: an advisory lock). So if two forms with the same content arrive at once,
    one of them is the original and the other one repeats it.
 3. The envelope is inserted, unique by tenant, kind and form. If one form is posted twenty times at once, one post
    inserts the row; the other nineteen find it, compare their content with it, and release their upload.
 4. If the kind has repeats_within, the same content from another form is the same delivery: its row has no sealed
    contents, but the reference of the first one as `duplicate_of`, and that is the response. So the response shows that
    it was sent before only to a sender with identical content and an identical file; any difference makes a new
    delivery and reveals nothing.
 5. `NewDelivery.on_insert` is called, which may still refuse; then the outbox row and the email are written.

The statements that every new delivery runs are prepared (platform/database/prepared.py).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.background.mails import queue as mail_queue
from portal.background.outbox import queue
from portal.background.outbox.states import HeldFor
from portal.delivery.envelopes import consent, repeats, tables
from portal.delivery.envelopes.kinds import Contents, DeliveryKind, OrderedBy, P, lane
from portal.delivery.envelopes.references import new_reference
from portal.delivery.envelopes.repeats import Original
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.uploads import claims
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, address_hash
from portal.platform.database.db import Database
from portal.platform.database.prepared import PreparedStatement
from portal.platform.logs import EventName, event
from portal.tenants.model import Tenant

CONFIRMATION = "confirmation"
"""The purpose of the hash in the link of an email that asks for confirmation."""

InsertHook = Callable[[sa.Connection, str], None]


def confirmation_key(seal: Seal, tenant: str, reference: str) -> str:
    """Return the secret of a confirmation email; knowing it proves access to the mailbox."""
    return seal.hash(CONFIRMATION, tenant, reference)


@dataclass(frozen=True, slots=True)
class NewDelivery(Generic[P]):
    """A form that passed every check."""

    form_id: str
    """32 hex digits; the same id posted again is the same delivery."""
    about: str
    """What the delivery concerns: a posting's id, or the key of a candidate's record."""
    email: str = field(repr=False)
    """The address of the person who sent it."""
    locale: str
    """Language of the emails about it."""
    payload: P
    title: str | None = None
    """Title of the job, for the receipt."""
    upload: str | None = None
    """Handle of a stored file."""
    consent: str | None = field(default=None, repr=False)
    """The text agreed to."""
    on_insert: InsertHook | None = None
    """Called with the reference in the same transaction; may raise to refuse the delivery, or write more."""
    suspicion: str | None = None
    """Why a bot may have sent it: reasons joined by commas."""
    held_for: HeldFor | None = None
    """The person or operator whose release is needed, before any scan."""
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Where the candidate came from, by the form's URL."""


def accept(
    db: Database,
    seal: Seal,
    kind: DeliveryKind[P],
    *,
    tenant: Tenant,
    new: NewDelivery[P],
    clock: Clock,
    scan_required: bool = False,
) -> str:
    """Accept a delivery and return its reference, committed to disk; for repeated content, the first delivery's.

    scan_required: hold a delivery with a file until the scanner has checked it. Raises DifferentContent, UploadGone,
    DatabaseUnavailable, and whatever `new.on_insert` raises.
    """
    now, posting_id = clock.now(), new.about if kind.about_is_public else None
    reference = new_reference(seal, tenant=tenant.slug, kind=kind.name, posting_id=posting_id, now=now)
    answer, is_new = _insert_delivery(db, seal, kind, tenant, new, reference, now, scan_required=scan_required)
    if is_new:
        event(EventName.ACCEPTED, tenant=tenant.slug, reference=reference, kind=kind.name)
        if new.held_for is not None:
            event(EventName.HELD, tenant=tenant.slug, reference=reference, kind=kind.name, reason=new.held_for)
    return answer


def _insert_delivery(
    db: Database,
    seal: Seal,
    kind: DeliveryKind[P],
    tenant: Tenant,
    new: NewDelivery[P],
    reference: str,
    now: datetime,
    *,
    scan_required: bool,
) -> tuple[str, bool]:
    """Return the reference for the response, and whether this is a new delivery."""
    person = address_hash(seal, tenant.slug, new.email)
    order_key = person if kind.ordered_by is OrderedBy.PERSON else new.about
    with db.write() as connection:
        file = _claim(connection, seal, tenant, new, reference, order_key)
        sha256 = file.metadata.sha256 if file else ""
        content_hashes = repeats.content_hashes(seal, kind, new.about, new.payload, sha256)
        if file is None or file.newly_claimed:
            first = repeats.first_with_content(connection, kind, tenant.slug, content_hashes, now)
            row = _row(connection, seal, kind, tenant, new, now) | {
                "reference": reference,
                "content": content_hashes[0],
                "person": first.person if first else person,
                "duplicate_of": first.reference if first else None,
            }
            if first is not None:
                row["sealed"] = None
            if _INSERT.run(connection, row) == 1:
                if new.on_insert:
                    new.on_insert(connection, reference)
                if first is None:
                    queue.enqueue(
                        connection,
                        kind=kind.name,
                        subject=reference,
                        tenant=tenant.slug,
                        lane=lane(tenant.slug),
                        now=now,
                        order_key=order_key,
                        held=file is not None and scan_required,
                        held_for=new.held_for,
                    )
                elif new.held_for is None:  # the repeat is not suspicious, so it releases the first delivery
                    release(connection, kind.name, first.reference, now, scan_required=scan_required)
                if first is not None and file is not None:
                    claims.unclaim(connection, reference)
                _queue_acceptance_email(connection, seal, kind, tenant, new, reference, now, first=first)
                return (first.reference, False) if first else (reference, True)
            if file is not None:
                claims.unclaim(connection, reference)
        return repeats.reference_of_form(connection, kind, tenant.slug, new.form_id, content_hashes), False


def release(
    connection: sa.Connection,
    kind: str,
    reference: str,
    now: datetime,
    *,
    scan_required: bool,
    waits_for: Collection[HeldFor] = tuple(HeldFor),
) -> bool:
    """Release a delivery held for one of `waits_for` (a file is still scanned first); return False if it is not."""
    held = scan_required and claims.key_of(connection, reference) is not None
    return queue.release(connection, kind, reference, now, held=held, waits_for=waits_for)


def _claim(
    connection: sa.Connection, seal: Seal, tenant: Tenant, new: NewDelivery[P], reference: str, order_key: str
) -> claims.Claimed | None:
    if new.upload is None:
        repeats.lock_order_key(connection, order_key)
        return None
    return claims.claim(
        connection,
        seal,
        tenant=tenant.slug,
        form_id=new.form_id,
        handle=new.upload,
        reference=reference,
        lock=repeats.lock_number(order_key),
    )


def _row(
    connection: sa.Connection, seal: Seal, kind: DeliveryKind[P], tenant: Tenant, new: NewDelivery[P], now: datetime
) -> dict[str, object]:
    agreed = new.consent and consent.record(connection, tenant=tenant.slug, text=new.consent, now=now)
    return {
        "kind": kind.name,
        "tenant": tenant.slug,
        "form_id": new.form_id,
        "about": new.about,
        "title": new.title,
        "locale": new.locale,
        "accepted_at": now,
        "consent": agreed,
        "sealed": Contents(new.email, new.payload).sealed(seal),
        "suspicion": new.suspicion,
        "sources": tables.sealed(seal, new.sources),
    }


def _queue_acceptance_email(
    connection: sa.Connection,
    seal: Seal,
    kind: DeliveryKind[P],
    tenant: Tenant,
    new: NewDelivery[P],
    reference: str,
    now: datetime,
    *,
    first: Original | None,
) -> None:
    template, sent = kind.mail_templates.received, first.reference if first else reference
    since, delivered = (first.accepted_at, first.delivered_at) if first else (now, None)
    facts: dict[str, str | None] = {"again": "yes" if first else None}
    if new.held_for is HeldFor.CANDIDATE and (first is None or first.held_for == HeldFor.CANDIDATE):
        # A repeat of a delivery that is not confirmed yet gets the confirmation link again.
        template, facts = kind.mail_templates.unproven, {"key": confirmation_key(seal, tenant.slug, sent)}
    if template is None:
        return
    answer_by = tenant.apply.answer_by(since)
    previous_at = None
    if first is None:
        previous_at = repeats.previous_application_at(
            connection, seal, kind, tenant=tenant.slug, about=new.about, email=new.email, reference=reference
        )
    mail_queue.send(
        connection,
        seal,
        tenant=tenant.slug,
        template=template,
        locale=new.locale,
        recipient=new.email,
        facts={
            "title": new.title,
            "reference": sent,
            "when": since.isoformat(),
            "delivered": delivered.isoformat() if delivered else None,
            "answer_by": answer_by.isoformat() if answer_by else None,
            "before": previous_at.isoformat() if previous_at else None,
            **facts,
        },
        now=now,
        about=sent,
    )


_INSERT = PreparedStatement(
    {
        name: insert(deliveries).on_conflict_do_nothing(index_elements=["tenant", "kind", "form_id"])
        for name, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
    }
)
