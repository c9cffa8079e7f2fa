"""The production server on which the portal, the console and the tracking service run.

It logs when one of its processes ended unexpectedly.
"""

import logging
import resource
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from portal.platform.clock import Clock, SystemClock
from portal.platform.config.settings import COUNTED_IN, STOP_TIMEOUT, set_for_children, take_back
from portal.platform.errors import PortalError, SettingsError
from portal.platform.logs import EventName, Part, event, running
from portal.platform.logs.setup import SERVER as SERVER_LOGS
from portal.platform.metrics import shared

_CONNECTIONS = 8_192
"""Concurrent connections of one process; capped at half of the files that it may open."""
CALM = 60.0
"""Seconds without an unexpected exit after which the server counts as stable again."""
QUICK_LOSSES = 10
"""Unexpected exits in quick succession after which the whole server ends if one more child ends within seconds."""


def run(factory: str, host: str, port: int, *, part: Part, workers: int, stop_timeout: int = STOP_TIMEOUT) -> None:
    """Run the server: each process calls `factory` (module:function) for its application; returns after a signal.

    stop_timeout: seconds that requests in progress may still take after that signal.
    """
    require_free(host, port)
    # By default glibc has one heap per thread, and each retains the memory that an upload needed only briefly.
    set_for_children("MALLOC_ARENA_MAX", "2")
    server = LoggingServer(
        factory,
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.RSGI,
        # No browser uses HTTP/2 without TLS, and one such connection could carry any number of requests.
        http=HTTPModes.http1,
        websockets=False,
        workers=workers,
        # A thousand idle connections must not keep the next one waiting.
        backpressure=min(_CONNECTIONS, _files() // 2),
        log_level=LogLevels.warning,
        log_dictconfig=SERVER_LOGS,
        # Buffer per connection: uploads are streamed to disk, so a larger buffer would only cost memory.
        http1_settings=HTTP1Settings(header_read_timeout=10_000, max_buffer_size=65_536),
        respawn_failed_workers=True,
        workers_kill_timeout=stop_timeout,
    )
    with running(part):
        server.serve()


@contextmanager
def counting(processes: int) -> Iterator[None]:
    """Make the processes started inside the block share their metrics.

    Enter it before importing any module that counts: children are forks and inherit what was imported here.
    """
    if processes == 1:  # a single process shares nothing, and counting in memory is three times as fast
        yield
        return
    with shared.folder(processes) as together:
        if together is None:
            yield
            return
        set_for_children(COUNTED_IN, str(together), whatever_it_was=True)
        try:
            yield
        finally:
            take_back(COUNTED_IN)


def require_free(host: str, port: int) -> None:
    """Raise SettingsError if the port is in use.

    The processes of a server share its port, so a second server could bind it too and would receive half of the
    requests.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            raise SettingsError(
                f"{host}:{port} cannot be listened on ({error.strerror}): stop the process that listens there,"
                " or choose another port with --port"
            ) from error


def _files() -> int:
    """Raise this process's limit of open files to the maximum, for its children too, and return it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class ChildEnded(PortalError):
    """A process of the server ended although the server did not stop it."""


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

    A series is over once no process has exited unexpectedly for `calm` seconds. A process that exits immediately after
    its start is replaced several times a second.
    """

    def __init__(self, clock: Clock, calm: float = CALM) -> None:
        self._clock, self._calm = clock, calm
        self._lock = threading.Lock()
        self._count = 0
        self._first = self._last = 0.0

    @property
    def count(self) -> int:
        """The number of unexpected exits, each within `calm` seconds of the previous one."""
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
    """Return how a process ended, for operators; None if it is running and being replaced."""
    status = process.exitcode
    if status is None:
        return None
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return f"process {process.pid} ended {how}"
