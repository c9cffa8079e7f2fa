"""Stores that count hits for rate limits: in this process, or in a Redis that several processes share."""

import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from limits.errors import StorageError
from limits.storage import RedisStorage

from portal.platform.clock import Clock
from portal.platform.database import diagnosis
from portal.platform.errors import LimitsUnavailable

REDIS_TIMEOUT = 1.0
"""Seconds that a Redis has to respond."""
_MIN_CLEANUP_SIZE = 1_000
_PREFIX = "SHARES:"
"""Prefix of the tables' keys in Redis: the library's own keys begin with LIMITS."""


class CounterStore(Protocol):
    """Store of counters. Each is either a list of the times of hits, or a table of amounts by name."""

    def hit(self, key: str, most: int, seconds: int) -> float | None:
        """Count a hit if fewer than `most` were in the last `seconds`; else return seconds until the oldest expires."""

    def amounts(self, key: str, names: Sequence[str]) -> tuple[list[int], int]:
        """Return the amount of each of these names in a table, and how many names the table has."""

    def add(self, key: str, names: Sequence[str], amount: int, seconds: int) -> list[int]:
        """Add an amount to each of these names in a table; return their sums. The table expires after `seconds`."""


class InMemory:
    """Counters in this process, by the portal's clock.

    The library's own in-memory store is not used: while it counts, it starts a thread every hundredth of a second to
    delete expired counters. This one deletes them whenever it holds twice as much as the last clean-up left.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._counters: dict[str, _Counter] = {}
        self._size = 0
        self._cleanup_at = _MIN_CLEANUP_SIZE

    def __len__(self) -> int:
        return len(self._counters)

    def hit(self, key: str, most: int, seconds: int) -> float | None:
        """Implement CounterStore.hit."""
        with self._lock:
            now = self._clock.monotonic()
            counter = self._counter(key, now)
            hits = counter.hits
            del hits[: bisect_right(hits, now - seconds)]
            if len(hits) >= most:
                return hits[0] + seconds - now
            hits.append(now)
            counter.expires_at = now + seconds
            return None

    def amounts(self, key: str, names: Sequence[str]) -> tuple[list[int], int]:
        """Implement CounterStore.amounts."""
        with self._lock:
            found = self._counters.get(key)
            amounts = found.amounts if found else {}
            return [amounts.get(name, 0) for name in names], len(amounts)

    def add(self, key: str, names: Sequence[str], amount: int, seconds: int) -> list[int]:
        """Implement CounterStore.add."""
        with self._lock:
            now = self._clock.monotonic()
            counter = self._counter(key, now)
            counter.expires_at = now + seconds
            size_before = len(counter.amounts)
            for name in names:
                counter.amounts[name] = counter.amounts.get(name, 0) + amount
            self._size += len(counter.amounts) - size_before
            return [counter.amounts[name] for name in names]

    def _counter(self, key: str, now: float) -> "_Counter":
        found = self._counters.get(key)
        if found is None:
            if self._size >= self._cleanup_at:
                self._counters = {name: one for name, one in self._counters.items() if one.expires_at > now}
                self._size = sum(1 + len(one.amounts) for one in self._counters.values())
                self._cleanup_at = max(2 * self._size, _MIN_CLEANUP_SIZE)
            found = self._counters[key] = _Counter()
            self._size += 1
        return found


@dataclass(slots=True)
class _Counter:
    """Times of hits, or amounts by name; expired from `expires_at` on."""

    hits: list[float] = field(default_factory=list)  # takes a tenth of the memory of a deque, and each visitor has one
    amounts: dict[str, int] = field(default_factory=dict)
    expires_at: float = 0.0


class InRedis:
    """Counters in a Redis; raises StorageError where it does not respond within a second."""

    def __init__(self, address: str, clock: Clock) -> None:
        self._clock = clock
        self._storage = RedisStorage(
            address, wrap_exceptions=True, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT
        )

    def check(self) -> None:
        """Raise LimitsUnavailable unless it can count."""
        try:
            self._storage.incr("check", 1)
        except StorageError as error:
            raise LimitsUnavailable(diagnosis.why_no_redis(error.storage_error)) from error

    def hit(self, key: str, most: int, seconds: int) -> float | None:
        """Implement CounterStore.hit."""
        if self._storage.acquire_entry(key, most, seconds):
            return None
        oldest, _ = self._storage.get_moving_window(key, most, seconds)
        return oldest + seconds - self._clock.now().timestamp()

    def amounts(self, key: str, names: Sequence[str]) -> tuple[list[int], int]:
        """Implement CounterStore.amounts."""
        with self._as_storage_error():
            pipeline = self._storage.storage.pipeline(transaction=False)
            pipeline.hmget(_PREFIX + key, names)
            pipeline.hlen(_PREFIX + key)
            found, size = pipeline.execute()
        return [int(one or 0) for one in found], int(size)

    def add(self, key: str, names: Sequence[str], amount: int, seconds: int) -> list[int]:
        """Implement CounterStore.add."""
        with self._as_storage_error():
            pipeline = self._storage.storage.pipeline(transaction=False)
            for name in names:
                pipeline.hincrby(_PREFIX + key, name, amount)
            pipeline.expire(_PREFIX + key, seconds)
            *sums, _ = pipeline.execute()
        return [int(one) for one in sums]

    @contextmanager
    def _as_storage_error(self) -> Iterator[None]:
        """Wrap errors of the Redis client as the library's own methods do."""
        try:
            yield
        except self._storage.base_exceptions as error:
            raise StorageError(error) from error
