"""The production server, extended to log when one of its processes ended unexpectedly."""

import logging
import signal
import threading
from multiprocessing.process import BaseProcess
from typing import Any

from granian.server.mp import MPServer

from portal.platform.clock import Clock, SystemClock
from portal.platform.errors import PortalError
from portal.platform.logs import EventName, Part, event

CALM = 60.0
"""Seconds without an unexpected exit after which the server counts as stable again."""
QUICK_LOSSES = 10
"""Unexpected exits in quick succession after which the whole server ends if one more child ends within seconds."""


class ChildEnded(PortalError):
    """A process of the server ended by itself, or was ended by something else."""


class LoggingServer(MPServer):
    """A server that replaces a process that ended, and logs it."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401  granian's own
        super().__init__(*args, **more)
        logging.getLogger("_granian").addFilter(_is_not_an_exit)
        self._losses = ExitLog(SystemClock())

    def _respawn_workers(self, workers: list[int], *args: Any, **more: Any) -> None:  # noqa: ANN401  granian's own
        for one in workers:
            how = _end_of(self.wrks[one].inner)
            if how:
                self._losses.record_exit(how)
        super()._respawn_workers(workers, *args, **more)
        if self._losses.count < QUICK_LOSSES:
            # Granian ends the whole server, including healthy children, if one child ends twice within seconds.
            self.respawned_wrks.clear()


class ExitLog:
    """Unexpected exits of processes: logs one line for the first, and one with their number when the series is over.

    It is over once no process was lost for `calm` seconds; a process that ends as soon as it starts is replaced several
    times a second.
    """

    def __init__(self, clock: Clock, calm: float = CALM) -> None:
        self._clock, self._calm = clock, calm
        self._lock = threading.Lock()
        self._count = 0
        self._first = self._last = 0.0

    @property
    def count(self) -> int:
        """How many were lost, each within `calm` seconds of the one before."""
        return self._count

    def record_exit(self, how: str) -> None:
        """Record an unexpected exit. how: what happened, in words for operators."""
        with self._lock:
            self._last = self._clock.monotonic()
            self._count += 1
            is_first = self._count == 1
            if is_first:
                self._first = self._last
        if is_first:
            lost = ChildEnded(f"{how}; another one takes its place")
            event(EventName.LOST, part=Part.CHILD, because=lost, level=logging.ERROR)
            threading.Thread(target=self._tell_when_over, daemon=True, name="lost processes").start()

    def _tell_when_over(self) -> None:
        while (left := self._last + self._calm - self._clock.monotonic()) > 0:
            self._clock.sleep(left)
        with self._lock:
            count, lasted = self._count, self._last - self._first
            self._count = 0
        if count > 1:
            event(EventName.RECOVERED, part=Part.CHILD, count=count, seconds=lasted, level=logging.WARNING)


def _is_not_an_exit(record: logging.LogRecord) -> bool:
    """Drop Granian's own line about an ended process, which does not say how it ended."""
    return not record.getMessage().startswith("Unexpected exit from worker")


def _end_of(process: BaseProcess) -> str | None:
    """Return in words how a process ended; None for one that is alive and being replaced."""
    status = process.exitcode
    if status is None:
        return None
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return f"process {process.pid} ended {how}"
