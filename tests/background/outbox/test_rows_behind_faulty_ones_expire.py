"""Rows at the head of the queue that cannot be expired do not keep later rows from expiring."""

from collections.abc import Sequence

import sqlalchemy as sa

from portal.background.outbox import queue, worker
from portal.background.outbox.claim import Claim
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import OutboxState, Result
from portal.background.outbox.tables import outbox
from portal.platform.database.db import Database
from tests.told_clock import ToldClock

POLICY = Policy(give_up=60)


class Faulty:
    """A handler that fails for every subject but one."""

    def deliver(self, claimed: Claim) -> Result:
        raise AssertionError(claimed)

    def settled(self, _: sa.Connection, subjects: Sequence[str], _state: OutboxState, _outcome: str | None) -> None:
        if subjects != ["fine"]:
            raise ValueError(subjects)


def test_a_row_behind_250_faulty_ones_expires(database: Database):
    clock = ToldClock()
    with database.write() as connection:
        for subject in [*map(str, range(250)), "fine"]:
            queue.enqueue(connection, kind="k", subject=subject, tenant="acme", lane="service:acme", now=clock.now())
        connection.execute(outbox.update().values(outcome="TemporarilyUnavailable"))
    clock.pass_time(61)
    assert worker.give_up_overdue(database, {"k": Faulty()}, POLICY, clock) == 1
    with database.read() as connection:
        (dead,) = connection.scalars(sa.select(outbox.c.subject).where(outbox.c.state == OutboxState.DEAD))
    assert dead == "fine"
