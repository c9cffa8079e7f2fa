import pytest

from portal.platform.clock import SystemClock
from portal.platform.rate_limits import Throttle, network_of, wide_network_of
from portal.site.forms.rate_limits import PostLimit, check_file_limits, count_file, hit_post_limits
from tests.parts.process import free_port
from tests.parts.redis import RunningRedis
from tests.told_clock import ToldClock


def test_a_network_may_send_a_hundred_forms_a_minute() -> None:
    throttle = Throttle("memory:", SystemClock())
    assert [hit_post_limits(throttle, PostLimit.APPLICATION, "192.0.2.1") for _ in range(100)] == [None] * 100
    pause = hit_post_limits(throttle, PostLimit.APPLICATION, "192.0.2.1")
    assert pause is not None
    assert 1 <= pause <= 60
    assert hit_post_limits(throttle, PostLimit.APPLICATION, "192.0.2.2") is None


def test_processes_with_a_shared_redis_count_together(redis: RunningRedis) -> None:
    one, other = (Throttle(redis.url, SystemClock()) for _ in range(2))
    for _ in range(50):
        assert hit_post_limits(one, PostLimit.APPLICATION, "192.0.2.7") is None
        assert hit_post_limits(other, PostLimit.APPLICATION, "192.0.2.7") is None
    assert hit_post_limits(one, PostLimit.APPLICATION, "192.0.2.7")
    assert hit_post_limits(other, PostLimit.APPLICATION, "192.0.2.7")


def test_nobody_is_rejected_during_an_outage_of_redis() -> None:
    throttle = Throttle(f"redis://127.0.0.1:{free_port()}", SystemClock())
    assert hit_post_limits(throttle, PostLimit.APPLICATION, "192.0.2.1") is None


@pytest.mark.parametrize(
    ("address", "network", "wide"),
    [
        ("192.0.2.1", "192.0.2.1", "192.0.2.0/24"),
        ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/48"),
        (None, "unknown", "unknown"),
        ("nonsense", "unknown", "unknown"),
    ],
)
def test_a_network_is_an_address_or_a_household_and_a_wide_one_an_organisation(
    address: str | None, network: str, wide: str
) -> None:
    assert (network_of(address), wide_network_of(address)) == (network, wide)


def test_a_wide_network_may_send_four_times_as_much_however_it_is_divided() -> None:
    throttle = Throttle("memory:", ToldClock())
    sent = [hit_post_limits(throttle, PostLimit.APPLICATION, f"2001:db8:1:{number % 50:x}::1") for number in range(401)]
    assert sent[:400] == [None] * 400
    assert sent[400]
    assert hit_post_limits(throttle, PostLimit.APPLICATION, "2001:db8:2::1") is None


GB = 1_000_000_000


def store(throttle: Throttle, size: int, *, tenant: str = "acme", address: str = "192.0.2.1") -> int | None:
    pause = check_file_limits(throttle, tenant=tenant, remote_address=address)
    if pause is None:
        count_file(throttle, tenant=tenant, remote_address=address, size=size)
    return pause


def test_one_network_may_send_one_company_two_gigabytes_of_files_an_hour() -> None:
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


def test_all_networks_may_send_one_company_twenty_gigabytes_of_files_an_hour() -> None:
    throttle = Throttle("memory:", ToldClock())
    for network in range(8):
        assert store(throttle, 2 * GB, address=f"192.0.{network}.1") is None
    assert store(throttle, 1, address="192.0.7.2"), "the rest is for networks that sent nothing yet"
    assert store(throttle, 2 * GB, address="198.51.100.1") is None
    assert store(throttle, 2 * GB - 1, address="198.51.101.1") is None
    assert store(throttle, 1, address="198.51.102.1") is None
    assert store(throttle, 1, address="198.51.103.1") == 3_600
    assert store(throttle, 1, address="198.51.103.1", tenant="globex") is None


def test_one_wide_network_may_send_eight_gigabytes_of_files_an_hour() -> None:
    throttle = Throttle("memory:", ToldClock())
    for network in range(3):
        assert store(throttle, 2 * GB, address=f"2001:db8:1:{network:x}::1") is None
    assert store(throttle, 2 * GB - 1, address="2001:db8:1:9::1") is None
    assert store(throttle, 1, address="2001:db8:1:a::1") is None
    assert store(throttle, 1, address="2001:db8:1:b::1") == 3_600
    assert store(throttle, 1, address="2001:db8:2::1") is None


def test_rejected_files_of_one_network_do_not_count_for_others() -> None:
    throttle = Throttle("memory:", ToldClock())
    for _ in range(20):
        store(throttle, 2 * GB)
    assert store(throttle, 1, address="192.0.2.2") is None


def test_files_are_counted_in_a_shared_redis_too(redis: RunningRedis) -> None:
    one, other = (Throttle(redis.url, ToldClock()) for _ in range(2))
    assert store(one, 2 * GB - 1, address="192.0.2.9") is None
    assert store(other, 1, address="192.0.2.9") is None
    assert store(one, 1, address="192.0.2.9")
