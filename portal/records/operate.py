"""What an operator sees of changes, and can do: neither a person nor a candidate's id is shown."""

from typing import Any

import sqlalchemy as sa

from portal.applications import uploads
from portal.applications.operate import Overview
from portal.clock import Clock
from portal.db import Database
from portal.outbox import queue
from portal.outbox.states import CLAIMABLE, State
from portal.outbox.tables import outbox
from portal.records import history
from portal.records.change import KIND, forget, one_at_a_time
from portal.records.history import What
from portal.records.tables import record_changes

NAME = "record change"
"""What an operator reads for it, beside "application"."""


def overview(db: Database, *, state: State | None = None) -> list[Overview]:
    """Changes, oldest first, optionally of one state."""
    query = _query().order_by(record_changes.c.accepted_at, record_changes.c.reference)
    if state is not None:
        query = query.where(outbox.c.state == state)
    with db.read() as connection:
        return [_overview(row) for row in connection.execute(query)]


def one(db: Database, reference: str) -> Overview | None:
    """One change."""
    with db.read() as connection:
        row = connection.execute(_query().where(record_changes.c.reference == reference)).one_or_none()
    return _overview(row) if row else None


def retry(db: Database, reference: str, clock: Clock, *, scanned: bool) -> bool:
    """Make a dead or waiting one due now. scanned: False sends its CV past the scanner first.

    False also where a later change of the record was accepted: that one says what its owner wants by now.
    """
    with db.write() as connection:
        row = connection.execute(_query().where(record_changes.c.reference == reference)).one_or_none()
        if row is None or row.sealed_body is None:
            return False
        one_at_a_time(connection, row.candidate)
        if connection.execute(_later(row)).first():
            return False
        held = not scanned and uploads.of_reference(connection, reference) is not None
        return queue.retry(connection, KIND, reference, clock.now(), held=held)


def discard(db: Database, reference: str, clock: Clock) -> bool:
    """Give up what was not delivered: what it said goes, and its CV with the next housekeeping. False: too late."""
    with db.write() as connection:
        row = connection.execute(_query().where(record_changes.c.reference == reference)).one_or_none()
        if row is None or not queue.discard(connection, KIND, reference, clock.now()):
            return False
        forget(connection, reference)
        if row.state != State.DEAD:  # its owner, who looks, has not been told yet
            history.note(
                connection,
                tenant=row.tenant,
                candidate=row.candidate,
                address=row.address,
                what=What.REFUSED,
                now=clock.now(),
                reference=reference,
            )
    return True


def _query() -> sa.Select[Any]:
    c, o = record_changes.c, outbox.c
    facts = (c.reference, c.tenant, c.candidate, c.address, c.accepted_at, c.delivered_at, c.sealed_body)
    return sa.select(*facts, o.id, o.state, o.attempts, o.due_at, o.settled_at, o.outcome).join_from(
        record_changes, outbox, sa.and_(o.kind == KIND, o.subject == c.reference)
    )


def _later(row: sa.Row[Any]) -> sa.Select[Any]:
    c, o = record_changes.c, outbox.c
    same = sa.and_(c.tenant == row.tenant, c.candidate == row.candidate)
    return _query().where(same, o.id > row.id, o.state != State.DISCARDED).limit(1)


def _overview(row: sa.Row[Any]) -> Overview:
    erased = row.settled_at if row.sealed_body is None and row.state != State.DELIVERED else row.delivered_at
    return Overview(
        reference=row.reference,
        kind=NAME,
        tenant=row.tenant,
        posting_id=None,
        state=State(row.state),
        accepted_at=row.accepted_at,
        delivered_at=row.delivered_at,
        purged_at=erased,
        attempts=row.attempts,
        next_attempt_at=row.due_at if row.state in CLAIMABLE else None,
        last_failure=row.outcome,
        duplicate_of=None,
    )
