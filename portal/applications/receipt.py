"""What a reference shows: nothing personal."""

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.model import Receipt, ReceiptState
from portal.applications.tables import submissions
from portal.db import Database
from portal.outbox import queue
from portal.outbox.states import State

_SHOWN = {
    State.DELIVERED: ReceiptState.SENT,
    State.PURGED: ReceiptState.SENT,
    State.DEAD: ReceiptState.REFUSED,
    State.DISCARDED: ReceiptState.REFUSED,
}


def find(db: Database, *, tenant: str, reference: str) -> Receipt | None:
    """The receipt of that reference at that tenant, or None; a duplicate's follows the first one's state."""
    c = submissions.c
    query = sa.select(c.posting_id, c.posting_title, c.accepted_at, c.duplicate_of, c.withdrawn_at)
    with db.read() as connection:
        row = connection.execute(query.where(c.tenant == tenant, c.reference == reference)).one_or_none()
        if row is None:
            return None
        followed = row.duplicate_of or reference
        entry = queue.find(connection, KIND, followed)
        delivered_at = connection.execute(sa.select(c.delivered_at).where(c.reference == followed)).scalar()
    if entry is None:
        return None
    return Receipt(
        reference=reference,
        posting_id=row.posting_id,
        posting_title=row.posting_title,
        accepted_at=row.accepted_at,
        state=ReceiptState.WITHDRAWN if row.withdrawn_at else _SHOWN.get(entry.state, ReceiptState.RECEIVED),
        delivered_at=delivered_at,
    )
