"""How often something may happen: hits counted under named limits, in this process or in a Redis that several share.

A Redis that is away stops nobody and lifts no limit: each process then counts for itself, and one hit in a few seconds
asks whether it is back, so that one that hangs holds up one request and not every one.
"""

import ipaddress
import logging
import math
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from limits.errors import StorageError
from limits.storage import RedisStorage

from portal import unreachable
from portal.absence import Absence
from portal.clock import Clock
from portal.errors import LimitsUnavailable
from portal.logs import Part, Seen, seen

log = logging.getLogger(__name__)

_T = TypeVar("_T")

_ASK_AGAIN = 5.0
_PATIENCE = 1.0
_SLOW = _PATIENCE / 2
_LONGEST_PAUSE = 3_600
_FORGET_FROM = 1_000


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many hits in so many seconds. name: of what; limits of one name and other figures count apart."""

    name: str
    most: int
    seconds: int

    def key(self, who: Iterable[str]) -> str:
        """The counter's name."""
        return "/".join((self.name, *who, str(self.most), str(self.seconds)))


@dataclass(frozen=True, slots=True)
class Spent:
    """What spending came to. left: hits until the window ends, which is in `seconds`, at least 1."""

    allowed: bool
    left: int
    seconds: int


def network_of(remote_address: str | None, *, v4: int = 32, v6: int = 64) -> str:
    """Whom an address is counted with: as many of its bits as v4 or v6 says, and all who have none as one.

    By default an IPv4 address, or the /64 that a household or phone gets of IPv6.
    """
    try:
        address = ipaddress.ip_address(remote_address or "")
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    bits = v4 if address.version == 4 else v6
    if bits == address.max_prefixlen:
        return str(address)
    return str(ipaddress.ip_network((address, bits), strict=False))


class Throttle:
    """address: `memory:` or `redis://…`, as PORTAL_RATE_LIMITS and TRACKER_RATE_LIMITS have it. For any thread."""

    def __init__(self, address: str, clock: Clock) -> None:
        self._clock = clock
        self._own = _InMemory(clock)
        self._shared = None if address == "memory:" else _InRedis(address, clock)
        self._lock = threading.Lock()
        self._absence = Absence(Part.RATE_LIMITS, clock)
        self._ask_at: float | None = None
        """From when on one hit asks whether it is back; None while it is there."""
        self._failed_at = float("-inf")

    def pause(self, counted: Iterable[tuple[Limit, tuple[str, ...]]], *, quietly: bool = False) -> int | None:
        """Count one hit for whom each limit names. None if it may go on, else the seconds to wait, 1 to 3,600.

        Any stretch of time as long as the limit's holds no more than it allows. The first limit that is reached
        decides; what was counted before it stays counted. quietly: the caller tells the security log, if anybody does.
        """
        for limit, who in counted:
            wait = self._enter(limit, limit.key(who))
            if wait is not None:
                if not quietly:
                    seen(Seen.LIMITED, limit=limit.name)
                return min(max(math.ceil(wait), 1), _LONGEST_PAUSE)
        return None

    def spend(self, limit: Limit, *who: str, amount: int = 1) -> Spent:
        """Count one hit in the present window of `limit.seconds`; windows follow each other by the clock.

        It keeps one number however large the limit is, and costs a Redis one question. amount: what the hit weighs;
        one that begins below the limit is allowed whole, so that nobody is told of a rest that is too small for them.
        """
        key, seconds = self._window(limit, who)
        count = self._counted(lambda counts: counts.add(key, amount, limit.seconds))
        return Spent(count - amount < limit.most, max(limit.most - count, 0), seconds)

    def spent(self, limit: Limit, *who: str) -> int:
        """How much of the limit's present window is spent; counts nothing."""
        key, _ = self._window(limit, who)
        return self._counted(lambda counts: counts.count(key))

    def _window(self, limit: Limit, who: Iterable[str]) -> tuple[str, int]:
        """The counter of the present window, and the seconds until it ends, at least 1."""
        window, within = divmod(self._clock.now().timestamp(), limit.seconds)
        return f"{limit.key(who)}/{int(window)}", max(math.ceil(limit.seconds - within), 1)

    def check(self) -> bool:
        """Whether a store is shared. Raises LimitsUnavailable where it cannot be used."""
        if self._shared is not None:
            self._shared.check()
        return self._shared is not None

    @property
    def counters(self) -> int:
        """How many counters this process keeps."""
        return len(self._own)

    def _enter(self, limit: Limit, key: str) -> float | None:
        return self._counted(lambda counts: counts.enter(key, limit.most, limit.seconds))

    def _counted(self, job: Callable[["_Counts"], _T]) -> _T:
        asked_at = self._clock.monotonic()
        if self._shared is not None and self._may_ask(asked_at):
            try:
                done = job(self._shared)
            except StorageError as error:
                self._failed_at = self._clock.monotonic()
                self._ask_at = self._failed_at + _ASK_AGAIN
                why = type(error.storage_error).__name__
                until = "until it does, each process counts for itself"
                self._absence.begins(LimitsUnavailable(f"the store of rate limits does not answer ({why}); {until}"))
            else:
                self._answered(asked_at)
                return done
        return job(self._own)

    def _answered(self, asked_at: float) -> None:
        """Somebody who waited for as long as this does so once: the rest of their hits is counted here."""
        now = self._clock.monotonic()
        if now - asked_at > _SLOW:
            self._ask_at = now + _ASK_AGAIN
        elif asked_at > self._failed_at:  # what was asked before it failed says nothing of how it is
            self._ask_at = None
        self._absence.ends(asked_at)

    def _may_ask(self, now: float) -> bool:
        """While the store is away, true for one hit in a while."""
        if self._ask_at is None:
            return True
        with self._lock:
            if self._ask_at is None:
                return True
            if now < self._ask_at:
                return False
            self._ask_at = now + _ASK_AGAIN
            return True


class _Counts(Protocol):
    """Where hits are counted."""

    def enter(self, key: str, most: int, seconds: int) -> float | None:
        """Count one if fewer than `most` were in the last `seconds`; else the seconds until the oldest is over."""
        ...

    def add(self, key: str, amount: int, seconds: int) -> int:
        """Count so many; returns how many there are. The counter is forgotten after `seconds`."""
        ...

    def count(self, key: str) -> int:
        """How many there are."""
        ...


class _InMemory:
    """In this process, by our clock.

    The library's own store starts a thread for every hundredth of a second in which it counts, to forget what is
    over; here that is looked for when there are twice as many counters as the last look has left.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._counters: dict[str, _Counter] = {}
        self._forget_at = _FORGET_FROM

    def __len__(self) -> int:
        return len(self._counters)

    def enter(self, key: str, most: int, seconds: int) -> float | None:
        with self._lock:
            now = self._clock.monotonic()
            hits = self._counter(key, now).hits
            del hits[: bisect_right(hits, now - seconds)]
            if len(hits) >= most:
                return hits[0] + seconds - now
            hits.append(now)
            self._counters[key].over = now + seconds
            return None

    def add(self, key: str, amount: int, seconds: int) -> int:
        with self._lock:
            now = self._clock.monotonic()
            counter = self._counter(key, now)
            counter.count += amount
            counter.over = now + seconds
            return counter.count

    def count(self, key: str) -> int:
        found = self._counters.get(key)
        return found.count if found else 0

    def _counter(self, key: str, now: float) -> "_Counter":
        found = self._counters.get(key)
        if found is None:
            if len(self._counters) >= self._forget_at:
                self._counters = {name: one for name, one in self._counters.items() if one.over > now}
                self._forget_at = max(2 * len(self._counters), _FORGET_FROM)
            found = self._counters[key] = _Counter()
        return found


@dataclass(slots=True)
class _Counter:
    """Hits with their times, or their number alone; nothing of it counts from `over` on."""

    hits: list[float] = field(default_factory=list)  # a tenth of a deque's memory: there is one for each visitor
    count: int = 0
    over: float = 0.0


class _InRedis:
    """In a Redis; raises StorageError where it does not answer within a second."""

    def __init__(self, address: str, clock: Clock) -> None:
        self._clock = clock
        self._storage = RedisStorage(
            address, wrap_exceptions=True, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE
        )

    def check(self) -> None:
        """Raise LimitsUnavailable unless it counts."""
        try:
            self._storage.incr("check", 1)
        except StorageError as error:
            raise LimitsUnavailable(unreachable.why_no_redis(error.storage_error)) from error

    def enter(self, key: str, most: int, seconds: int) -> float | None:
        if self._storage.acquire_entry(key, most, seconds):
            return None
        oldest, _ = self._storage.get_moving_window(key, most, seconds)
        return oldest + seconds - self._clock.now().timestamp()

    def add(self, key: str, amount: int, seconds: int) -> int:
        return self._storage.incr(key, seconds, amount=amount)

    def count(self, key: str) -> int:
        return self._storage.get(key)
