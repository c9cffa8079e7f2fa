"""Closes connections of clients that read no response, or that hold too many connections.

The server (granian) accepts the connections. It has no write timeout and no limit for one network, and does not report
to the application that a client is not reading its response. So a thread scans this process's sockets once a second. It
makes the kernel end a connection whose client accepts no data for `unread` seconds (TCP_USER_TIMEOUT, tcp(7): it also
counts while the client's window is closed). Where a network exceeds its limit of connections, those without traffic for
the longest time are closed, so that idle connections are closed before those in use.
"""

import os
import socket
import struct
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from portal.platform.rate_limits import wide_network_of

UNREAD = 30.0
"""Seconds for which a client may accept no data that is sent to it."""
_CHECK_EVERY = 1.0
"""Seconds between scans."""
_OPEN_FILES = "/proc/self/fd"
_INFO = struct.Struct("=B43xI4xI")
"""Of `struct tcp_info` (linux/tcp.h): tcpi_state; tcpi_last_data_sent and tcpi_last_data_recv, in milliseconds."""
_OPEN = frozenset({1, 8})
"""TCP_ESTABLISHED and TCP_CLOSE_WAIT. A connection that was closed here lingers until its client has read the rest; it
is not counted, because the next scan would otherwise close another one in its place.
"""


class Connection(NamedTuple):
    """Connection that a client opened. descriptor: of this process. peer: as `getpeername` returns it.

    silent: milliseconds without data in either direction.
    """

    descriptor: int
    peer: Any
    silent: int


def keep_watching(*, per_network: int | None, unread: float = UNREAD) -> None:
    """Start to scan. per_network: most connections of a network (/24 of IPv4, /48 of IPv6) here; None: any number.

    The limit is for this process. Without Linux's /proc nothing is scanned.
    """
    if not os.path.isdir(_OPEN_FILES):  # noqa: PTH112  a folder of descriptors, listed by name below
        return

    def check_repeatedly() -> None:
        never = threading.Event()
        while True:
            with suppress(OSError):  # no descriptor is left to scan with: the next scan may get one
                scan(per_network=per_network, unread=unread)
            never.wait(_CHECK_EVERY)

    threading.Thread(target=check_repeatedly, daemon=True, name="connections").start()


def scan(*, per_network: int | None, unread: float) -> None:
    """Scan once: limit how long data may stay unread, and close the connections of a network beyond its limit."""
    of: dict[str, list[Connection]] = defaultdict(list)
    for one in _accepted(round(unread * 1_000)):
        of[wide_network_of(one.peer[0])].append(one)
    for held in of.values():
        if per_network is not None and len(held) > per_network:
            for one in sorted(held, key=lambda one: one.silent)[per_network:]:
                _close(one)


def _accepted(unread: int) -> Iterator[Connection]:
    """Return each connection that was accepted on a port this process listens on. unread: milliseconds."""
    listening: set[int] = set()
    found: list[tuple[int, Connection]] = []
    for name in os.listdir(_OPEN_FILES):  # noqa: PTH208  thousands of names, not paths
        with suppress(OSError), _socket(int(name)) as one:
            info = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO.size)  # raises for all but TCP
            port = one.getsockname()[1]
            if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                listening.add(port)
                # Connections inherit it, even those that are opened and closed between two scans.
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, unread)
            else:
                state, *silent = _INFO.unpack(info)
                if state in _OPEN:
                    found.append((port, Connection(int(name), one.getpeername(), min(silent))))
    return (one for port, one in found if port in listening)


def _close(connection: Connection) -> None:
    with suppress(OSError), _socket(connection.descriptor) as one:
        if one.getpeername() == connection.peer:
            one.shutdown(socket.SHUT_RDWR)  # the server sees the end of the stream, and closes it


@contextmanager
def _socket(descriptor: int) -> Iterator[socket.socket]:
    """Wrap a descriptor that belongs to the server as a socket. Raises OSError if it is not one, or not any more.

    It is neither duplicated nor closed: the number may belong to an SQLite file by then, and closing any descriptor of
    that file would drop this process's locks on it (see private_files.create_database_file).
    """
    one = socket.socket(fileno=descriptor)
    try:
        yield one
    finally:
        one.detach()
