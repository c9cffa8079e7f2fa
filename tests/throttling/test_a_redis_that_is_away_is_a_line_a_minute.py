"""Whatever is wrong with the Redis of rate limits, nobody is stopped, limits hold, and the log is short."""

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil
import pytest
import redis as client

from portal.logs import Happened
from portal.logs.events import Event
from portal.throttling import Limit, Throttle
from tests.parts.process import free_port
from tests.parts.redis import RunningRedis, running_redis
from tests.told_clock import ToldClock

MANY = Limit("many", 100, 60)


@pytest.fixture
def own() -> Iterator[RunningRedis]:
    """A server that nobody else counts in."""
    with running_redis() as server:
        yield server


def lines(caplog: pytest.LogCaptureFixture) -> list[Happened]:
    assert all(isinstance(record.msg, Event) for record in caplog.records), caplog.text
    return [record.msg.happened for record in caplog.records]


def told(server: RunningRedis, *commands: str) -> None:
    with client.Redis.from_url(server.url) as one, one.client() as connection:
        for command in commands:
            connection.execute_command(*command.split())


def full(server: RunningRedis) -> None:
    told(server, "CONFIG SET maxmemory 1")


def only_reads(server: RunningRedis) -> None:
    told(server, f"REPLICAOF 127.0.0.1 {free_port()}")


def wants_another_password(server: RunningRedis) -> None:
    told(server, "CONFIG SET requirepass another", "CLIENT KILL TYPE normal SKIPME yes")


def killed(server: RunningRedis) -> None:
    psutil.Process(server.pid).send_signal(signal.SIGKILL)


def stopped(server: RunningRedis) -> None:
    psutil.Process(server.pid).send_signal(signal.SIGSTOP)


@pytest.mark.parametrize(
    "trouble", [full, only_reads, wants_another_password, killed, stopped], ids=lambda one: one.__name__
)
def test_limits_hold_and_one_line_says_why(
    own: RunningRedis, caplog: pytest.LogCaptureFixture, trouble: Callable[[RunningRedis], None]
):
    clock = ToldClock()
    throttle = Throttle(own.url, clock)
    assert throttle.spend(MANY, "a").left == 99
    trouble(own)
    with caplog.at_level(logging.INFO):
        for _ in range(50):
            assert throttle.spend(MANY, "a").allowed
            assert throttle.pause([(MANY, ("b",))]) is None
            clock.pass_time(0.1)
        assert lines(caplog) == [Happened.AWAY]
        assert "counts for itself" in caplog.text
        assert [throttle.spend(MANY, "a").allowed for _ in range(60)].count(True) == 50  # it counts on


def test_one_that_comes_and_goes_every_second_is_told_of_once_a_minute(caplog: pytest.LogCaptureFixture):
    port, clock = free_port(), ToldClock()
    throttle = Throttle(f"redis://127.0.0.1:{port}/0", clock)
    with caplog.at_level(logging.INFO), running_redis(port=port) as server:
        process = psutil.Process(server.pid)
        for second in range(130):
            with gone(process) if second % 20 == 0 else there():
                throttle.spend(MANY, "a")
            clock.pass_time(1)
    found = lines(caplog)
    assert found.count(Happened.AWAY) == 3  # in its first second, and in the first of each minute after
    assert found.count(Happened.RECOVERED) == 3


@contextmanager
def gone(process: psutil.Process) -> Iterator[None]:
    process.suspend()
    try:
        yield
    finally:
        process.resume()


@contextmanager
def there() -> Iterator[None]:
    yield


def test_while_it_is_away_a_hit_in_five_seconds_asks(own: RunningRedis, caplog: pytest.LogCaptureFixture):
    clock = ToldClock()
    throttle = Throttle(own.url, clock)
    with caplog.at_level(logging.INFO):
        with gone(psutil.Process(own.pid)):
            throttle.spend(MANY, "a")
        throttle.spend(MANY, "a")
        clock.pass_time(4.9)
        throttle.spend(MANY, "a")
        assert lines(caplog) == [Happened.AWAY]
        clock.pass_time(0.2)
        throttle.spend(MANY, "a")
        assert lines(caplog) == [Happened.AWAY, Happened.RECOVERED]
        assert "seconds=" in caplog.text
