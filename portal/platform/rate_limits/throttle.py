"""Throttle: counts hits under named limits, in this process or in a Redis that several processes share.

An outage of that Redis neither stops requests nor lifts limits: each process then counts for itself. One hit every few
seconds checks whether it is back, so that a Redis that hangs delays one request and not every one.
"""

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
from portal.platform.rate_limits.counters import PATIENCE, Counts, InMemory, InRedis
from portal.platform.rate_limits.networks import network_of, wide_network_of

_T = TypeVar("_T")

_MOST_NETWORKS = 10_000
"""Most entries in the table of a limit that networks share; further networks count as one. Takes a megabyte."""
_ASK_AGAIN = 5.0
_SLOW = PATIENCE / 2
_LONGEST_PAUSE = 3_600
_WIDE = 4
"""How many times the limit of a single network a wide network gets."""
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
class Spent:
    """Result of spending. left: hits until the window ends. seconds: until then, at least 1."""

    allowed: bool
    left: int
    seconds: int


def of_network(limit: Limit, remote_address: str | None, *who: str) -> Iterable[tuple[Limit, tuple[str, ...]]]:
    """Return the limits that one hit counts for: its network, and the wide network around it with four times as much.

    Without the second, whoever holds a /48 of IPv6 could start again in 65,536 networks.
    """
    yield limit, (*who, network_of(remote_address))
    yield replace(limit, most=limit.most * _WIDE), (*who, wide_network_of(remote_address))


class Throttle:
    """Rate limiter, thread-safe. address: `memory:` or `redis://…`, as in PORTAL_RATE_LIMITS and TRACKER_RATE_LIMITS.

    remembers: how many networks are told apart within one shared limit.
    """

    def __init__(
        self, address: str, clock: Clock, absence: Outage | None = None, *, remembers: int = _MOST_NETWORKS
    ) -> None:
        self._clock = clock
        self._remembers = remembers
        self._own = InMemory(clock)
        self._shared = None if address == "memory:" else InRedis(address, clock)
        self._lock = threading.Lock()
        self._absence = absence or Outage(Part.RATE_LIMITS, clock)
        self._ask_at: float | None = None
        """When one hit may try Redis again; None while Redis responds."""
        self._failed_at = float("-inf")

    def pause(self, counted: Iterable[tuple[Limit, tuple[str, ...]]]) -> int | None:
        """Count one hit for each limit and party. Return None if it may go on, else the seconds to wait, 1 to 3,600.

        Limits are moving windows: no interval of a limit's length holds more hits than it allows. The first limit that
        is reached decides; what was counted before it stays counted.
        """
        for limit, who in counted:
            wait = self._enter(limit, who)
            if wait is not None:
                log_security_event(SecurityEvent.LIMITED, limit=limit.name)
                return min(max(math.ceil(wait), 1), _LONGEST_PAUSE)
        return None

    def spend(self, limit: Limit, *who: str, amount: int = 1) -> Spent:
        """Count one hit in the current fixed window of `limit.seconds`; windows follow each other by the clock.

        It stores one number however large the limit is, and asks Redis once. amount: weight of the hit; a hit
        that starts below the limit is allowed whole, so that nobody is told of a remainder that is too small for them.
        """
        key, seconds = self._window(limit, who)
        (count,) = self._counted(lambda counts: counts.charge(key, (_ALL,), amount, limit.seconds))
        return Spent(count - amount < limit.most, max(limit.most - count, 0), seconds)

    def spent(self, limit: Limit, *who: str) -> int:
        """Return how much of the limit's current window is spent, without counting."""
        key, _ = self._window(limit, who)
        return self._counted(lambda counts: counts.shares(key, (_ALL,)))[0][0]

    def share(self, limit: Limit, remote_address: str | None, *who: str, amount: int = 1, done: bool = False) -> Spent:
        """Spend from a limit that all networks share, so that a crowd of few networks cannot exhaust it for everybody.

        A fifth is reserved for networks that have spent nothing in this window yet. Of the rest, a network may have
        half of what is left, and a wide network all of it: the fuller the window, the less each may have, so that the
        heaviest users are rejected first (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking
        6(2), 1998). Rejected hits are not counted. amount: weight of the hit; 0: only check. done: it has already
        happened, and counts even if it would be rejected.
        """
        key, seconds = self._window(limit, who)
        own, around = f"1/{network_of(remote_address)}", f"2/{wide_network_of(remote_address)}"

        def enter(counts: Counts) -> tuple[bool, int]:
            (total, used, used_around, others), known = counts.shares(key, (_ALL, own, around, _OTHERS))
            charged = [_ALL, own, around]
            if known >= self._remembers:
                charged = [_ALL, own if used else _OTHERS, around if used_around else _OTHERS]
                used, used_around = used or others, used_around or others
            free = limit.most * 4 // 5 - total
            allowed = total < limit.most and (not used_around or (2 * used < free and used_around < free))
            if amount and (allowed or done):
                counts.charge(key, sorted(set(charged)), amount, limit.seconds)
                total += amount
            return allowed, max(limit.most - total, 0)

        allowed, left = self._counted(enter)
        return Spent(allowed, left, seconds)

    def remembered(self, limit: Limit, *who: str) -> int:
        """Return how many entries the current window of a limit that networks share has."""
        key, _ = self._window(limit, who)
        return self._counted(lambda counts: counts.shares(key, (_ALL,))[1])

    def _window(self, limit: Limit, who: Iterable[str]) -> tuple[str, int]:
        """Return the counter of the current window, and the seconds until the window ends, at least 1."""
        window, within = divmod(self._clock.now().timestamp(), limit.seconds)
        return f"{limit.key(who)}/{int(window)}", max(math.ceil(limit.seconds - within), 1)

    def check(self) -> bool:
        """Return whether a shared store is configured. Raises LimitsUnavailable where it cannot be used."""
        if self._shared is not None:
            self._shared.check()
        return self._shared is not None

    @property
    def counters(self) -> int:
        """How many counters this process holds."""
        return len(self._own)

    def _enter(self, limit: Limit, who: tuple[str, ...]) -> float | None:
        return self._counted(lambda counts: counts.enter(limit.key(who), limit.most, limit.seconds))

    def _counted(self, job: Callable[[Counts], _T]) -> _T:
        asked_at = self._clock.monotonic()
        if self._shared is not None and self._may_ask(asked_at):
            try:
                done = job(self._shared)
            except StorageError as error:
                self._failed_at = self._clock.monotonic()
                self._ask_at = self._failed_at + _ASK_AGAIN
                why = type(error.storage_error).__name__
                until = "until it does, each process counts for itself"
                self._absence.begins(LimitsUnavailable(f"the rate limit store is not responding ({why}); {until}"))
            else:
                self._answered(asked_at)
                return done
        return job(self._own)

    def _answered(self, asked_at: float) -> None:
        """Record a response; after a slow one, count in this process for a while, so that nobody waits repeatedly."""
        now = self._clock.monotonic()
        if now - asked_at > _SLOW:
            self._ask_at = now + _ASK_AGAIN
        elif asked_at > self._failed_at:  # a command sent before the failure says nothing about the present
            self._ask_at = None
        self._absence.ends(asked_at)

    def _may_ask(self, now: float) -> bool:
        """Return whether to use Redis; during an outage, true for one hit every few seconds."""
        if self._ask_at is None:
            return True
        with self._lock:
            if self._ask_at is None:
                return True
            if now < self._ask_at:
                return False
            self._ask_at = now + _ASK_AGAIN
            return True
