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

MOST_NETWORKS = 10_000
"""Most names in the table of a limit that networks share; further ones count as one. Takes a megabyte."""
PATIENCE = 1.0
"""Seconds that a Redis has to respond."""
_FORGET_FROM = 1_000
_PREFIX = "SHARES:"
"""Prefix of the tables' keys in Redis: the library's own keys begin with LIMITS."""


class Counts(Protocol):
    """Store of counters."""

    def enter(self, key: str, most: int, seconds: int) -> float | None:
        """Count a hit if fewer than `most` were in the last `seconds`; else return seconds until the oldest expires."""
        ...

    def add(self, key: str, amount: int, seconds: int) -> int:
        """Add to a counter and return its value. The counter is deleted after `seconds`."""
        ...

    def count(self, key: str) -> int:
        """Return a counter's value."""
        ...

    def shares(self, key: str, names: Sequence[str]) -> tuple[list[int], int]:
        """Return what is charged to each of these names in a table, and how many names the table has."""
        ...

    def charge(self, key: str, names: Sequence[str], amount: int, seconds: int) -> None:
        """Add an amount to each of these names in a table, which is deleted after `seconds`."""
        ...


class InMemory:
    """Counters in this process, by the portal's clock.

    The library's own store starts a thread for every hundredth of a second in which it counts, to delete expired
    counters; this one deletes them whenever there are twice as many counters as the last clean-up has left.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._counters: dict[str, _Counter] = {}
        self._forget_at = _FORGET_FROM
        self._tables: dict[str, _Table] = {}

    def __len__(self) -> int:
        return len(self._counters)

    def enter(self, key: str, most: int, seconds: int) -> float | None:
        """Implement Counts.enter."""
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
        """Implement Counts.add."""
        with self._lock:
            now = self._clock.monotonic()
            counter = self._counter(key, now)
            counter.count += amount
            counter.over = now + seconds
            return counter.count

    def count(self, key: str) -> int:
        """Implement Counts.count."""
        found = self._counters.get(key)
        return found.count if found else 0

    def shares(self, key: str, names: Sequence[str]) -> tuple[list[int], int]:
        """Implement Counts.shares."""
        with self._lock:
            table = self._tables.get(key)
            return (
                ([table.charged.get(name, 0) for name in names], len(table.charged)) if table else ([0] * len(names), 0)
            )

    def charge(self, key: str, names: Sequence[str], amount: int, seconds: int) -> None:
        """Implement Counts.charge."""
        with self._lock:
            table = self._tables.get(key)
            if table is None:  # a new window of some limit: there are few, so all are checked
                now = self._clock.monotonic()
                self._tables = {name: one for name, one in self._tables.items() if one.over > now}
                table = self._tables[key] = _Table(now + seconds)
            for name in names:
                table.charged[name] = table.charged.get(name, 0) + amount

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
    """Times of hits, or only their number; expired from `over` on."""

    hits: list[float] = field(default_factory=list)  # a tenth of a deque's memory: each visitor has one
    count: int = 0
    over: float = 0.0


@dataclass(slots=True)
class _Table:
    """Amounts charged to each name; expired from `over` on."""

    over: float
    charged: dict[str, int] = field(default_factory=dict)


class InRedis:
    """Counters in a Redis; raises StorageError where it does not respond within a second."""

    def __init__(self, address: str, clock: Clock) -> None:
        self._clock = clock
        self._storage = RedisStorage(
            address, wrap_exceptions=True, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
        )

    def check(self) -> None:
        """Raise LimitsUnavailable unless it can count."""
        try:
            self._storage.incr("check", 1)
        except StorageError as error:
            raise LimitsUnavailable(diagnosis.why_no_redis(error.storage_error)) from error

    def enter(self, key: str, most: int, seconds: int) -> float | None:
        """Implement Counts.enter."""
        if self._storage.acquire_entry(key, most, seconds):
            return None
        oldest, _ = self._storage.get_moving_window(key, most, seconds)
        return oldest + seconds - self._clock.now().timestamp()

    def add(self, key: str, amount: int, seconds: int) -> int:
        """Implement Counts.add."""
        return self._storage.incr(key, seconds, amount=amount)

    def count(self, key: str) -> int:
        """Implement Counts.count."""
        return self._storage.get(key)

    def shares(self, key: str, names: Sequence[str]) -> tuple[list[int], int]:
        """Implement Counts.shares."""
        with self._as_storage_error():
            asked = self._storage.storage.pipeline(transaction=False)
            asked.hmget(_PREFIX + key, names)
            asked.hlen(_PREFIX + key)
            found, known = asked.execute()
        return [int(one or 0) for one in found], int(known)

    def charge(self, key: str, names: Sequence[str], amount: int, seconds: int) -> None:
        """Implement Counts.charge."""
        with self._as_storage_error():
            asked = self._storage.storage.pipeline(transaction=False)
            for name in names:
                asked.hincrby(_PREFIX + key, name, amount)
            asked.expire(_PREFIX + key, seconds)
            asked.execute()

    @contextmanager
    def _as_storage_error(self) -> Iterator[None]:
        """Wrap errors of the Redis client as the library's own methods do."""
        try:
            yield
        except self._storage.base_exceptions as error:
            raise StorageError(error) from error
