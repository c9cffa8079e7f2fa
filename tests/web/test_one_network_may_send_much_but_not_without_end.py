import pytest

from portal.clock import SystemClock
from portal.throttling import Throttle, network_of
from portal.web.sending_limit import pause_of_files, pause_of_sending
from tests.parts.process import free_port
from tests.parts.redis import RunningRedis
from tests.told_clock import ToldClock


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


GB = 1_000_000_000


def store(throttle: Throttle, size: int, *, tenant: str = "acme", address: str = "192.0.2.1") -> int | None:
    return pause_of_files(throttle, tenant=tenant, remote_address=address, size=size)


def test_two_gigabytes_of_files_an_hour_from_one_network_to_one_company() -> None:
    clock = ToldClock()
    clock.pass_time(600)
    throttle = Throttle("memory:", clock)
    assert store(throttle, 2 * GB - 1) is None
    assert store(throttle, 1) is None
    assert store(throttle, 1) == 3_000
    assert store(throttle, 1, address="192.0.2.2") is None
    assert store(throttle, 1, tenant="globex") is None
    clock.pass_time(2_999)
    assert store(throttle, 1) == 1
    clock.pass_time(1)
    assert store(throttle, 1) is None


def test_twenty_gigabytes_of_files_an_hour_to_one_company_from_everywhere() -> None:
    throttle = Throttle("memory:", ToldClock())
    for network in range(10):
        assert store(throttle, 2 * GB - (network == 9), address=f"192.0.2.{network}") is None
    assert store(throttle, 1, address="192.0.2.100") is None
    assert store(throttle, 1, address="192.0.2.100") == 3_600
    assert store(throttle, 1, address="192.0.2.100", tenant="globex") is None


def test_what_one_network_may_not_store_any_more_counts_for_nobody_else() -> None:
    throttle = Throttle("memory:", ToldClock())
    for _ in range(20):
        store(throttle, 2 * GB)
    assert store(throttle, 1, address="192.0.2.2") is None


def test_files_are_counted_in_a_shared_redis_too(redis: RunningRedis) -> None:
    one, other = (Throttle(redis.url, ToldClock()) for _ in range(2))
    assert store(one, 2 * GB - 1, address="192.0.2.9") is None
    assert store(other, 1, address="192.0.2.9") is None
    assert store(one, 1, address="192.0.2.9")
