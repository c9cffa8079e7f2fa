"""The production server on which the portal, the console and the tracking service run."""

import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from portal.platform.config.settings import COUNTED_IN, STOP_TIMEOUT, set_for_children, take_back
from portal.platform.errors import SettingsError
from portal.platform.logs import Part, running
from portal.platform.logs.setup import SERVER as SERVER_LOGS
from portal.platform.metrics import shared

_CONNECTIONS = 8_192
"""Concurrent connections of one process; capped at half of the files that it may open."""


def run(factory: str, host: str, port: int, *, part: Part, workers: int, stop_timeout: int = STOP_TIMEOUT) -> None:
    """Run the server: each process calls `factory` (module:function) for its application; returns after a signal.

    stop_timeout: seconds that requests in progress may still take after that signal.
    """
    require_free(host, port)
    # By default glibc keeps one heap per thread, and each keeps the memory that an upload needed for a moment.
    set_for_children("MALLOC_ARENA_MAX", "2")
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    from portal.cli.lost_children import LoggingServer

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
    if processes == 1:  # a single process has nothing to share, and counting in memory is three times as fast
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

    The server shares its port among processes, so a second server would silently take half of the requests.
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
