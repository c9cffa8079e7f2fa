"""The emails that one delivery caused and their status, without recipients or contents."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.background.mails.queue import KIND
from portal.background.mails.tables import letters
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.platform.database.db import Database


@dataclass(frozen=True, slots=True)
class Letter:
    """One email. state: None once it is settled and its outbox row removed. outcome: class name of the last failure.

    due_at: no worker sends it earlier; None if state is None.
    """

    template: str
    queued_at: datetime
    settled_at: datetime | None
    state: OutboxState | None
    outcome: str | None
    due_at: datetime | None


def about(db: Database, reference: str) -> list[Letter]:
    """Return the emails about a delivery, oldest first; those of a purged delivery are erased."""
    c, o = letters.c, outbox.c
    query = (
        sa.select(c.template, c.created_at, c.settled_at, o.state, o.outcome, o.due_at)
        .outerjoin(outbox, sa.and_(o.kind == KIND, o.subject == c.id))
        .where(c.about == reference)
        .order_by(c.created_at, c.id)
    )
    with db.read() as connection:
        return [
            Letter(
                *row[:3], state=OutboxState(row.state) if row.state else None, outcome=row.outcome, due_at=row.due_at
            )
            for row in connection.execute(query)
        ]
