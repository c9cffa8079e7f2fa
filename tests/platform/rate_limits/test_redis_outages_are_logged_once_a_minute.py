"""During an outage of the Redis of rate limits, requests continue, limits hold, and the log stays short."""

import itertools
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psutil
import pytest
import redis as client

from portal.platform.clock import SystemClock
from portal.platform.logs import EventName
from portal.platform.logs.events import Event
from portal.platform.rate_limits import Limit, Throttle
from tests.parts.process import free_port, pause
from tests.parts.redis import RunningRedis, running_redis
from tests.told_clock import ToldClock

pytestmark = pytest.mark.verify

MANY = Limit("many", 100, 60)


@pytest.fixture
def own_redis() -> Iterator[RunningRedis]:
    """A Redis that only this test uses."""
    with running_redis() as server:
        yield server


def lines(caplog: pytest.LogCaptureFixture) -> list[EventName]:
    assert all(isinstance(record.msg, Event) for record in caplog.records), caplog.text
    return [record.msg.happened for record in caplog.records]


def run_commands(server: RunningRedis, *commands: str) -> None:
    with client.Redis.from_url(server.url) as one, one.client() as connection:
        for command in commands:
            connection.execute_command(*command.split())


def full(server: RunningRedis) -> None:
    run_commands(server, "CONFIG SET maxmemory 1")


def only_reads(server: RunningRedis) -> None:
    run_commands(server, f"REPLICAOF 127.0.0.1 {free_port()}")


def wants_another_password(server: RunningRedis) -> None:
    run_commands(server, "CONFIG SET requirepass another", "CLIENT KILL TYPE normal SKIPME yes")


def killed(server: RunningRedis) -> None:
    psutil.Process(server.pid).send_signal(signal.SIGKILL)


def stopped(server: RunningRedis) -> None:
    pause(server.pid)


@pytest.mark.parametrize(
    "trouble", [full, only_reads, wants_another_password, killed, stopped], ids=lambda one: one.__name__
)
def test_limits_hold_during_an_outage_and_one_line_names_the_cause(
    own_redis: RunningRedis, caplog: pytest.LogCaptureFixture, trouble: Callable[[RunningRedis], None]
):
    clock = ToldClock()
    throttle = Throttle(own_redis.url, clock)
    assert throttle.hit_fixed_window(MANY, "a").remaining == 99
    trouble(own_redis)
    with caplog.at_level(logging.INFO):
        for _ in range(50):
            assert throttle.hit_fixed_window(MANY, "a").allowed
            assert throttle.hit_sliding_window([(MANY, ("b",))]) is None
            clock.pass_time(0.1)
        assert lines(caplog) == [EventName.UNAVAILABLE]
        assert "counts for itself" in caplog.text
        assert [throttle.hit_fixed_window(MANY, "a").allowed for _ in range(60)].count(True) == 50  # it still counts


def test_repeated_outages_are_logged_once_a_minute_with_their_number(
    own_redis: RunningRedis, caplog: pytest.LogCaptureFixture
):
    clock, process = ToldClock(), psutil.Process(own_redis.pid)
    throttle, began = Throttle(own_redis.url, clock), clock.monotonic()
    said: list[tuple[int, Event]] = []
    with caplog.at_level(logging.INFO):
        for second in range(600):
            with gone(process) if second < 400 and second % 20 == 0 else no_outage():
                throttle.hit_fixed_window(MANY, "a")
            said += [(int(clock.monotonic() - began), record.msg) for record in caplog.records]
            caplog.clear()
            clock.pass_time(1)
    at = [second for second, _ in said]
    assert len(said) > 5
    assert all(later - earlier >= 60 for earlier, later in itertools.pairwise(at[1:])), at
    # A single outage is logged at its start and end, and the second line counts for its minute, too.
    assert [(second, one.happened) for second, one in said[:2]] == [
        (0, EventName.UNAVAILABLE),
        (5, EventName.RECOVERED),
    ]
    assert at[2] >= 120
    # Nothing is lost: the lines cover all twenty outages, and the last one reports the recovery.
    assert 1 + sum(int(one.fields.get("count", one.happened is EventName.UNAVAILABLE)) for _, one in said[2:]) == 20
    assert sum(float(one.fields.get("seconds", 0)) for _, one in said) == pytest.approx(20 * 5)
    assert said[-1][1].happened is EventName.RECOVERED


def test_after_a_slow_response_the_other_hits_of_a_request_are_counted_locally(own_redis: RunningRedis):
    throttle = Throttle(own_redis.url, SystemClock())
    throttle.hit_fixed_window(MANY, "a")
    assert throttle.counters == 0
    process = psutil.Process(own_redis.pid)
    process.suspend()
    threading.Timer(0.8, process.resume).start()
    throttle.hit_fixed_window(MANY, "a")  # slow, whether or not it was answered
    throttle.hit_fixed_window(MANY, "a")
    assert throttle.counters == 1


def test_late_responses_to_earlier_requests_do_not_end_the_pause(own_redis: RunningRedis):
    clock = ToldClock()
    throttle = Throttle(own_redis.url, clock)
    throttle.hit_fixed_window(MANY, "a")
    process = psutil.Process(own_redis.pid)
    with gone(process), ThreadPoolExecutor(2) as others:
        waits = others.submit(throttle.hit_fixed_window, MANY, "a")  # and it fails a second later
        time.sleep(0.6)
        late = others.submit(throttle.hit_fixed_window, MANY, "a")  # asked before that, answered after it
        waits.result(60)
        process.resume()
        late.result(60)
    assert throttle.counters == 1
    throttle.hit_fixed_window(MANY, "b")
    assert throttle.counters == 2


@contextmanager
def gone(process: psutil.Process) -> Iterator[None]:
    process.suspend()
    try:
        yield
    finally:
        process.resume()


@contextmanager
def no_outage() -> Iterator[None]:
    yield


def test_redis_is_tried_every_five_seconds_during_an_outage(own_redis: RunningRedis, caplog: pytest.LogCaptureFixture):
    clock = ToldClock()
    throttle = Throttle(own_redis.url, clock)
    with caplog.at_level(logging.INFO):
        with gone(psutil.Process(own_redis.pid)):
            throttle.hit_fixed_window(MANY, "a")
        throttle.hit_fixed_window(MANY, "a")
        clock.pass_time(4.9)
        throttle.hit_fixed_window(MANY, "a")
        assert lines(caplog) == [EventName.UNAVAILABLE]
        clock.pass_time(0.2)
        throttle.hit_fixed_window(MANY, "a")
        assert lines(caplog) == [EventName.UNAVAILABLE, EventName.RECOVERED]
        assert "seconds=" in caplog.text
