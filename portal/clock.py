"""The one place that reads the time. Everything else is handed a Clock."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What time it is, and how much of it has passed."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back; only differences mean anything."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let that many seconds pass."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Let that many seconds pass."""
        time.sleep(seconds)
