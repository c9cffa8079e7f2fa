"""Workers send a heartbeat every ten seconds; rows of one without a heartbeat for thirty seconds are recovered."""

from datetime import timedelta

from portal.background.outbox import queue
from portal.background.outbox.claim import Claim, claim
from portal.background.outbox.concurrency import IN_FLIGHT
from portal.background.outbox.heartbeat import EVERY, GAP, GONE, Heartbeat
from portal.background.outbox.retry_policy import Attempts, Policy, decide
from portal.background.outbox.states import OutboxState
from portal.platform import errors
from portal.platform.database.db import Database
from tests.told_clock import ToldClock

POLICY = Policy()


def put(db: Database, clock: ToldClock, *subjects: str) -> None:
    with db.write() as connection:
        for subject in subjects:
            told = {"kind": "k", "subject": subject, "tenant": "acme", "lane": "service:acme", "now": clock.now()}
            queue.enqueue(connection, **told)


def take(db: Database, clock: ToldClock, worker: Heartbeat, most: int = 100) -> list[Claim]:
    return claim(db, ["k"], POLICY, clock.now(), most=most, worker=worker.id)


def pass_time(clock: ToldClock, seconds: float, *beating: Heartbeat) -> None:
    for _ in range(int(seconds / EVERY)):
        clock.pass_time(EVERY)
        for one in beating:
            one.beat()


def beating(db: Database, clock: ToldClock) -> Heartbeat:
    one = Heartbeat(db, clock)
    one.beat()
    return one


def test_rows_of_a_killed_worker_are_recovered_after_thirty_seconds(database: Database, caplog):
    clock = ToldClock()
    gone, other = beating(database, clock), beating(database, clock)
    put(database, clock, "one")
    assert len(take(database, clock, gone)) == 1
    pass_time(clock, 20, other)
    assert take(database, clock, other) == []
    pass_time(clock, 10, other)
    (again,) = take(database, clock, other)
    assert (again.previous_state, again.maybe_arrived) == (OutboxState.AMBIGUOUS, True)
    assert again.resend_at == clock.now() + timedelta(seconds=POLICY.ambiguous_delay)
    assert "recovered tenant=acme reference=one kind=k part=worker" in caplog.text


def test_rows_of_a_killed_worker_do_not_count_towards_the_limit_of_a_lane(database: Database):
    clock = ToldClock()
    gone, other = beating(database, clock), beating(database, clock)
    put(database, clock, *(f"s{n}" for n in range(IN_FLIGHT + 5)))
    while take(database, clock, gone):
        pass
    pass_time(clock, 30, other)
    assert take(database, clock, other, most=5)


def test_a_running_worker_keeps_its_rows(database: Database):
    clock = ToldClock()
    slow, other = beating(database, clock), beating(database, clock)
    put(database, clock, "one")
    take(database, clock, slow)
    pass_time(clock, POLICY.lease - 10, slow, other)
    assert take(database, clock, other) == []


def test_after_a_common_outage_no_worker_counts_as_missing(database: Database):
    clock = ToldClock()
    one, other = beating(database, clock), beating(database, clock)
    pass_time(clock, 60, one, other)
    put(database, clock, "one")
    take(database, clock, one)
    clock.pass_time(100)  # the database is unavailable for both
    other.beat()
    assert take(database, clock, other) == []
    one.beat()
    pass_time(clock, 30, one, other)
    assert take(database, clock, other) == []


def test_after_an_outage_no_worker_counts_as_missing_before_all_could_send_heartbeats(database: Database):
    clock = ToldClock()
    one, other = beating(database, clock), beating(database, clock)
    pass_time(clock, 60, one, other)
    clock.pass_time(75)  # after the outage, the worker that claims first has not sent a heartbeat yet
    put(database, clock, "one")
    assert len(take(database, clock, one)) == 1
    assert take(database, clock, other) == []
    assert take(database, clock, one) == []
    one.beat()
    assert take(database, clock, one) == []
    other.beat()
    assert take(database, clock, other) == []


def test_a_worker_does_not_count_itself_as_missing(database: Database):
    clock = ToldClock()
    one = beating(database, clock)
    pass_time(clock, 60, one)
    clock.pass_time(GAP.total_seconds())
    put(database, clock, "one")
    assert len(take(database, clock, one)) == 1
    clock.pass_time(GONE.total_seconds() - GAP.total_seconds())
    assert take(database, clock, one) == []


def test_heartbeats_of_another_worker_count_until_its_own_gap(database: Database):
    clock = ToldClock()
    gone, other = beating(database, clock), beating(database, clock)
    put(database, clock, "one", "two")
    take(database, clock, gone, most=1)
    pass_time(clock, 30, other)
    clock.pass_time(GAP.total_seconds() + 1)
    assert [one.previous_state for one in take(database, clock, other)] == [OutboxState.DUE]
    other.beat()
    pass_time(clock, 30, other)
    clock.pass_time(GAP.total_seconds())
    assert [one.previous_state for one in take(database, clock, other)] == [OutboxState.AMBIGUOUS]


def test_a_newly_started_worker_counts_nobody_as_missing(database: Database):
    clock = ToldClock()
    gone = beating(database, clock)
    put(database, clock, "one")
    take(database, clock, gone)
    clock.pass_time(100)
    fresh = beating(database, clock)
    assert take(database, clock, fresh) == []
    pass_time(clock, 30, fresh)
    assert len(take(database, clock, fresh)) == 1


def test_a_stopped_worker_is_removed(database: Database):
    clock = ToldClock()
    one, other = beating(database, clock), beating(database, clock)
    one.unregister()
    put(database, clock, "one")
    (claimed,) = take(database, clock, other)
    pass_time(clock, 60, other)
    assert claimed.previous_state is OutboxState.DUE
    assert take(database, clock, other) == []


def test_a_row_requested_too_early_waits_without_using_an_attempt():
    clock = ToldClock()
    until = clock.now() + timedelta(seconds=500)
    verdict = decide(errors.NotSentAgainYet(until), Attempts(clock.now(), 2, 0), POLICY, clock.now())
    assert (verdict.state, verdict.due_at, verdict.attempt_counts) == (OutboxState.AMBIGUOUS, until, False)
    assert not verdict.stops_lane
