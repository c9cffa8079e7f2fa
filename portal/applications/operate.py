"""What an operator sees of submissions, and can do: nothing personal is shown."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.tables import submissions
from portal.clock import Clock
from portal.db import Database
from portal.outbox import queue
from portal.outbox.states import State


@dataclass(frozen=True, slots=True)
class Overview:
    """One submission, without its person."""

    reference: str
    tenant: str
    posting_id: str
    state: State
    accepted_at: datetime
    delivered_at: datetime | None
    purged_at: datetime | None
    attempts: int
    next_attempt_at: datetime | None
    last_failure: str | None

    def as_json(self) -> dict[str, str | int | None]:
        """The same for machines; times in ISO 8601."""
        return {
            "reference": self.reference,
            "tenant": self.tenant,
            "postingId": self.posting_id,
            "state": self.state.value,
            "acceptedAt": self.accepted_at.isoformat(),
            "deliveredAt": self.delivered_at.isoformat() if self.delivered_at else None,
            "purgedAt": self.purged_at.isoformat() if self.purged_at else None,
            "attempts": self.attempts,
            "nextAttemptAt": self.next_attempt_at.isoformat() if self.next_attempt_at else None,
            "lastFailure": self.last_failure,
        }


def overview(db: Database, *, state: State | None = None) -> list[Overview]:
    """Submissions, oldest first, optionally of one state."""
    with db.read() as connection:
        entries = queue.entries(connection, KIND, states=[state] if state else None)
        return _join(connection, entries)


def one(db: Database, reference: str) -> Overview | None:
    """One submission."""
    with db.read() as connection:
        entry = queue.find(connection, KIND, reference)
        found = _join(connection, [entry]) if entry else []
    return found[0] if found else None


def retry(db: Database, reference: str, clock: Clock) -> bool:
    """Make a dead or waiting one due now."""
    with db.write() as connection:
        return queue.retry(connection, KIND, reference, clock.now())


def _join(connection: sa.Connection, entries: list[queue.Entry]) -> list[Overview]:
    c = submissions.c
    query = sa.select(c.reference, c.posting_id, c.accepted_at, c.delivered_at, c.purged_at)
    if len(entries) == 1:
        query = query.where(c.reference == entries[0].subject)
    facts = {row.reference: row for row in connection.execute(query)}
    return [
        Overview(
            reference=entry.subject,
            tenant=entry.tenant,
            posting_id=facts[entry.subject].posting_id,
            state=entry.state,
            accepted_at=facts[entry.subject].accepted_at,
            delivered_at=facts[entry.subject].delivered_at,
            purged_at=facts[entry.subject].purged_at,
            attempts=entry.attempts,
            next_attempt_at=entry.due_at if entry.settled_at is None else None,
            last_failure=entry.outcome,
        )
        for entry in entries
    ]
