"""Which other delivery a delivery repeats: one of the same form, of the same content, or of the same person and job.

Before an operator retries a delivery, this module also checks whether the candidate has submitted the same content
again since.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.envelopes.kinds import Contents, DeliveryKind, P
from portal.delivery.envelopes.receipt import deliveries_with_original, not_given_up
from portal.delivery.envelopes.tables import deliveries, unindexed_accepted_at
from portal.delivery.uploads import claims
from portal.delivery.uploads.claims import UploadGone
from portal.platform.crypto.sealing import Seal, address_hashes
from portal.platform.database.prepared import PreparedStatement
from portal.platform.errors import PortalError


class DifferentContent(PortalError):
    """The same form was already sent with other content, as the delivery `reference`."""

    def __init__(self, reference: str) -> None:
        super().__init__("this form was already sent with other content")
        self.reference = reference


class SubmittedAgain(PortalError):
    """The same content was submitted again, and that delivery succeeded or still may: sending both makes a duplicate.

    reference, state: those of the other delivery.
    """

    def __init__(self, reference: str, state: OutboxState) -> None:
        self.reference, self.state = reference, state
        super().__init__(f"the same content was submitted again as {reference}")


class Original(NamedTuple):
    """The earlier delivery with the same content."""

    reference: str
    person: str
    """Keyed hash of the address that the first delivery belongs to now; the repeat belongs to the same."""
    held_for: str | None
    accepted_at: datetime
    delivered_at: datetime | None


def lock_order_key(connection: sa.Connection, order_key: str) -> None:
    """Lock this order key until the transaction ends: no other transaction can accept or retry a delivery with it."""
    if connection.dialect.name != "sqlite":
        lock = sa.literal(lock_number(order_key), sa.BigInteger)
        connection.execute(sa.select(sa.cast(sa.func.pg_advisory_xact_lock(lock), sa.Text)))


def lock_number(order_key: str) -> int:
    """Return the number of the advisory lock of an order key."""
    # 15 hex digits are 60 bits: they fit the signed 64 bits of an advisory lock.
    return int(order_key[:15], 16)


def content_hashes(seal: Seal, kind: DeliveryKind[P], about: str, payload: P, sha256: str) -> list[str]:
    """Return keyed hashes of a content by every secret key, the current one first. sha256: of its file, or empty."""
    return seal.hashes("content", kind.name, about, payload.compared(), sha256)


def first_with_content(
    connection: sa.Connection, kind: DeliveryKind[P], tenant: str, hashes: list[str], now: datetime
) -> Original | None:
    """Return the earlier delivery of the same content, unless it failed, was discarded or was withdrawn."""
    if kind.repeats_within is None:
        return None
    for content in hashes:
        asked = {"slug": tenant, "kind": kind.name, "content": content, "since": now - kind.repeats_within}
        found = _FIRST.first(connection, asked)
        if found:
            return Original(found.reference, found.person, found.held_for, found.accepted_at, found.delivered_at)
    return None


def reference_of_form(
    connection: sa.Connection, kind: DeliveryKind[P], tenant: str, form_id: str, hashes: list[str]
) -> str:
    """Return the reference with which this form was accepted.

    Raises UploadGone, or DifferentContent on other content.
    """
    d = deliveries.c
    first = sa.func.coalesce(d.duplicate_of, d.reference).label("reference")
    its_form = (d.tenant == tenant, d.kind == kind.name, d.form_id == form_id)
    known = connection.execute(sa.select(first, d.content).where(*its_form)).first()
    if known is None:
        raise UploadGone("the stored CV belongs to another delivery")
    if known.content not in hashes:
        raise DifferentContent(known.reference)
    return str(known.reference)


def previous_application_at(
    connection: sa.Connection,
    seal: Seal,
    kind: DeliveryKind[P],
    *,
    tenant: str,
    about: str,
    email: str,
    reference: str,
) -> datetime | None:
    """Return when this address last sent another delivery of this kind for the same job or record; None if never.

    It is stated only in emails, because anyone can open the page.
    """
    for person in address_hashes(seal, tenant, email):
        asked = {
            "slug": tenant,
            "kind": kind.name,
            "person": person,
            "about": about,
            "reference": reference,
        }
        if found := _PREVIOUS.first(connection, asked):
            at: datetime = found.accepted_at
            return at
    return None


def submitted_again(
    connection: sa.Connection, seal: Seal, kind: DeliveryKind[Any], row: sa.Row[Any]
) -> SubmittedAgain | None:
    """Return another delivery of the same content that was not given up, as the error to raise; None if there is none.

    The order key is locked until the transaction ends, so that no further one is accepted.
    """
    if kind.repeats_within is None:
        return None
    order_key = sa.select(outbox.c.order_key).where(outbox.c.kind == row.kind, outbox.c.subject == row.reference)
    lock_order_key(connection, connection.execute(order_key).scalar() or row.person)
    d = deliveries.c
    same = (d.tenant == row.tenant, d.kind == row.kind, d.content.in_(_hashes_of(connection, seal, kind, row)))
    query = deliveries_with_original().where(
        *same, d.reference != row.reference, d.duplicate_of.is_(None), not_given_up()
    )
    found = connection.execute(query.order_by(unindexed_accepted_at.desc()).limit(1)).first()
    return SubmittedAgain(found.reference, OutboxState(found.state)) if found else None


def _hashes_of(connection: sa.Connection, seal: Seal, kind: DeliveryKind[Any], row: sa.Row[Any]) -> Collection[str]:
    """Return the hashes of the content under every secret key. Raises Unreadable."""
    payload = Contents.opened(seal, kind, row.sealed).payload
    file = claims.about(connection, seal, row.reference)
    return {row.content, *content_hashes(seal, kind, row.about, payload, file.sha256 if file else "")}


_GIVEN_UP = (OutboxState.DEAD, OutboxState.DISCARDED)
_FIRST = PreparedStatement(
    sa.select(
        deliveries.c.reference,
        deliveries.c.person,
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
        unindexed_accepted_at > sa.bindparam("since"),
        # `ended` is the final state, set when the outbox row is removed. The condition is part of the query, so that a
        # later delivery that failed does not hide an earlier one that was delivered.
        *(sa.func.coalesce(deliveries.c.ended, outbox.c.state) != sa.literal_column(f"'{one}'") for one in _GIVEN_UP),
    )
    .order_by(unindexed_accepted_at.desc())
    .limit(1)
)
_PREVIOUS = PreparedStatement(
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
    .order_by(unindexed_accepted_at.desc())
    .limit(1)
)
