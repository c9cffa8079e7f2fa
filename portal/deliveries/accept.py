"""Accept a delivery: one transaction, and only after its COMMIT a reference.

In order, all or nothing:
 1. the upload is claimed: stored, this tenant's, this form's, nobody's yet. One that is somebody's already means that
    this form was sent before: then its content is compared, and nothing is written;
 2. what is to go out in order waits for each other here too (SQLite: the one write lock; PostgreSQL: an advisory lock),
    so that two forms with the same content cannot both be the first;
 3. the envelope is inserted, unique by tenant and form. Twenty posts of one form at once: one row, and the nineteen
    others find it, compare their content with it, and give their upload back;
 4. where the kind says so, the same content sent from another form is the same delivery: what is kept of it is that it
    came, nothing personal, and what it is answered with is the first one's reference. Who knows every word of it and
    has the very same file learns that it was sent before; who knows less sends another one and learns nothing;
 5. what the kind's caller wants in the same transaction, which may still refuse; the outbox row; the letter.

The statements are compiled once (straight.py): building them costs more than running them.
"""

import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.clock import Clock
from portal.db import Database
from portal.deliveries import consent, sources
from portal.deliveries.kinds import Contents, Kind, OrderedBy, P
from portal.deliveries.tables import deliveries
from portal.errors import PortalError
from portal.letters import queue as letters
from portal.logs import Happened, event
from portal.outbox import queue
from portal.outbox.states import HeldFor, State
from portal.outbox.tables import outbox
from portal.sealing import Seal, address_hash, address_hashes
from portal.straight import Straight
from portal.tenants.model import Tenant
from portal.uploads import claims
from portal.uploads.claims import UploadGone

CONFIRMATION = "confirmation"
"""The purpose of the hash that a letter of confirmation carries."""
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""No character that is read as another one over the telephone."""

Then = Callable[[sa.Connection, str], None]


class DifferentContent(PortalError):
    """The same form was already sent with other content; `reference` is that delivery's."""

    def __init__(self, reference: str) -> None:
        super().__init__("this form was already sent with other content")
        self.reference = reference


def new_reference() -> str:
    """20 characters, 98 bits: it can be read out, and cannot be guessed."""
    left, found = secrets.randbelow(len(_ALPHABET) ** 20), []
    for _ in range(20):
        left, place = divmod(left, len(_ALPHABET))
        found.append(_ALPHABET[place])
    return "".join(found)


def confirmation_key(seal: Seal, tenant: str, reference: str) -> str:
    """What only the letter about an unproven delivery holds; who has it reads the mail of its address."""
    return seal.hash(CONFIRMATION, tenant, reference)


def lane(tenant: str) -> str:
    """The outbox lane towards one tenant's service."""
    return f"service:{tenant}"


@dataclass(frozen=True, slots=True)
class NewDelivery(Generic[P]):
    """A form that passed every check. form_id: 32 hex digits; the same id posted again is the same delivery.

    about: a posting's id, a candidate's key. title: for the receipt. upload: the handle of a stored file.
    consent: the text that was agreed to. before: what must be the case, or be done, in the same transaction.
    suspicion: why a program may have sent it. held_for: who has to let it go on; the scanner's turn is after that.
    sources: what the form's address said of where its person came from.
    """

    form_id: str
    about: str
    email: str = field(repr=False)
    locale: str
    payload: P
    title: str | None = None
    upload: str | None = None
    consent: str | None = field(default=None, repr=False)
    before: Then | None = None
    suspicion: str | None = None
    held_for: HeldFor | None = None
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)


def accept(
    db: Database, seal: Seal, kind: Kind[P], *, tenant: Tenant, new: NewDelivery[P], clock: Clock, scanned: bool = True
) -> str:
    """The reference, committed to disk. The same content again, from this form or another: the first one's.

    scanned: False holds a delivery with a file until a scanner has seen it.
    Raises DifferentContent, UploadGone, DatabaseUnavailable, and whatever `new.before` raises.
    """
    reference = new_reference()
    answer, is_new = _accepted(db, seal, kind, tenant, new, reference, clock.now(), scanned=scanned)
    if is_new:
        event(Happened.ACCEPTED, tenant=tenant.slug, reference=reference, kind=kind.name)
        if new.held_for is not None:
            event(Happened.HELD, tenant=tenant.slug, reference=reference, kind=kind.name, reason=new.held_for)
    return answer


def _accepted(
    db: Database,
    seal: Seal,
    kind: Kind[P],
    tenant: Tenant,
    new: NewDelivery[P],
    reference: str,
    now: datetime,
    *,
    scanned: bool,
) -> tuple[str, bool]:
    """What is answered, and whether this is a delivery that there was not."""
    person = address_hash(seal, tenant.slug, new.email)
    order = person if kind.ordered_by is OrderedBy.PERSON else new.about
    with db.write() as connection:
        file = _claim(connection, seal, tenant, new, reference, order)
        sha256 = file.about.sha256 if file else ""
        contents = seal.hashes("content", kind.name, new.about, new.payload.compared(), sha256)
        if file is None or file.is_ours:
            first = _first_of(connection, kind, tenant, contents, now)
            row = _row(connection, seal, kind, tenant, new, now) | {
                "reference": reference,
                "content": contents[0],
                "person": first.person if first else person,
                "duplicate_of": first.reference if first else None,
            }
            if first is not None:
                row["sealed"] = None
            if _INSERT.run(connection, row) == 1:
                if new.before:
                    new.before(connection, reference)
                if first is None:
                    queue.enqueue(
                        connection,
                        kind=kind.name,
                        subject=reference,
                        tenant=tenant.slug,
                        lane=lane(tenant.slug),
                        now=now,
                        order_key=order,
                        held=file is not None and not scanned,
                        held_for=new.held_for,
                    )
                elif new.held_for is None:  # nothing is wrong with this one, and it is the same
                    release(connection, kind.name, first.reference, now, scanned=scanned)
                if first is not None and file is not None:
                    claims.give_back(connection, reference)
                _confirm(connection, seal, kind, tenant, new, reference, now, first=first)
                return (first.reference, False) if first else (reference, True)
            if file is not None:
                claims.give_back(connection, reference)
        return _known(connection, kind, tenant, new.form_id, contents), False


def release(
    connection: sa.Connection,
    kind: str,
    reference: str,
    now: datetime,
    *,
    scanned: bool,
    waits_for: Collection[HeldFor] = tuple(HeldFor),
) -> bool:
    """Let go on what is held for one of these; a file is still scanned first. False where it is not held for them."""
    held = not scanned and claims.key_of(connection, reference) is not None
    return queue.release(connection, kind, reference, now, held=held, waits_for=waits_for)


def one_at_a_time(connection: sa.Connection, order: str) -> None:
    """Until this transaction ends, no other one accepts or sends again what goes out in this order."""
    if connection.dialect.name != "sqlite":
        _LOCK.first(connection, {"lock": _lock_of(order)})


def _claim(
    connection: sa.Connection, seal: Seal, tenant: Tenant, new: NewDelivery[P], reference: str, order: str
) -> claims.Claimed | None:
    if new.upload is None:
        one_at_a_time(connection, order)
        return None
    return claims.claim(
        connection,
        seal,
        tenant=tenant.slug,
        form_id=new.form_id,
        handle=new.upload,
        reference=reference,
        lock=_lock_of(order),
    )


def _lock_of(order: str) -> int:
    return int(order[:15], 16)


class _First(NamedTuple):
    """What a repeat repeats."""

    reference: str
    person: str
    """Who it is tied to by now: the repeat is theirs too, wherever they moved on to."""
    held_for: str | None
    accepted_at: datetime
    delivered_at: datetime | None


def _first_of(
    connection: sa.Connection, kind: Kind[P], tenant: Tenant, contents: list[str], now: datetime
) -> _First | None:
    """The delivery of the same content that was sent before, unless it came to nothing or was withdrawn."""
    if kind.repeats_within is None:
        return None
    for content in contents:
        asked = {"slug": tenant.slug, "kind": kind.name, "content": content, "since": now - kind.repeats_within}
        found = _FIRST.first(connection, asked)
        if found and found.state not in {State.DEAD, State.DISCARDED}:
            return _First(found.reference, found.person, found.held_for, found.accepted_at, found.delivered_at)
    return None


def _row(
    connection: sa.Connection, seal: Seal, kind: Kind[P], tenant: Tenant, new: NewDelivery[P], now: datetime
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
        "sources": sources.sealed(seal, new.sources),
    }


def _known(connection: sa.Connection, kind: Kind[P], tenant: Tenant, form_id: str, contents: list[str]) -> str:
    """The reference that this form was answered with, if it was sent with this content."""
    known = _OF_FORM.first(connection, {"slug": tenant.slug, "kind": kind.name, "form": form_id})
    if known is None:
        raise UploadGone("the stored CV belongs to another delivery")
    if known.content not in contents:
        raise DifferentContent(known.reference)
    return str(known.reference)


def _confirm(
    connection: sa.Connection,
    seal: Seal,
    kind: Kind[P],
    tenant: Tenant,
    new: NewDelivery[P],
    reference: str,
    now: datetime,
    *,
    first: "_First | None",
) -> None:
    template, sent = kind.letters.received, first.reference if first else reference
    since, delivered = (first.accepted_at, first.delivered_at) if first else (now, None)
    facts: dict[str, str | None] = {"again": "yes" if first else None}
    if new.held_for is HeldFor.PERSON and (first is None or first.held_for == HeldFor.PERSON):
        # Who sends it again, and did not confirm the first, has the way to do so in this letter too.
        template, facts = kind.letters.unproven, {"key": confirmation_key(seal, tenant.slug, sent)}
    if template is None:
        return
    answer_by = tenant.apply.answer_by(since)
    before = None if first else _before(connection, seal, kind, tenant, new, reference)
    letters.send(
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
            "before": before.isoformat() if before else None,
            **facts,
        },
        now=now,
        about=sent,
    )


def _before(
    connection: sa.Connection, seal: Seal, kind: Kind[P], tenant: Tenant, new: NewDelivery[P], reference: str
) -> datetime | None:
    """When the address was last used for another one about the same: for its mailbox; a page would tell anyone."""
    for person in address_hashes(seal, tenant.slug, new.email):
        asked = {"slug": tenant.slug, "kind": kind.name, "person": person, "about": new.about, "reference": reference}
        if found := _BEFORE.first(connection, asked):
            at: datetime = found.accepted_at
            return at
    return None


_LOCK = Straight(sa.select(sa.cast(sa.func.pg_advisory_xact_lock(sa.bindparam("lock", type_=sa.BigInteger)), sa.Text)))
_FIRST = Straight(
    sa.select(
        deliveries.c.reference,
        deliveries.c.person,
        sa.func.coalesce(deliveries.c.ended, outbox.c.state).label("state"),
        outbox.c.held_for,
        deliveries.c.accepted_at,
        deliveries.c.delivered_at,
    )
    .outerjoin(outbox, sa.and_(outbox.c.kind == deliveries.c.kind, outbox.c.subject == deliveries.c.reference))
    .where(
        deliveries.c.tenant == sa.bindparam("slug"),
        deliveries.c.content == sa.bindparam("content"),
        deliveries.c.kind == sa.bindparam("kind"),
        deliveries.c.duplicate_of.is_(None),
        deliveries.c.withdrawn_at.is_(None),
        deliveries.c.accepted_at > sa.bindparam("since"),
    )
    .order_by(deliveries.c.accepted_at.desc())
    .limit(1)
)
_BEFORE = Straight(
    sa.select(deliveries.c.accepted_at)
    .where(
        deliveries.c.tenant == sa.bindparam("slug"),
        deliveries.c.person == sa.bindparam("person"),
        deliveries.c.kind == sa.bindparam("kind"),
        deliveries.c.about == sa.bindparam("about"),
        deliveries.c.reference != sa.bindparam("reference"),
        deliveries.c.duplicate_of.is_(None),
        deliveries.c.withdrawn_at.is_(None),
    )
    .order_by(deliveries.c.accepted_at.desc())
    .limit(1)
)
_INSERT = Straight(
    {
        name: insert(deliveries).on_conflict_do_nothing(index_elements=["tenant", "kind", "form_id"])
        for name, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
    }
)
_OF_FORM = Straight(
    sa.select(
        sa.func.coalesce(deliveries.c.duplicate_of, deliveries.c.reference).label("reference"), deliveries.c.content
    ).where(
        deliveries.c.tenant == sa.bindparam("slug"),
        deliveries.c.kind == sa.bindparam("kind"),
        deliveries.c.form_id == sa.bindparam("form"),
    )
)
