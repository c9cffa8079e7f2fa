"""Where limits keeps its counts: in this process, by our clock.

The library's own memory store starts a thread for every hundredth of a second in which it counts, to forget what
expired; with as many counters as there are keys, forgetting on the next look is enough.
"""

import threading

from limits.storage import Storage

from portal.clock import Clock


class CountsInMemory(Storage):
    """Counters with an end, one a rate-limit key."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, float]] = {}

    @property
    def base_exceptions(self) -> type[Exception]:
        """What a failing store would raise; this one cannot fail."""
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count, in a window of `expiry` seconds that starts with the first."""
        now = self._clock.monotonic()
        with self._lock:
            count, end = self._counts.get(key, (0, 0.0))
            if end <= now:
                count, end = 0, now + expiry
            self._counts[key] = (count + amount, end)
            return count + amount

    def get(self, key: str) -> int:
        """The count in the present window."""
        count, end = self._counts.get(key, (0, 0.0))
        return count if end > self._clock.monotonic() else 0

    def get_expiry(self, key: str) -> float:
        """When the window ends, on the clock's monotonic scale."""
        return self._counts.get(key, (0, self._clock.monotonic()))[1]

    def check(self) -> bool:
        """Memory is there."""
        return True

    def reset(self) -> int | None:
        """Forget everything."""
        with self._lock:
            many = len(self._counts)
            self._counts.clear()
        return many

    def clear(self, key: str) -> None:
        """Forget one counter."""
        with self._lock:
            self._counts.pop(key, None)
