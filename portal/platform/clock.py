"""The one place that reads the time. All other code is passed a Clock."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Source of the current time and of elapsed time."""

    def now(self) -> datetime:
        """Return the current instant, timezone-aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back; only differences are meaningful."""
        ...

    def sleep(self, seconds: float) -> None:
        """Sleep for that many seconds."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the current instant, timezone-aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Sleep for that many seconds."""
        time.sleep(seconds)
