"""Throttle: counts hits under named limits, in this process or in a Redis that several processes share.

During an outage of that Redis, each process counts by itself, so that requests continue and limits still apply. One hit
every few seconds checks whether Redis has recovered, so that a Redis that hangs delays only that request.

Limits count networks instead of single addresses, because one party has many addresses in IPv6.
"""

import ipaddress
import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from limits.errors import StorageError

from portal.platform.clock import Clock
from portal.platform.errors import LimitsUnavailable
from portal.platform.logs import Part, SecurityEvent, log_security_event
from portal.platform.logs.outage_log import Outage
from portal.platform.rate_limits.counters import REDIS_TIMEOUT, CounterStore, InMemory, InRedis

_T = TypeVar("_T")

_MAX_ENTRIES = 10_000
"""Most entries in the table of a limit that networks share; further networks count as one. Takes a megabyte."""
_REDIS_RETRY_SECONDS = 5.0
"""From a failure or a slow response until one hit tries Redis again."""
_SLOW_SECONDS = REDIS_TIMEOUT / 2
"""A response that takes longer than this is treated like an outage: hits are counted in this process for a while."""
_LONGEST_PAUSE = 3_600
_WIDE = 4
"""Factor by which the limit of a wide network is higher than that of a single network."""
_ALL, _OTHERS = "all", "others"
"""Entries of a table beside the networks: the total, and the sum of networks that find no space in the table."""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` hits in `seconds`. name: what is limited; limits that differ in any field count separately."""

    name: str
    most: int
    seconds: int

    def key(self, who: Iterable[str]) -> str:
        """Return the counter's name."""
        return "/".join((self.name, *who, str(self.most), str(self.seconds)))


@dataclass(frozen=True, slots=True)
class LimitResult:
    """Result of a hit in a fixed window."""

    allowed: bool
    remaining: int
    """Hits that are left of the limit in this window."""
    reset_after: int
    """Seconds until the window ends, at least 1."""


def per_network_limits(limit: Limit, remote_address: str | None, *who: str) -> Iterable[tuple[Limit, tuple[str, ...]]]:
    """Return the limits that one hit counts for: its network, and the wide network around it with four times as much.

    Without the second, the holder of a /48 of IPv6 could use the limit again in each of 65,536 networks.
    """
    yield limit, (*who, network_of(remote_address))
    yield replace(limit, most=limit.most * _WIDE), (*who, wide_network_of(remote_address))


class Throttle:
    """Rate limiter, thread-safe. address: `memory:` or `redis://…`, as in PORTAL_RATE_LIMITS and TRACKER_RATE_LIMITS.

    outage_log: logs the outages of that Redis; None: it has one of its own. max_entries: most entries in the table of a
    limit that networks share.
    """

    def __init__(
        self, address: str, clock: Clock, outage_log: Outage | None = None, *, max_entries: int = _MAX_ENTRIES
    ) -> None:
        self._clock = clock
        self._max_entries = max_entries
        self._own = InMemory(clock)
        self._shared = None if address == "memory:" else InRedis(address, clock)
        self._lock = threading.Lock()
        self._outage_log = outage_log or Outage(Part.RATE_LIMITS, clock)
        self._redis_retry_at: float | None = None
        """When one hit may try Redis again; None while Redis responds."""
        self._failed_at = float("-inf")

    def hit_sliding_window(self, counted: Iterable[tuple[Limit, tuple[str, ...]]]) -> int | None:
        """Count one hit for each limit and party. Return None if it may go on, else the seconds to wait, 1 to 3,600.

        Limits are moving windows: no interval of a limit's length holds more hits than it allows. The first limit that
        is reached decides; what was counted before it stays counted.
        """
        for limit, who in counted:
            wait = self._hit_window(limit, who)
            if wait is not None:
                log_security_event(SecurityEvent.LIMITED, limit=limit.name)
                return min(max(math.ceil(wait), 1), _LONGEST_PAUSE)
        return None

    def hit_fixed_window(self, limit: Limit, *who: str, amount: int = 1) -> LimitResult:
        """Count one hit in the current fixed window of `limit.seconds`; windows follow each other by the clock.

        It stores one number however large the limit is, and asks Redis once. amount: weight of the hit; 0: only check.
        A hit may exceed the limit if it starts below it, so that none is rejected while `remaining` is above 0.
        """
        key, seconds = self._window(limit, who)
        (count,) = self._counted(lambda store: store.add(key, (_ALL,), amount, limit.seconds))
        return LimitResult(count - amount < limit.most, max(limit.most - count, 0), seconds)

    def fixed_window_usage(self, limit: Limit, *who: str) -> int:
        """Return how much of the limit is used in its current window, without counting."""
        key, _ = self._window(limit, who)
        return self._counted(lambda store: store.amounts(key, (_ALL,)))[0][0]

    def hit_shared_window(
        self, limit: Limit, remote_address: str | None, *who: str, amount: int = 1, done: bool = False
    ) -> LimitResult:
        """Count one hit in the current fixed window of a limit that all networks share.

        A fifth is reserved for wide networks without a hit in this window, so that a few networks cannot exhaust the
        limit. A network may have used half as much as is left of the rest, and a wide network as much: the fuller the
        window, the less each may have, so that the heaviest users are rejected first (dynamic thresholds: Choudhury and
        Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). Rejected hits are not counted. amount: weight of the
        hit; 0: only check. done: it has already happened, and counts even if it would be rejected.
        """
        key, seconds = self._window(limit, who)
        # The prefixes keep the names of networks and of wide networks apart within one table.
        own, around = f"1/{network_of(remote_address)}", f"2/{wide_network_of(remote_address)}"

        def hit(store: CounterStore) -> tuple[bool, int]:
            (total, used, used_around, others), entries = store.amounts(key, (_ALL, own, around, _OTHERS))
            names = [_ALL, own, around]
            if entries >= self._max_entries:
                names = [_ALL, own if used else _OTHERS, around if used_around else _OTHERS]
                used, used_around = used or others, used_around or others
            wide_cap = limit.most * 4 // 5 - total  # what is left beside the reserved fifth
            narrow_cap = wide_cap / 2
            is_new = not used_around
            allowed = total < limit.most and (is_new or (used < narrow_cap and used_around < wide_cap))
            if amount and (allowed or done):
                store.add(key, sorted(set(names)), amount, limit.seconds)
                total += amount
            return allowed, max(limit.most - total, 0)

        allowed, left = self._counted(hit)
        return LimitResult(allowed, left, seconds)

    def shared_window_entries(self, limit: Limit, *who: str) -> int:
        """Return how many entries the current window of a limit that networks share has."""
        key, _ = self._window(limit, who)
        return self._counted(lambda store: store.amounts(key, (_ALL,))[1])

    def _window(self, limit: Limit, who: Iterable[str]) -> tuple[str, int]:
        """Return the counter of the current window, and the seconds until the window ends, at least 1."""
        window, within = divmod(self._clock.now().timestamp(), limit.seconds)
        return f"{limit.key(who)}/{int(window)}", max(math.ceil(limit.seconds - within), 1)

    def check(self) -> bool:
        """Return whether a shared store is configured. Raises LimitsUnavailable where it cannot be used."""
        if self._shared is not None:
            with self._outage_log.watched(LimitsUnavailable):
                self._shared.check()
        return self._shared is not None

    @property
    def counters(self) -> int:
        """How many counters this process holds."""
        return len(self._own)

    def _hit_window(self, limit: Limit, who: tuple[str, ...]) -> float | None:
        return self._counted(lambda store: store.hit(limit.key(who), limit.most, limit.seconds))

    def _counted(self, job: Callable[[CounterStore], _T]) -> _T:
        asked_at = self._clock.monotonic()
        if self._shared is not None and self._may_use_redis(asked_at):
            try:
                done = job(self._shared)
            except StorageError as error:
                self._failed_at = self._clock.monotonic()
                self._redis_retry_at = self._failed_at + _REDIS_RETRY_SECONDS
                why = type(error.storage_error).__name__
                until = "until it does, each process counts for itself"
                self._outage_log.begins(LimitsUnavailable(f"the rate limit store is not responding ({why}); {until}"))
            else:
                self._answered(asked_at)
                return done
        return job(self._own)

    def _answered(self, asked_at: float) -> None:
        """Record a response; after a slow one, count in this process for a while, so that waits are not repeated."""
        now = self._clock.monotonic()
        if now - asked_at > _SLOW_SECONDS:
            self._redis_retry_at = now + _REDIS_RETRY_SECONDS
        elif asked_at > self._failed_at:  # a command sent before the failure does not show that Redis has recovered
            self._redis_retry_at = None
        self._outage_log.ends(asked_at)

    def _may_use_redis(self, now: float) -> bool:
        """Return whether to use Redis; during an outage, true for one hit every few seconds."""
        if self._redis_retry_at is None:
            return True
        with self._lock:
            if self._redis_retry_at is None:
                return True
            if now < self._redis_retry_at:
                return False
            self._redis_retry_at = now + _REDIS_RETRY_SECONDS
            return True


def network_of(remote_address: str | None) -> str:
    """Return the network of an address: the IPv4 address itself, or the /64 that a household or phone has in IPv6.

    Everything that is not an address counts as one network.
    """
    return _block_of(remote_address, v4=32, v6=64)


def wide_network_of(remote_address: str | None) -> str:
    """Return the /24 of IPv4 or /48 of IPv6: what one party can hold, and a household keeps if its address changes."""
    return _block_of(remote_address, v4=24, v6=48)


def _block_of(remote_address: str | None, *, v4: int, v6: int) -> str:
    try:
        address = ipaddress.ip_address(remote_address or "")
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or ipaddress.IPv6Address(int(address))  # without the zone, which a client chooses
    bits = v4 if address.version == 4 else v6
    if bits == address.max_prefixlen:
        return str(address)
    return str(ipaddress.ip_network((address, bits), strict=False))
