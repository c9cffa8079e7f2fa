"""Pauses that a clock a year ahead has left are ended; pauses within the policy stay."""

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from portal.background.outbox.claim import correct_clock
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import lanes, outbox
from portal.platform.database.db import Database
from tests.told_clock import NOON

YEAR, DAY = NOON + timedelta(days=365), NOON + timedelta(days=1)
POLICY = Policy()


@pytest.mark.parametrize(("until", "ended"), [(YEAR, 2), (DAY, 0)])
def test_pauses_of_companies_and_deliveries_are_corrected(database: Database, until: datetime, ended: int):
    row = {"kind": "application", "subject": "a", "tenant": "acme", "lane": "service:acme", "state": OutboxState.RETRY}
    with database.write() as connection:
        connection.execute(outbox.insert().values(row | {"due_at": until, "created_at": NOON}))
        connection.execute(lanes.insert().values(lane="service:acme", failures=1, paused_until=until))
    assert correct_clock(database, POLICY, NOON) == ended
    assert correct_clock(database, POLICY, NOON) == 0
    with database.read() as connection:
        assert connection.scalar(sa.select(outbox.c.due_at)) == (NOON if ended else until)
        assert connection.scalar(sa.select(lanes.c.paused_until)) == (None if ended else until)


def test_rows_held_for_an_operator_are_unchanged(database: Database):
    row = {"kind": "application", "subject": "a", "tenant": "acme", "lane": "service:acme", "state": OutboxState.HELD}
    with database.write() as connection:
        connection.execute(outbox.insert().values(row | {"due_at": YEAR, "created_at": NOON}))
    assert correct_clock(database, POLICY, NOON) == 0
