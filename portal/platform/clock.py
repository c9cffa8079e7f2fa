"""The one place that reads the time. All other code is passed a Clock."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Protocol, TypeVar

T = TypeVar("T")


class Clock(Protocol):
    """Source of the current time and of elapsed time."""

    def now(self) -> datetime:
        """Return the current instant, timezone-aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back; only differences are meaningful."""

    def sleep(self, seconds: float) -> None:
        """Sleep for that many seconds."""


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


def in_time(job: Callable[[], T], seconds: float) -> T:
    """Return what a job returns, or raise what it raises; raise TimeoutError if that takes longer than `seconds`.

    For calls that cannot be interrupted: a resolver that hangs, or a server that sends one byte a second and so never
    exceeds the timeout of a single read. After a timeout the job's thread keeps running; it is a daemon thread, so it
    does not prevent the process from exiting.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(job())
        except BaseException as error:  # noqa: BLE001  raised again in the thread that waits for the job
            done.set_exception(error)

    threading.Thread(target=run, name="in-time", daemon=True).start()
    return done.result(seconds)
