"""Rows that are claimed and settled together have a fence each, and rows not begun are returned unchanged."""

import threading
from collections.abc import Sequence

import pytest

from portal.adapters.tracker_client import errors as tracker_errors
from portal.background.outbox import health, queue, worker
from portal.background.outbox.batching import WorkBatcher
from portal.background.outbox.claim import Claim, claim, hand_back
from portal.background.outbox.concurrency import AT_ONCE, BATCH, IN_FLIGHT, REFILL
from portal.background.outbox.retry_policy import Policy, Verdict, decide
from portal.background.outbox.settle import AttemptResult, settle
from portal.background.outbox.states import OutboxState, Result
from portal.platform import errors
from portal.platform.clock import SystemClock
from portal.platform.database.db import Database
from tests.told_clock import ToldClock

POLICY = Policy()
AWAY = tracker_errors.TemporarilyUnavailable("no", operation="4.8")
OF_ITS_OWN = tracker_errors.Rejected("this one", operation="4.8", status=400)


def put(db: Database, clock: ToldClock | SystemClock, *subjects: str, lane: str = "service:acme", order=None) -> None:
    with db.write() as connection:
        for subject in subjects:
            told = {"kind": "k", "subject": subject, "tenant": "acme", "lane": lane, "now": clock.now()}
            queue.enqueue(connection, **told, order_key=order)


def take(db: Database, clock: ToldClock, most: int = 100, **held: int) -> list[Claim]:
    holding = {f"service:{lane}": count for lane, count in held.items()}
    return claim(db, ["k"], POLICY, clock.now(), most=most, holding=holding)


def entry(db: Database, subject: str) -> queue.OutboxRow:
    with db.read() as connection:
        found = queue.find(connection, "k", subject)
    assert found is not None
    return found


def failed(claimed: Claim, clock: ToldClock, error: errors.PortalError) -> AttemptResult:
    return AttemptResult(claimed, decide(error, claimed.attempts, POLICY, clock.now()), type(error).__name__)


def delivered(claimed: Claim, clock: ToldClock) -> AttemptResult:
    return AttemptResult(claimed, Verdict(OutboxState.DELIVERED, clock.now()))


@pytest.mark.parametrize("held", [0, REFILL])
def test_a_worker_claims_a_limited_number_of_one_lane_and_continues_with_others(database: Database, held: int):
    clock = ToldClock()
    put(database, clock, *(f"s{n}" for n in range(IN_FLIGHT)))
    assert len(take(database, clock, acme=held)) == BATCH - held
    put(database, clock, "other", lane="service:other")
    assert [one.subject for one in take(database, clock, acme=REFILL + 1)] == ["other"]


def test_all_workers_together_claim_a_limited_number_of_one_lane(database: Database):
    clock = ToldClock()
    put(database, clock, *(f"s{n}" for n in range(IN_FLIGHT + BATCH)))
    taken = [len(take(database, clock, most=BATCH)) for _ in range(IN_FLIGHT // BATCH + 2)]
    assert sum(taken) == IN_FLIGHT
    assert taken[-1] == 0


def test_rows_keep_their_order_within_a_batch(database: Database):
    clock = ToldClock()
    put(database, clock, "first", "second", order="her")
    put(database, clock, "his")
    first, his = take(database, clock)
    assert (first.subject, his.subject) == ("first", "his")
    assert take(database, clock) == []
    settle(database, [delivered(first, clock)], POLICY, clock.now())
    assert [one.subject for one in take(database, clock)] == ["second"]


def test_new_rows_come_before_failed_ones(database: Database):
    clock = ToldClock()
    put(database, clock, "failed")
    (one,) = take(database, clock)
    settle(database, [failed(one, clock, OF_ITS_OWN)], POLICY, clock.now())
    clock.pass_time(86_400)
    put(database, clock, "new", "newer")
    assert [one.subject for one in take(database, clock)] == ["new", "newer", "failed"]


def test_a_row_taken_over_by_another_worker_does_not_affect_the_rest(database: Database):
    clock = ToldClock()
    put(database, clock, "lost", "ours")
    lost, ours = take(database, clock)
    with database.write() as connection:
        assert queue.discard_even_if_sending(connection, "k", "lost", clock.now())
    recorded = settle(database, [delivered(lost, clock), delivered(ours, clock)], POLICY, clock.now()).ours
    assert recorded == [delivered(ours, clock)]
    assert (entry(database, "lost").state, entry(database, "ours").state) == (
        OutboxState.DISCARDED,
        OutboxState.DELIVERED,
    )


def test_rows_not_begun_are_returned_unchanged(database: Database):
    clock = ToldClock()
    put(database, clock, "fresh", "may-be-there")
    take(database, clock)
    clock.pass_time(POLICY.lease)
    hand_back(
        database, take(database, clock)
    )  # rows of a vanished worker are ambiguous: from here on both may have arrived
    put(database, clock, "new")
    before = [entry(database, one) for one in ("fresh", "may-be-there", "new")]
    claims = take(database, clock)
    assert len(claims) == 3
    hand_back(database, claims)
    assert [entry(database, one) for one in ("fresh", "may-be-there", "new")] == before
    assert not settle(
        database, [delivered(claims[0], clock)], POLICY, clock.now()
    ).ours  # its fence belongs to another worker
    assert len(take(database, clock)) == 3


def test_failures_of_one_outage_count_once_and_a_probe_follows_after_seconds(database: Database):
    clock = ToldClock()
    put(database, clock, *(f"s{n}" for n in range(16)))
    first, *others = take(database, clock)
    settle(database, [failed(first, clock, AWAY)], POLICY, clock.now())
    clock.pass_time(1)
    settle(database, [failed(one, clock, AWAY) for one in others], POLICY, clock.now())
    assert health.pauses_left(database, clock.now()) == {"service:acme": POLICY.first_probe - 1}
    assert health.open_breakers(database) == {}
    clock.pass_time(POLICY.first_probe - 1)
    assert len(take(database, clock)) == 1


def test_the_first_success_makes_all_rows_that_failed_in_the_outage_due(database: Database):
    clock = ToldClock()
    put(database, clock, *(f"s{n}" for n in range(16)))
    claims = take(database, clock)
    settle(database, [failed(one, clock, AWAY) for one in claims], POLICY, clock.now())
    clock.pass_time(POLICY.first_probe)
    (probe,) = take(database, clock)
    assert take(database, clock) == []  # each waits for its own next attempt, long after the short outage
    settle(database, [delivered(probe, clock)], POLICY, clock.now())
    assert len(take(database, clock)) == 15


def test_a_single_failing_row_among_successes_keeps_its_growing_pauses(database: Database):
    clock = ToldClock()
    put(database, clock, "alone")
    tries = 0
    for second in range(60):
        put(database, clock, f"fine{second}")
        for one in take(database, clock):
            tries += one.subject == "alone"
            ended = failed(one, clock, AWAY) if one.subject == "alone" else delivered(one, clock)
            settle(database, [ended], POLICY, clock.now())
        clock.pass_time(1)
    assert tries == 2  # immediately and after a possible short outage; then after 4 × the base


def test_pauses_are_about_as_long_as_the_outage_and_ten_minutes_at_most(database: Database):
    clock = ToldClock()
    put(database, clock, *(f"s{n}" for n in range(40)))
    began, pauses = clock.now(), []
    for _ in range(11):
        probe, *_rest = take(database, clock)
        hand_back(database, _rest)
        settle(database, [failed(probe, clock, AWAY)], POLICY, clock.now())
        pauses.append(health.pauses_left(database, clock.now())["service:acme"])
        clock.pass_time(pauses[-1])
        if sum(pauses) < 600:
            assert pauses[-1] <= max(5, (clock.now() - began).total_seconds())
    assert pauses == [5, 5, 10, 20, 40, 80, 160, 320, 600, 600, 600]
    assert set(health.open_breakers(database)) == {"service:acme"}


def test_an_unavailable_mail_server_pauses_emails_of_all_tenants_and_no_service(database: Database):
    clock = ToldClock()
    put(database, clock, *(f"a{n}" for n in range(5)), lane="mail:acme")
    claims = take(database, clock)
    put(database, clock, "g1", "g2", lane="mail:globex:code")
    put(database, clock, "old", lane="mail")  # written by an earlier release
    settle(database, [failed(one, clock, errors.MailUnavailable("away")) for one in claims], POLICY, clock.now())
    assert set(health.pauses_left(database, clock.now())) == {"mail"}
    put(database, clock, "s", lane="service:acme")
    assert [one.subject for one in take(database, clock)] == ["s"]
    clock.pass_time(POLICY.first_probe)
    (probe,) = take(database, clock)
    assert take(database, clock) == []
    settle(database, [delivered(probe, clock)], POLICY, clock.now())
    assert health.pauses_left(database, clock.now()) == {}
    assert len(take(database, clock)) == 7  # of any tenant, including failed ones


def test_a_deferred_email_does_not_count_as_an_outage_of_the_server(database: Database):
    clock = ToldClock()
    put(database, clock, *(f"a{n}" for n in range(40)), lane="mail:acme")
    while claims := take(database, clock):
        settle(database, [failed(one, clock, errors.MailDelayed("450")) for one in claims], POLICY, clock.now())
    assert health.open_breakers(database) == {}
    put(database, clock, "new", lane="mail:acme")
    assert [one.subject for one in take(database, clock)] == ["new"]


class Slow:
    """Blocks until it is released; counts how many calls block at once."""

    def __init__(self) -> None:
        self.gate, self.lock, self.at_once, self.most = threading.Event(), threading.Lock(), 0, 0

    def deliver(self, _: Claim) -> Result:
        with self.lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
        self.gate.wait(60)
        with self.lock:
            self.at_once -= 1
        return Result.DELIVERED

    def settled(self, _connection: object, _subjects: Sequence[str], _state: OutboxState, _outcome: str | None) -> None:
        """Do nothing."""


def states(db: Database, count: int) -> list[OutboxState]:
    return [entry(db, f"s{n}").state for n in range(count)]


@pytest.mark.parametrize("begin_within", [60.0, 0.5])
def test_a_slow_lane_has_limited_concurrency_and_the_rest_is_returned(database: Database, begin_within: float):
    stop, clock, slow = threading.Event(), SystemClock(), Slow()
    policy, handlers = Policy(begin_within=begin_within), {"k": slow}
    put(database, clock, *(f"s{n}" for n in range(BATCH)))
    returned: list[str] = []

    def back(claims: Sequence[Claim]) -> None:
        hand_back(database, claims)
        returned.extend(one.subject for one in claims)

    crew = WorkBatcher(
        stop,
        policy,
        clock,
        claim=lambda most, holding, _: claim(database, ["k"], policy, clock.now(), most=most, holding=holding),
        hand_back=back,
        record=lambda ended: worker.record(database, ended, policy, clock, handlers),
    )
    threads = [threading.Thread(target=worker.run, args=(handlers, policy, clock, stop, crew)) for _ in range(BATCH)]
    for thread in threads:
        thread.start()
    _until(lambda: slow.at_once == AT_ONCE)
    if begin_within > 1:
        _until(lambda: states(database, BATCH).count(OutboxState.SENDING) == BATCH)
        stop.set()  # a worker that stops has no waiting rows
    _until(lambda: len(set(returned)) == BATCH - AT_ONCE)
    if begin_within > 1:
        assert states(database, BATCH).count(OutboxState.DUE) == BATCH - AT_ONCE
    slow.gate.set()
    if begin_within < 1:
        _until(lambda: states(database, BATCH).count(OutboxState.DELIVERED) == BATCH)
        stop.set()
    for thread in threads:
        thread.join()
    assert slow.most == AT_ONCE
    assert not any(entry(database, f"s{n}").maybe_arrived for n in range(BATCH))


def _until(true) -> None:
    limit = threading.Event()
    for _ in range(6_000):
        if true():
            return
        limit.wait(0.01)
    raise AssertionError("not within a minute")


def test_requests_hanging_since_before_the_outage_delay_no_probe(database: Database):
    clock = ToldClock()
    put(database, clock, "first", "hangs1", "hangs2", "hangs3", "new", "newer")
    first, *_hang = take(database, clock, most=4)
    settle(database, [failed(first, clock, AWAY)], POLICY, clock.now())
    clock.pass_time(POLICY.first_probe - 1)
    assert take(database, clock) == []
    clock.pass_time(1)
    (probe,) = take(database, clock)
    assert probe.is_probe
    assert take(database, clock) == []  # one at a time, as always
    settle(database, [failed(probe, clock, AWAY)], POLICY, clock.now())
    clock.pass_time(POLICY.first_probe)
    assert len(take(database, clock)) == 1


def test_hanging_emails_delay_no_probe_of_the_mail_server(database: Database):
    clock = ToldClock()
    put(database, clock, "first", "hangs", lane="mail:acme")
    first, _hangs = take(database, clock)
    settle(database, [failed(first, clock, errors.MailUnavailable("away"))], POLICY, clock.now())
    put(database, clock, "g1", "g2", lane="mail:globex")
    clock.pass_time(POLICY.first_probe)
    (probe,) = take(database, clock)
    assert probe.is_probe
    assert take(database, clock) == []


class Hanging(Slow):
    """Calls for a hanging lane wait for the gate; the others succeed."""

    def deliver(self, claimed: Claim) -> Result:
        return super().deliver(claimed) if "hangs" in claimed.lane else Result.DELIVERED


def test_hanging_services_leave_threads_for_others(database: Database):
    clock, stop, hanging, threads = SystemClock(), threading.Event(), Hanging(), 16
    handlers = {"k": hanging}
    for lane in range(4):
        put(database, clock, *(f"h{lane}-{n}" for n in range(6)), lane=f"hangs:{lane}")
    crew = worker.batcher_of(database, handlers, POLICY, clock, stop, threads=threads)
    working = [threading.Thread(target=worker.run, args=(handlers, POLICY, clock, stop, crew)) for _ in range(threads)]
    for thread in working:
        thread.start()
    _until(lambda: hanging.at_once == 13)  # three lanes at their limit, and one row of the fourth
    put(database, clock, "other", lane="service:globex")
    _until(lambda: entry(database, "other").state is OutboxState.DELIVERED)
    assert hanging.at_once == 13
    stop.set()
    hanging.gate.set()
    for thread in working:
        thread.join()
