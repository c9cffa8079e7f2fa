"""The outcome table of the delivery promise, row by row."""

from datetime import timedelta

import pytest

from portal.adapters.tracker_client import errors as tracker_errors
from portal.background.outbox.retry_policy import Attempts, Policy, decide
from portal.background.outbox.states import OutboxState
from tests.told_clock import NOON

POLICY = Policy(retry_base=30, lease=180, ambiguous_delay=900, give_up=604_800)
FIRST = Attempts(since=NOON, made=1, refusals=0)


def failed(kind: type[tracker_errors.TrackerError]) -> tracker_errors.TrackerError:
    return kind("said so", operation="4.8")


@pytest.mark.parametrize("kind", [tracker_errors.NotSent, tracker_errors.TemporarilyUnavailable])
def test_an_unsent_application_is_retried_after_the_base_pause(kind: type[tracker_errors.TrackerError]):
    verdict = decide(failed(kind), FIRST, POLICY, NOON)
    assert verdict.state is OutboxState.RETRY
    assert timedelta(seconds=30) <= verdict.due_at - NOON <= timedelta(seconds=36)


def test_pauses_grow_and_then_stay_at_six_hours():
    pauses = [
        (decide(failed(tracker_errors.NotSent), Attempts(NOON, n, 0), POLICY, NOON).due_at - NOON).total_seconds()
        for n in range(1, 10)
    ]
    floors = [30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600, 21_600]
    assert all(floor <= pause <= floor * 1.2 for floor, pause in zip(floors, pauses, strict=True))


def test_an_ambiguous_delivery_is_retried_after_the_ambiguous_delay():
    verdict = decide(failed(tracker_errors.MayHaveArrived), FIRST, POLICY, NOON)
    assert (verdict.state, verdict.due_at - NOON) == (OutboxState.AMBIGUOUS, timedelta(seconds=900))
    assert verdict.maybe_arrived


def test_retry_after_pauses_the_lane_without_using_an_attempt():
    error = tracker_errors.Throttled("later", operation="4.8", status=429, retry_after=77)
    verdict = decide(error, FIRST, POLICY, NOON)
    assert (verdict.state, verdict.lane_pause, verdict.attempt_counts) == (OutboxState.RETRY, 77, False)


def test_a_delivery_answered_with_html_is_retried_once_at_most():
    first = decide(failed(tracker_errors.NotTheService), FIRST, POLICY, NOON)
    second = decide(failed(tracker_errors.NotTheService), Attempts(NOON, 2, 1), POLICY, NOON)
    assert (first.state, second.state) == (OutboxState.AMBIGUOUS, OutboxState.DEAD)


def test_a_conflict_is_retried_within_minutes_and_finally_a_day_later():
    error, waits = tracker_errors.Conflicting("somebody changes it", operation="4.10", status=409), []
    for refusals in range(4):
        verdict = decide(error, Attempts(NOON, refusals + 1, refusals), POLICY, NOON)
        assert verdict.state is OutboxState.RETRY
        waits.append((verdict.due_at - NOON).total_seconds())
    assert all(60 <= wait <= 12 * 60 for wait in waits[:3])
    assert 0.9 * 86_400 < waits[3] < 1.2 * 86_400
    assert decide(error, Attempts(NOON, 5, 4), POLICY, NOON).state is OutboxState.DEAD


@pytest.mark.parametrize("kind", [tracker_errors.Redirected, tracker_errors.KeyRefused])
def test_a_misconfigured_service_keeps_the_application_and_opens_the_breaker(kind: type[tracker_errors.TrackerError]):
    verdict = decide(failed(kind), FIRST, POLICY, NOON)
    assert verdict.state is OutboxState.RETRY
    assert verdict.lane_misconfigured
    assert not verdict.attempt_counts


@pytest.mark.parametrize("kind", [tracker_errors.RecordNotFound, tracker_errors.Rejected])
def test_a_rejection_is_tried_three_times_and_then_failed(kind: type[tracker_errors.TrackerError]):
    states = [decide(failed(kind), Attempts(NOON, n + 1, n), POLICY, NOON).state for n in range(3)]
    assert states == [OutboxState.RETRY, OutboxState.RETRY, OutboxState.DEAD]


def test_retries_of_a_rejection_are_spread_over_a_day():
    first, second = (
        decide(failed(tracker_errors.Rejected), Attempts(NOON, n + 1, n), POLICY, NOON).due_at - NOON for n in range(2)
    )
    assert first + second >= timedelta(days=1)


def test_a_delivery_fails_after_the_deadline_and_not_before():
    old = Attempts(NOON - timedelta(seconds=604_800), 30, 0)
    young = Attempts(NOON - timedelta(seconds=604_799), 30, 0)
    assert decide(failed(tracker_errors.NotSent), old, POLICY, NOON).state is OutboxState.DEAD
    assert decide(failed(tracker_errors.NotSent), young, POLICY, NOON).state is OutboxState.RETRY
