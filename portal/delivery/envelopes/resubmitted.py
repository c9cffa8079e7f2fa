"""Whether the candidate submitted a delivery again that an operator wants to retry: sending both makes a duplicate."""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.envelopes.accept import content_hashes, lock_order_key
from portal.delivery.envelopes.kinds import Contents, DeliveryKind
from portal.delivery.envelopes.receipt import following, not_given_up
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.uploads import claims
from portal.platform.crypto.sealing import Seal, Unreadable
from portal.platform.errors import PortalError


class SubmittedAgain(PortalError):
    """The same content was submitted again, and that one was delivered or may be: sending both makes a duplicate.

    reference, state: those of the other delivery.
    """

    def __init__(self, reference: str, state: OutboxState) -> None:
        self.reference, self.state = reference, state
        super().__init__(f"the same content was submitted again as {reference}")


def submitted_again(
    connection: sa.Connection, seal: Seal, kind: DeliveryKind[Any], row: sa.Row[Any]
) -> SubmittedAgain | None:
    """Return another delivery of the same content that was not given up, as the error to raise; None if there is none.

    The order key is locked until the transaction ends, so that no further one is accepted.
    """
    if kind.repeats_within is None:
        return None
    order = sa.select(outbox.c.order_key).where(outbox.c.kind == row.kind, outbox.c.subject == row.reference)
    lock_order_key(connection, connection.execute(order).scalar() or row.person)
    d = deliveries.c
    same = (d.tenant == row.tenant, d.kind == row.kind, d.content.in_(_contents(connection, seal, kind, row)))
    query = following().where(*same, d.reference != row.reference, d.duplicate_of.is_(None), not_given_up())
    found = connection.execute(query.order_by(d.accepted_at.desc()).limit(1)).first()
    return SubmittedAgain(found.reference, OutboxState(found.state)) if found else None


def _contents(connection: sa.Connection, seal: Seal, kind: DeliveryKind[Any], row: sa.Row[Any]) -> Collection[str]:
    """Return the hashes of the content under every secret key; only the stored one if it cannot be decrypted."""
    try:
        said = Contents.opened(seal, kind, row.sealed).payload
        file = claims.about(connection, seal, row.reference)
    except Unreadable:
        return {row.content}
    return {row.content, *content_hashes(seal, kind, row.about, said, file.sha256 if file else "")}
