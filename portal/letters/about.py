"""Which letters one delivery caused and where they are; neither to whom nor what they say."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.db import Database
from portal.letters.queue import KIND
from portal.letters.tables import letters
from portal.outbox.states import State
from portal.outbox.tables import outbox


@dataclass(frozen=True, slots=True)
class Letter:
    """One letter. state: None once it is settled and its row gone. outcome: class name of the last failure.

    due_at: before then no worker takes it; None with state.
    """

    template: str
    queued_at: datetime
    settled_at: datetime | None
    state: State | None
    outcome: str | None
    due_at: datetime | None


def about(db: Database, reference: str) -> list[Letter]:
    """The oldest first; those of a purged delivery are forgotten."""
    c, o = letters.c, outbox.c
    query = (
        sa.select(c.template, c.created_at, c.settled_at, o.state, o.outcome, o.due_at)
        .outerjoin(outbox, sa.and_(o.kind == KIND, o.subject == c.id))
        .where(c.about == reference)
        .order_by(c.created_at, c.id)
    )
    with db.read() as connection:
        return [
            Letter(*row[:3], state=State(row.state) if row.state else None, outcome=row.outcome, due_at=row.due_at)
            for row in connection.execute(query)
        ]
