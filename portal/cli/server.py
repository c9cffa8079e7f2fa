"""The production server, as the portal and the service are run on it."""

import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from portal.counted import shared
from portal.errors import SettingsError
from portal.logs import Part, running
from portal.logs.begin import SERVER as SERVER_LOGS
from portal.settings import COUNTED_IN, STOP_TIMEOUT, set_for_children, take_back

_CONNECTIONS = 8_192
"""Of one process, at once; no more than half of the files that it may open."""


def run(factory: str, host: str, port: int, *, part: Part, workers: int, stop_timeout: int = STOP_TIMEOUT) -> None:
    """Serve what `factory` (module:function) makes in each process, until a signal ends it.

    stop_timeout: seconds that requests which have begun may take from then on.
    """
    _require_free(host, port)
    # One heap a thread is glibc's default, and every one of them keeps what an upload needed for a moment.
    set_for_children("MALLOC_ARENA_MAX", "2")
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    from portal.cli.lost_children import TellingServer

    server = TellingServer(
        factory,
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.RSGI,
        # HTTP/2 in clear has no browser, and one connection of it would stand for any number of requests.
        http=HTTPModes.http1,
        websockets=False,
        workers=workers,
        # A thousand connections that say nothing must not keep the next one waiting.
        backpressure=min(_CONNECTIONS, _files() // 2),
        log_level=LogLevels.warning,
        log_dictconfig=SERVER_LOGS,
        # What one connection may buffer: uploads go to disk as they come, so a large buffer is only memory.
        http1_settings=HTTP1Settings(header_read_timeout=10_000, max_buffer_size=65_536),
        respawn_failed_workers=True,
        workers_kill_timeout=stop_timeout,
    )
    with running(part):
        server.serve()


@contextmanager
def counting(processes: int) -> Iterator[None]:
    """Have the processes that are started inside count together. Before anything is imported that counts: children
    are forks, and know what was imported here.
    """
    if processes == 1:  # it has nobody to add up with, and memory is three times as fast
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


def _require_free(host: str, port: int) -> None:
    """Servers here share their port among processes, so a second one would quietly take half of the requests."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            raise SettingsError(
                f"{host}:{port} cannot be listened on ({error.strerror}): stop what does, or take another --port"
            ) from error


def _files() -> int:
    """How many this process and its children may open: as many as the system lets it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most
