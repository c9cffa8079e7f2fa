import pytest

from portal.clock import SystemClock
from portal.throttling import Throttle, network_of
from portal.web.sending_limit import pause_of_sending
from tests.parts.process import free_port
from tests.parts.redis import RunningRedis


def test_a_hundred_a_minute_and_then_a_pause() -> None:
    throttle = Throttle("memory:", SystemClock())
    assert [pause_of_sending(throttle, "192.0.2.1") for _ in range(100)] == [None] * 100
    pause = pause_of_sending(throttle, "192.0.2.1")
    assert pause is not None
    assert 1 <= pause <= 60
    assert pause_of_sending(throttle, "192.0.2.2") is None


def test_processes_that_share_a_redis_count_together(redis: RunningRedis) -> None:
    one, other = (Throttle(redis.url, SystemClock()) for _ in range(2))
    for _ in range(50):
        assert pause_of_sending(one, "192.0.2.7") is None
        assert pause_of_sending(other, "192.0.2.7") is None
    assert pause_of_sending(one, "192.0.2.7")
    assert pause_of_sending(other, "192.0.2.7")


def test_without_its_redis_nobody_is_turned_away() -> None:
    throttle = Throttle(f"redis://127.0.0.1:{free_port()}", SystemClock())
    assert pause_of_sending(throttle, "192.0.2.1") is None


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (None, "unknown"),
        ("nonsense", "unknown"),
    ],
)
def test_a_network_is_an_address_or_what_a_household_has_of_ipv6(address: str | None, network: str) -> None:
    assert network_of(address) == network
