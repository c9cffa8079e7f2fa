"""A network connection between a browser and a server that can be cut during a transfer, and restored."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_RESET = struct.pack("ii", 1, 0)


class Line:
    """A relay to a port of this machine. While it is cut, new connections are closed immediately.

    pause: seconds for each 16 KB, in either direction.
    """

    def __init__(self, to: int) -> None:
        self.pause = 0.0
        self._to = to
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._is_cut = False
        self._open: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def origin(self) -> str:
        """The origin to use in place of the server's."""
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Cut all connections, also during a transfer."""
        self._is_cut = True
        for one in list(self._open):
            _hang_up(one)

    def mend(self) -> None:
        """Relay again."""
        self._is_cut = False

    def close(self) -> None:
        """Stop the relay."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads.pop(0).join()
        self._listener.close()
        self.cut()
        for one in self._threads:
            one.join()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:  # closed
                return
            self._threads[1:] = [one for one in self._threads[1:] if one.is_alive()]
            self._threads.append(threading.Thread(target=self._relay, args=(near,)))
            self._threads[-1].start()

    def _relay(self, near: socket.socket) -> None:
        with suppress(ConnectionRefusedError), near, socket.create_connection(("127.0.0.1", self._to)) as far:
            ends = {near, far}
            self._open |= ends
            if self._is_cut:
                _hang_up(near)
            back = threading.Thread(target=self._carry, args=(far, near))
            back.start()
            self._carry(near, far)
            back.join()
            self._open -= ends

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(16_384):
                if self.pause:
                    time.sleep(self.pause)
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:  # cut, or closed by one side
            _hang_up(one)
            _hang_up(other)


def _hang_up(end: socket.socket) -> None:
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        end.shutdown(socket.SHUT_RDWR)


@contextmanager
def line(to: int) -> Iterator[Line]:
    """Run a relay within the block."""
    made = Line(to)
    try:
        yield made
    finally:
        made.close()
