"""What an operator sees of submissions, and can do: nothing personal is shown."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.tables import submissions
from portal.clock import Clock
from portal.db import Database
from portal.outbox import queue
from portal.outbox.states import CLAIMABLE, State
from portal.outbox.tables import outbox


@dataclass(frozen=True, slots=True)
class Overview:
    """One submission, without its person. kind: what was sent; posting_id: None where it is about no posting."""

    reference: str
    kind: str
    tenant: str
    posting_id: str | None
    state: State
    accepted_at: datetime
    delivered_at: datetime | None
    purged_at: datetime | None
    attempts: int
    next_attempt_at: datetime | None
    last_failure: str | None
    duplicate_of: str | None
    """The submission of the same content that is sent in its place."""

    def as_json(self) -> dict[str, str | int | None]:
        """The same for machines; times in ISO 8601."""
        return {
            "reference": self.reference,
            "kind": self.kind,
            "tenant": self.tenant,
            "postingId": self.posting_id,
            "state": self.state.value,
            "acceptedAt": self.accepted_at.isoformat(),
            "deliveredAt": self.delivered_at.isoformat() if self.delivered_at else None,
            "purgedAt": self.purged_at.isoformat() if self.purged_at else None,
            "attempts": self.attempts,
            "nextAttemptAt": self.next_attempt_at.isoformat() if self.next_attempt_at else None,
            "lastFailure": self.last_failure,
            "duplicateOf": self.duplicate_of,
        }


def overview(db: Database, *, state: State | None = None) -> list[Overview]:
    """Submissions, oldest first, optionally of one state; a duplicate is where the first one is."""
    query = _query().order_by(submissions.c.accepted_at, submissions.c.reference)
    if state is not None:
        query = query.where(outbox.c.state == state)
    with db.read() as connection:
        return [_overview(row) for row in connection.execute(query)]


def one(db: Database, reference: str) -> Overview | None:
    """One submission."""
    with db.read() as connection:
        row = connection.execute(_query().where(submissions.c.reference == reference)).one_or_none()
    return _overview(row) if row else None


def retry(db: Database, reference: str, clock: Clock, *, scanned: bool) -> bool:
    """Make a dead or waiting one due now. scanned: False sends it past the scanner first."""
    with db.write() as connection:
        return queue.retry(connection, KIND, reference, clock.now(), held=not scanned)


def _query() -> sa.Select[Any]:
    s, o = submissions.c, outbox.c
    followed = sa.func.coalesce(s.duplicate_of, s.reference)
    facts = (s.reference, s.tenant, s.posting_id, s.accepted_at, s.delivered_at, s.purged_at, s.duplicate_of)
    return sa.select(*facts, o.state, o.attempts, o.due_at, o.settled_at, o.outcome).join_from(
        submissions, outbox, sa.and_(o.kind == KIND, o.subject == followed)
    )


def _overview(row: sa.Row[Any]) -> Overview:
    return Overview(
        reference=row.reference,
        kind=KIND,
        tenant=row.tenant,
        posting_id=row.posting_id,
        state=State(row.state),
        accepted_at=row.accepted_at,
        delivered_at=row.delivered_at,
        purged_at=row.purged_at,
        attempts=row.attempts,
        next_attempt_at=row.due_at if row.state in CLAIMABLE else None,
        last_failure=row.outcome,
        duplicate_of=row.duplicate_of,
    )
