"""Rows that no secret key can decrypt are retried with growing pauses, and immediately when a worker starts."""

from datetime import datetime, timedelta

import pytest

from portal.background.outbox.claim import retry_unreadable
from portal.background.outbox.states import UNREADABLE, OutboxState
from portal.background.outbox.tables import outbox
from portal.platform.database.db import Database
from tests.told_clock import NOON

LATER = NOON + timedelta(hours=6)


def due(database: Database) -> datetime:
    with database.read() as connection:
        (row,) = connection.execute(outbox.select()).all()
    found: datetime = row.due_at
    return found


@pytest.mark.parametrize(
    ("state", "outcome", "expected"),
    [
        (OutboxState.RETRY, UNREADABLE, NOON),
        (OutboxState.RETRY, "ServiceUnavailable", LATER),
        (OutboxState.HELD, UNREADABLE, LATER),
        (OutboxState.DEAD, UNREADABLE, LATER),
    ],
)
def test_only_undecryptable_rows_are_retried_when_a_worker_starts(
    database: Database, state: OutboxState, outcome: str, expected: datetime
):
    row = {"kind": "letter", "subject": "a", "tenant": "acme", "lane": "mail:acme", "state": state, "outcome": outcome}
    with database.write() as connection:
        connection.execute(outbox.insert().values(row | {"due_at": LATER, "created_at": NOON}))
    assert retry_unreadable(database, NOON) == (expected == NOON)
    assert due(database) == expected
