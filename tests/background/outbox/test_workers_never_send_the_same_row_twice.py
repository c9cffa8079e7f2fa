"""Claims, fences, leases and lanes, on both databases."""

import threading
from collections import Counter
from datetime import timedelta

import pytest

from portal.adapters.tracker_client import errors as tracker_errors
from portal.background.outbox import queue
from portal.background.outbox.claim import claim
from portal.background.outbox.concurrency import IN_FLIGHT
from portal.background.outbox.retry_policy import Policy, Verdict, decide
from portal.background.outbox.settle import AttemptResult, settle
from portal.background.outbox.states import OutboxState
from portal.platform import errors
from portal.platform.database.db import Database
from tests.told_clock import ToldClock

POLICY = Policy()


@pytest.fixture
def db(database: Database) -> Database:
    return database


def put(
    db: Database, clock: ToldClock, *subjects: str, lane: str = "service:acme", order_key: str | None = None
) -> None:
    with db.write() as connection:
        for subject in subjects:
            queue.enqueue(
                connection, kind="k", subject=subject, tenant="acme", lane=lane, now=clock.now(), order_key=order_key
            )


def take(db: Database, clock: ToldClock):
    return next(iter(claim(db, ["k"], POLICY, clock.now())), None)


def state(db: Database, subject: str) -> OutboxState:
    with db.read() as connection:
        return queue.find(connection, "k", subject).state


def fail(db: Database, clock: ToldClock, claimed, error: errors.PortalError) -> None:
    verdict = decide(error, claimed.attempts, POLICY, clock.now())
    assert settle(db, [AttemptResult(claimed, verdict, type(error).__name__)], POLICY, clock.now()).ours


def deliver(db: Database, clock: ToldClock, claimed) -> bool:
    return bool(
        settle(db, [AttemptResult(claimed, Verdict(OutboxState.DELIVERED, clock.now()))], POLICY, clock.now()).ours
    )


def test_eight_workers_claim_each_of_three_hundred_rows_once(db: Database):
    clock = ToldClock()
    put(db, clock, *(f"s{n}" for n in range(300)))
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def work() -> None:
        idle = 0
        while idle < 20:
            claimed = take(db, clock)
            if claimed is None:
                idle += 1
                continue
            with lock:
                seen[claimed.subject] += 1
            assert deliver(db, clock, claimed)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 300
    assert set(seen.values()) == {1}


def test_a_row_of_a_vanished_worker_is_ambiguous_and_its_late_outcome_is_ignored(db: Database):
    clock = ToldClock()
    put(db, clock, "one")
    first = take(db, clock)
    clock.pass_time(POLICY.lease)
    second = take(db, clock)
    assert (second.previous_state, second.maybe_arrived) == (OutboxState.AMBIGUOUS, True)
    assert second.resend_at == clock.now() + timedelta(seconds=POLICY.ambiguous_delay)
    assert not deliver(db, clock, first)
    assert deliver(db, clock, second)
    assert state(db, "one") is OutboxState.DELIVERED


def test_a_claimed_row_is_not_claimed_again_within_its_lease(db: Database):
    clock = ToldClock()
    put(db, clock, "one")
    assert take(db, clock)
    clock.pass_time(POLICY.lease - 1)
    assert take(db, clock) is None
    assert state(db, "one") is OutboxState.SENDING


def test_rows_of_one_person_are_sent_in_order(db: Database):
    clock = ToldClock()
    put(db, clock, "first", "second", order_key="her")
    claimed = take(db, clock)
    assert claimed.subject == "first"
    assert take(db, clock) is None
    fail(db, clock, claimed, tracker_errors.NotSent("no", operation="4.8"))
    assert take(db, clock) is None
    clock.pass_time(60)
    again = take(db, clock)
    assert again.subject == "first"
    deliver(db, clock, again)
    assert take(db, clock).subject == "second"


def test_a_slow_service_holds_few_rows_and_others_continue(db: Database):
    clock = ToldClock()
    put(db, clock, *(f"slow{n}" for n in range(IN_FLIGHT + 6)), lane="service:slow")
    put(db, clock, "quick", lane="service:quick")
    taken = [take(db, clock).subject for _ in range(IN_FLIGHT + 1)]
    assert taken[-1] == "quick"
    assert take(db, clock) is None


def test_a_service_with_retry_after_is_paused_for_that_time(db: Database):
    clock = ToldClock()
    put(db, clock, "one", "two")
    fail(db, clock, take(db, clock), tracker_errors.Throttled("wait", operation="4.8", status=429, retry_after=100))
    clock.pass_time(99)
    assert take(db, clock) is None
    clock.pass_time(1)
    claimed = take(db, clock)
    assert claimed.attempts.made == 1


def test_a_failing_lane_sends_one_probe_at_a_time_until_one_succeeds(db: Database):
    clock = ToldClock()
    put(db, clock, "one", "two", "three", "four")
    fail(db, clock, take(db, clock), tracker_errors.TemporarilyUnavailable("no", operation="4.8"))
    assert take(db, clock) is None
    clock.pass_time(POLICY.first_probe)
    probe = take(db, clock)
    assert probe
    assert take(db, clock) is None
    deliver(db, clock, probe)
    assert take(db, clock)
    assert take(db, clock)


def test_a_retry_by_an_operator_takes_the_row_from_its_hanging_worker(db: Database):
    clock = ToldClock()
    put(db, clock, "one")
    claimed = take(db, clock)
    with db.write() as connection:
        assert not queue.retry(connection, "k", "one", clock.now())
    fail(db, clock, claimed, tracker_errors.NotSent("no", operation="4.8"))
    with db.write() as connection:
        assert queue.retry(connection, "k", "one", clock.now())
    assert take(db, clock).attempts.made == 1
