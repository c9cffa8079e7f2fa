"""A limit shared by networks rejects the heaviest users first, and reserves a fifth for new networks."""

from collections.abc import Callable
from itertools import count

import pytest

from portal.platform.rate_limits import Limit, Throttle
from tests.told_clock import ToldClock

TENANT = Limit("shared", 1_000, 3_600)
_tenants = count()
Open = Callable[[], Throttle]


@pytest.fixture(params=["memory", "redis"])
def opened(request: pytest.FixtureRequest) -> Open:
    """Open throttles of one backend; those with a Redis share their counts."""
    address = "memory:" if request.param == "memory" else request.getfixturevalue("redis").url
    return lambda: Throttle(address, ToldClock())


@pytest.fixture
def tenant() -> str:
    """A tenant for one test, because tests share the Redis."""
    return f"tenant-{next(_tenants)}"


def hits(throttle: Throttle, tenant: str, address: str, many: int) -> int:
    """Return how many of these hits are allowed."""
    return sum(throttle.hit_shared_window(TENANT, address, tenant).allowed for _ in range(many))


def crowd(throttle: Throttle, tenant: str, many: int, *, most: int = 1_000, first: int = 0) -> None:
    """Hit the limit from separate networks in turn, each as often as allowed."""
    at_it = {f"2001:{number:x}::1" for number in range(first, first + many)}
    for _ in range(most):
        at_it = {address for address in at_it if throttle.hit_shared_window(TENANT, address, tenant).allowed}


def test_one_network_gets_a_third_of_a_shared_limit(opened: Open, tenant: str):
    throttle = opened()
    assert hits(throttle, tenant, "192.0.2.1", 270) == 267, "a third of the shared limit: 267 of 800"
    assert hits(throttle, tenant, "198.51.100.1", 100) == 100


def test_the_heaviest_network_is_rejected_while_a_light_one_is_accepted(opened: Open, tenant: str):
    throttle = opened()
    assert hits(throttle, tenant, "203.0.113.1", 5) == 5
    crowd(throttle, tenant, 50)
    assert not throttle.hit_shared_window(TENANT, "2001:3::1", tenant).allowed
    assert hits(throttle, tenant, "203.0.113.1", 1) == 1


def test_the_last_fifth_is_reserved_for_new_networks(opened: Open, tenant: str):
    throttle = opened()
    for number in range(800):
        assert throttle.hit_shared_window(TENANT, f"2001:{number:x}::1", tenant).allowed
    assert not throttle.hit_shared_window(TENANT, "2001:7::1", tenant).allowed
    newcomers = [
        throttle.hit_shared_window(TENANT, f"2001:{number:x}::1", tenant).allowed for number in range(800, 1_001)
    ]
    assert newcomers == [True] * 200 + [False]


def test_a_new_network_has_one_hit_of_the_reserve_and_its_neighbours_none(opened: Open, tenant: str):
    throttle = opened()
    for number in range(800):
        throttle.hit_shared_window(TENANT, f"2001:{number:x}::1", tenant)
    assert throttle.hit_shared_window(TENANT, "2400:1:2:3::1", tenant).allowed
    assert not throttle.hit_shared_window(TENANT, "2400:1:2:3::1", tenant).allowed
    assert not throttle.hit_shared_window(TENANT, "2400:1:2:4::1", tenant).allowed, "of the same /48"
    assert throttle.hit_shared_window(TENANT, "2400:1:3:3::1", tenant).allowed
    assert throttle.hit_shared_window(TENANT, "203.0.113.1", tenant).allowed
    assert not throttle.hit_shared_window(TENANT, "203.0.113.2", tenant).allowed, "of the same /24"
    assert throttle.hit_shared_window(TENANT, "203.0.114.1", tenant).allowed


@pytest.mark.parametrize(
    "address", ["2001:db8:1:{0:x}::1", "192.0.2.{0}", "::ffff:192.0.2.{0}"], ids=["IPv6", "IPv4", "IPv4 in IPv6"]
)
def test_many_addresses_of_one_provider_get_half_of_a_shared_limit(opened: Open, tenant: str, address: str):
    throttle = opened()
    allowed = [throttle.hit_shared_window(TENANT, address.format(n % 250), tenant).allowed for n in range(410)]
    assert allowed.count(True) == 400


def test_clients_without_an_address_count_as_one_network(opened: Open, tenant: str):
    throttle = opened()
    assert (
        sum(throttle.hit_shared_window(TENANT, address, tenant).allowed for address in [None, "nonsense"] * 150) == 267
    )


def test_a_hit_of_weight_zero_only_checks_the_limit(opened: Open, tenant: str):
    throttle = opened()
    assert all(throttle.hit_shared_window(TENANT, "192.0.2.1", tenant, amount=0).remaining == 1_000 for _ in range(10))
    assert throttle.hit_shared_window(TENANT, "192.0.2.1", tenant, amount=5_000).allowed, (
        "a hit that begins below the limit is allowed in full"
    )
    assert throttle.hit_shared_window(TENANT, "198.51.100.1", tenant, amount=0).allowed is False


def test_rejected_hits_do_not_count(opened: Open, tenant: str):
    throttle = opened()
    hits(throttle, tenant, "192.0.2.1", 270)
    assert throttle.hit_shared_window(TENANT, "198.51.100.1", tenant, amount=0).remaining == 1_000 - 267


def test_each_company_is_counted_separately(opened: Open, tenant: str):
    throttle = opened()
    hits(throttle, tenant, "192.0.2.1", 268)
    refused = throttle.hit_shared_window(TENANT, "192.0.2.1", tenant)
    assert (refused.allowed, refused.reset_after) == (False, 3_600)
    assert throttle.hit_shared_window(TENANT, "192.0.2.1", f"{tenant}-other").allowed


def test_the_same_network_is_accepted_an_hour_later():
    clock = ToldClock()
    throttle = Throttle("memory:", clock)
    hits(throttle, "acme", "192.0.2.1", 300)
    clock.pass_time(3_599)
    assert throttle.hit_shared_window(TENANT, "192.0.2.1", "acme").reset_after == 1
    clock.pass_time(1)
    assert throttle.hit_shared_window(TENANT, "192.0.2.1", "acme").allowed


def test_processes_with_one_redis_share_the_limit(redis, tenant: str):
    one, other = (Throttle(redis.url, ToldClock()) for _ in range(2))
    assert hits(one, tenant, "192.0.2.1", 200) + hits(other, tenant, "192.0.2.1", 200) == 267


@pytest.mark.parametrize("backend", ["memory", "redis"])
def test_the_number_of_remembered_networks_is_bounded(request: pytest.FixtureRequest, tenant: str, backend: str):
    """The holder of a /32 of IPv6 has 65,536 wide networks."""
    address = "memory:" if backend == "memory" else request.getfixturevalue("redis").url
    throttle, wide = Throttle(address, ToldClock(), max_entries=20), Limit("bytes", 10**9, 3_600)
    for number in range(100):
        assert throttle.hit_shared_window(wide, f"2001:db8:{number:x}::1", tenant).allowed
    assert throttle.shared_window_entries(wide, tenant) <= 20 + 4


def test_expired_windows_are_removed_from_memory():
    clock = ToldClock()
    throttle = Throttle("memory:", clock)
    for _ in range(300):
        crowd(throttle, "acme", 20, most=1)
        clock.pass_time(3_600)
    assert throttle.counters < 100
