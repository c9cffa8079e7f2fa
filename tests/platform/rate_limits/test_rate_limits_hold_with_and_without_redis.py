"""Hits are counted by named limits, in one process or in a Redis that several processes share."""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest

from portal.platform.clock import SystemClock
from portal.platform.rate_limits import Limit, Throttle
from tests.parts.process import free_port
from tests.parts.redis import RunningRedis, running_redis
from tests.told_clock import ToldClock

MINUTE, HOUR = Limit("send", 3, 60), Limit("send", 5, 3_600)
_names = count()


def someone() -> tuple[str, ...]:
    return (f"192.0.2.{next(_names)}",)


@contextmanager
def hanging() -> Iterator[str]:
    """A server that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


def test_hits_over_a_limit_are_rejected_with_the_seconds_to_wait():
    clock = ToldClock()
    throttle = Throttle("memory:", clock)
    for _ in range(3):
        assert throttle.hit_sliding_window([(MINUTE, ("a",))]) is None
        clock.pass_time(10)
    assert throttle.hit_sliding_window([(MINUTE, ("a",))]) == 30
    assert throttle.hit_sliding_window([(MINUTE, ("b",))]) is None
    clock.pass_time(31)
    assert throttle.hit_sliding_window([(MINUTE, ("a",))]) is None
    assert throttle.hit_sliding_window([(MINUTE, ("a",))]) == 9


def test_the_first_limit_that_is_reached_decides():
    clock = ToldClock()
    throttle = Throttle("memory:", clock)
    both = [(MINUTE, ("a",)), (HOUR, ("a",))]
    for _ in range(3):
        assert throttle.hit_sliding_window(both) is None
    assert throttle.hit_sliding_window(both) == 60
    clock.pass_time(61)
    for _ in range(2):
        assert throttle.hit_sliding_window(both) is None
    assert throttle.hit_sliding_window(both) == 3_539


def test_the_time_to_wait_is_between_a_second_and_an_hour():
    clock = ToldClock()
    throttle = Throttle("memory:", clock)
    day = Limit("day", 1, 86_400)
    throttle.hit_sliding_window([(day, ("a",))])
    assert throttle.hit_sliding_window([(day, ("a",))]) == 3_600
    clock.pass_time(86_399.9)
    assert throttle.hit_sliding_window([(day, ("a",))]) == 1


def test_a_weighted_hit_that_begins_below_the_limit_is_allowed_in_full():
    throttle = Throttle("memory:", ToldClock())
    assert throttle.hit_fixed_window(MINUTE, "a", amount=2).remaining == 1
    assert throttle.fixed_window_usage(MINUTE, "a") == 2
    assert throttle.hit_fixed_window(MINUTE, "a", amount=9).allowed
    assert throttle.hit_fixed_window(MINUTE, "a").allowed is False
    assert throttle.fixed_window_usage(MINUTE, "b") == 0


def test_a_shared_redis_counts_weighted_hits(redis: RunningRedis):
    one, other = (Throttle(redis.url, ToldClock()) for _ in range(2))
    who = someone()
    assert one.fixed_window_usage(MINUTE, *who) == 0
    assert one.hit_fixed_window(MINUTE, *who, amount=2).allowed
    assert other.fixed_window_usage(MINUTE, *who) == 2
    assert other.hit_fixed_window(MINUTE, *who).allowed
    assert not one.hit_fixed_window(MINUTE, *who).allowed


def test_an_exhausted_limit_reports_the_seconds_until_its_window_ends():
    clock = ToldClock()
    clock.pass_time(15)
    throttle = Throttle("memory:", clock)
    spent = [throttle.hit_fixed_window(MINUTE, "a") for _ in range(4)]
    assert [(one.allowed, one.remaining, one.reset_after) for one in spent] == [
        (True, 2, 45),
        (True, 1, 45),
        (True, 0, 45),
        (False, 0, 45),
    ]
    clock.pass_time(45)
    assert throttle.hit_fixed_window(MINUTE, "a").allowed


def test_ended_windows_are_removed():
    clock = ToldClock()
    throttle = Throttle("memory:", clock)
    for number in range(5_000):
        throttle.hit_sliding_window([(MINUTE, (str(number),))])
        throttle.hit_fixed_window(MINUTE, str(number))
    clock.pass_time(3_601)
    for number in range(10_000):
        throttle.hit_sliding_window([(MINUTE, (f"later-{number}",))])
    assert throttle.counters <= 10_000


def test_counting_hits_starts_no_thread():
    throttle = Throttle("memory:", SystemClock())
    before = threading.active_count()
    for _ in range(50):
        throttle.hit_sliding_window([(MINUTE, ("a",))])
        throttle.hit_fixed_window(MINUTE, "a")
    assert threading.active_count() == before


def test_processes_with_one_redis_count_together(redis: RunningRedis):
    one, other = (Throttle(redis.url, SystemClock()) for _ in range(2))
    who = someone()
    assert one.hit_sliding_window([(MINUTE, who)]) is None
    assert other.hit_sliding_window([(MINUTE, who)]) is None
    assert one.hit_sliding_window([(MINUTE, who)]) is None
    for throttle in (one, other):
        assert 1 <= (throttle.hit_sliding_window([(MINUTE, who)]) or 0) <= 60


def test_processes_with_one_redis_share_exhausted_limits(redis: RunningRedis):
    one, other = (Throttle(redis.url, ToldClock()) for _ in range(2))
    (who,) = someone()
    assert [throttle.hit_fixed_window(MINUTE, who).remaining for throttle in (one, other, one)] == [2, 1, 0]
    assert not other.hit_fixed_window(MINUTE, who).allowed


def test_without_redis_a_process_counts_locally_and_logs_it_once(caplog: pytest.LogCaptureFixture):
    throttle = Throttle(f"redis://user:hush@127.0.0.1:{free_port()}/0", ToldClock())
    with caplog.at_level(logging.INFO):
        assert [throttle.hit_sliding_window([(MINUTE, ("a",))]) for _ in range(4)] == [None, None, None, 60]
        assert [throttle.hit_fixed_window(MINUTE, "a").allowed for _ in range(4)] == [True, True, True, False]
    assert caplog.text.count("counts for itself") == 1
    assert "hush" not in caplog.text


def test_a_hanging_redis_delays_only_one_request():
    clock = ToldClock()
    with hanging() as address:
        throttle = Throttle(address, clock)
        started = SystemClock().monotonic()
        for _ in range(100):
            assert throttle.hit_fixed_window(Limit("many", 1_000, 60), "a").allowed
        took = SystemClock().monotonic() - started
    assert took < 30  # one second; a hundred delayed requests would take a hundred


def test_a_recovered_redis_is_used_again(caplog: pytest.LogCaptureFixture):
    port, clock = free_port(), ToldClock()
    here, there = (Throttle(f"redis://127.0.0.1:{port}/0", clock) for _ in range(2))
    assert here.hit_fixed_window(MINUTE, "a").remaining == 2
    with caplog.at_level(logging.INFO), running_redis(port=port):
        clock.pass_time(10)
        assert here.hit_fixed_window(MINUTE, "a").remaining == 2
        assert there.hit_fixed_window(MINUTE, "a").remaining == 1
        assert "recovered part=rate_limits" in caplog.text
