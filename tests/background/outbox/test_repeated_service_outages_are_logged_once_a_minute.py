"""A service with repeated outages is logged at most once a minute by each worker, and its recovery always."""

import itertools
import logging

from portal.adapters.tracker_client import errors as tracker_errors
from portal.background.outbox import queue
from portal.background.outbox.claim import Claim
from portal.background.outbox.health import counts
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import OutboxState, Result
from portal.background.outbox.worker import step
from portal.platform.database.db import Database
from portal.platform.logs import EventName
from portal.platform.logs.events import Event
from portal.platform.logs.outage_log import Outages
from tests.told_clock import ToldClock

POLICY = Policy()


class Service:
    """The service of one company. is_there: whether it accepts requests."""

    def __init__(self) -> None:
        self.is_there = True

    def deliver(self, _claimed: Claim) -> Result:
        if not self.is_there:
            raise tracker_errors.NotSent("away", operation="4.8")
        return Result.DELIVERED

    def settled(self, *_: object) -> None:
        """Do nothing."""


def enqueue(db: Database, clock: ToldClock, subject: str) -> None:
    with db.write() as connection:
        told = {"kind": "k", "subject": subject, "tenant": "acme", "lane": "service:acme", "now": clock.now()}
        queue.enqueue(connection, **told)


def outage_events(caplog) -> list[Event]:
    found = [one.msg for one in caplog.records if isinstance(one.msg, Event)]
    return [one for one in found if one.happened in {EventName.UNAVAILABLE, EventName.RECOVERED}]


def test_repeated_outages_are_logged_once_a_minute_without_loss(database: Database, caplog):
    clock, service = ToldClock(), Service()
    outages = Outages(clock)
    lines: list[tuple[float, Event]] = []
    began = clock.monotonic()
    with caplog.at_level(logging.INFO, "portal.events"):
        for second in range(0, 400, 5):
            service.is_there = second >= 200 or second % 20 >= 5  # unavailable for five of every twenty seconds
            enqueue(database, clock, f"s{second}")
            while step(database, {"k": service}, POLICY, clock, outages=outages):
                pass
            outages.catch_up()
            lines += [(clock.monotonic() - began, one) for one in outage_events(caplog)]
            caplog.clear()
            clock.pass_time(5)
    at = [when for when, _ in lines]
    assert [one.happened for _, one in lines[:2]] == [EventName.UNAVAILABLE, EventName.RECOVERED]
    assert {one.fields["tenant"] for _, one in lines} == {"acme"}
    assert at[2] >= 120
    assert all(later - earlier >= 60 for earlier, later in itertools.pairwise(at[1:])), at
    assert 1 + sum(int(one.fields.get("count", one.happened is EventName.UNAVAILABLE)) for _, one in lines[2:]) == 10
    assert lines[-1][1].happened is EventName.RECOVERED
    assert counts(database, "k")[OutboxState.DELIVERED] == 80


def test_a_recovery_is_logged_by_whichever_worker_notices_it(database: Database, caplog):
    clock, service = ToldClock(), Service()
    one, other = Outages(clock), Outages(clock)
    with caplog.at_level(logging.INFO, "portal.events"):
        service.is_there = False
        enqueue(database, clock, "s")
        assert step(database, {"k": service}, POLICY, clock, outages=one)
        clock.pass_time(10)
        service.is_there = True
        assert step(database, {"k": service}, POLICY, clock, outages=other)
    assert [(what.happened, what.fields["part"]) for what in outage_events(caplog)] == [
        (EventName.UNAVAILABLE, "service"), (EventName.RECOVERED, "service"),
    ]  # fmt: skip
