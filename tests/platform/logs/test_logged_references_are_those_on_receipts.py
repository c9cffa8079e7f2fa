"""`reference` in a line is a receipt's reference, never an internal id of an email or code."""

import pytest

from portal.background.outbox import queue
from portal.background.outbox.claim import Claim
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import Result
from portal.background.outbox.worker import give_up_overdue, step
from portal.platform import errors
from portal.platform.database.db import Database
from tests.platform.logs.log_reader import LogReader
from tests.told_clock import ToldClock


class Refused:
    """A handler that rejects everything."""

    def deliver(self, _: Claim) -> Result:
        raise errors.MailUnavailable("away")

    def settled(self, *_: object) -> None:
        """Do nothing."""


@pytest.mark.parametrize(("lane", "reference"), [("mail:acme", None), ("service:acme", "R123")])
def test_failed_discarded_and_abandoned_deliveries_are_logged_by_reference(
    database: Database, log_reader: LogReader, lane: str, reference: str | None
):
    clock, policy, handlers = ToldClock(), Policy(), {"k": Refused()}
    with database.write() as connection:
        queue.enqueue(connection, kind="k", subject="R123", tenant="acme", lane=lane, now=clock.now())
    assert step(database, handlers, policy, clock)
    clock.pass_time(policy.give_up)
    assert give_up_overdue(database, handlers, policy, clock) == 1
    told = {line["event"]: line.get("reference") for line in log_reader.lines if line.get("kind") == "k"}
    assert told == {"postponed": reference, "gave_up": reference}
