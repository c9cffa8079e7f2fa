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


def test_one_network_gets_a_third_of_the_common_room_and_the_others_go_on(opened: Open, tenant: str):
    throttle = opened()
    assert hits(throttle, tenant, "192.0.2.1", 270) == 267, "as many as it leaves twice over: 267 of 800"
    assert hits(throttle, tenant, "198.51.100.1", 100) == 100


def test_the_heaviest_network_is_refused_while_a_light_one_is_let_in(opened: Open, tenant: str):
    throttle = opened()
    assert hits(throttle, tenant, "203.0.113.1", 5) == 5
    crowd(throttle, tenant, 50)
    assert not throttle.hit_shared_window(TENANT, "2001:3::1", tenant).allowed
    assert hits(throttle, tenant, "203.0.113.1", 1) == 1


def test_the_last_fifth_is_for_networks_that_were_not_seen(opened: Open, tenant: str):
    throttle = opened()
    for number in range(800):
        assert throttle.hit_shared_window(TENANT, f"2001:{number:x}::1", tenant).allowed
    assert not throttle.hit_shared_window(TENANT, "2001:7::1", tenant).allowed
    newcomers = [
        throttle.hit_shared_window(TENANT, f"2001:{number:x}::1", tenant).allowed for number in range(800, 1_001)
    ]
    assert newcomers == [True] * 200 + [False]


def test_a_newcomer_has_one_hit_of_the_last_fifth_and_its_neighbours_none(opened: Open, tenant: str):
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
def test_many_addresses_of_one_party_get_half_of_the_common_room(opened: Open, tenant: str, address: str):
    throttle = opened()
    allowed = [throttle.hit_shared_window(TENANT, address.format(n % 250), tenant).allowed for n in range(410)]
    assert allowed.count(True) == 400


def test_who_has_no_address_counts_as_one(opened: Open, tenant: str):
    throttle = opened()
    assert (
        sum(throttle.hit_shared_window(TENANT, address, tenant).allowed for address in [None, "nonsense"] * 150) == 267
    )


def test_a_hit_of_no_weight_only_asks(opened: Open, tenant: str):
    throttle = opened()
    assert all(throttle.hit_shared_window(TENANT, "192.0.2.1", tenant, amount=0).remaining == 1_000 for _ in range(10))
    assert throttle.hit_shared_window(TENANT, "192.0.2.1", tenant, amount=5_000).allowed, (
        "what begins below it is allowed whole"
    )
    assert throttle.hit_shared_window(TENANT, "198.51.100.1", tenant, amount=0).allowed is False


def test_what_is_refused_counts_for_nobody(opened: Open, tenant: str):
    throttle = opened()
    hits(throttle, tenant, "192.0.2.1", 270)
    assert throttle.hit_shared_window(TENANT, "198.51.100.1", tenant, amount=0).remaining == 1_000 - 267


def test_another_company_is_counted_apart(opened: Open, tenant: str):
    throttle = opened()
    hits(throttle, tenant, "192.0.2.1", 268)
    refused = throttle.hit_shared_window(TENANT, "192.0.2.1", tenant)
    assert (refused.allowed, refused.reset_after) == (False, 3_600)
    assert throttle.hit_shared_window(TENANT, "192.0.2.1", f"{tenant}-other").allowed


def test_an_hour_later_the_same_network_is_let_in():
    clock = ToldClock()
    throttle = Throttle("memory:", clock)
    hits(throttle, "acme", "192.0.2.1", 300)
    clock.pass_time(3_599)
    assert throttle.hit_shared_window(TENANT, "192.0.2.1", "acme").reset_after == 1
    clock.pass_time(1)
    assert throttle.hit_shared_window(TENANT, "192.0.2.1", "acme").allowed


def test_processes_that_share_a_redis_share_the_room(redis, tenant: str):
    one, other = (Throttle(redis.url, ToldClock()) for _ in range(2))
    assert hits(one, tenant, "192.0.2.1", 200) + hits(other, tenant, "192.0.2.1", 200) == 267


@pytest.mark.parametrize("backend", ["memory", "redis"])
def test_so_many_networks_are_remembered_and_no_more(request: pytest.FixtureRequest, tenant: str, backend: str):
    """The holder of a /32 of IPv6 has 65,536 wide networks."""
    address = "memory:" if backend == "memory" else request.getfixturevalue("redis").url
    throttle, wide = Throttle(address, ToldClock(), max_entries=20), Limit("bytes", 10**9, 3_600)
    for number in range(100):
        assert throttle.hit_shared_window(wide, f"2001:db8:{number:x}::1", tenant).allowed
    assert throttle.shared_window_entries(wide, tenant) <= 20 + 4


def test_windows_that_have_ended_do_not_fill_the_memory():
    clock = ToldClock()
    throttle = Throttle("memory:", clock)
    for _ in range(300):
        crowd(throttle, "acme", 20, most=1)
        clock.pass_time(3_600)
    assert throttle.counters < 100
