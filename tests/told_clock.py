"""A clock that the test sets."""

import threading
from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


class ToldClock:
    """A clock that the test advances; sleeping advances it, too."""

    def __init__(self, now: datetime = NOON) -> None:
        self._now = now
        self._lock = threading.Lock()

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._now.timestamp()

    def sleep(self, seconds: float) -> None:
        self.pass_time(seconds)

    def pass_time(self, seconds: float) -> None:
        with self._lock:
            self._now += timedelta(seconds=seconds)
