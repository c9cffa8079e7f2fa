"""Standard error, which holds nobody up.

Who logs leaves a line and goes on; one thread writes. Where nobody reads, or a disk is full, the lines that find no
room are counted and lost, and what is served goes on; the count is the first line after that.
"""

import errno
import logging
import os
import threading
from collections import deque

from portal.logs.events import Event, Happened
from portal.logs.facts import Facts

_ROOM = 10_000
"""Lines that wait to be written."""
_GATHERED = 0.02
"""Seconds for which lines are gathered, so that a busy server wakes the writer fifty times a second and no more."""
_PIECE = 4_096
"""Bytes that a pipe takes in one piece, so that lines of several processes stay whole (PIPE_BUF)."""
_LAST_WORDS = 1.0
"""Seconds that an ending process waits for its lines to be taken."""
_AGAIN = frozenset({errno.EAGAIN, errno.EINTR})


class Outlet(logging.Handler):
    """Writes to a file descriptor of this process. room: lines that may wait."""

    def __init__(self, descriptor: int = 2, *, room: int = _ROOM) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._room = room
        self._lines: deque[str] = deque()
        self._something = threading.Event()
        self._nothing = threading.Event()
        self._nothing.set()
        self._never = threading.Event()
        self._dropped = 0
        self._is_cut = False
        self._writer = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Leave the line to the writer; a fault in formatting is a line of its own."""
        if len(self._lines) >= self._room:
            self._dropped += 1
            return
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001  whatever is wrong with a line, what it tells of has happened
            line = self.format(logging.makeLogRecord({"name": record.name, "msg": "a line that cannot be written"}))
        self._lines.append(line)
        if self._writer != os.getpid():
            self._begin()
        if not self._something.is_set():
            self._nothing.clear()
            self._something.set()

    def flush(self) -> None:
        """Wait until all is written, for a second at most."""
        self._nothing.wait(_LAST_WORDS)

    def _begin(self) -> None:
        """In each process: a fork takes no thread along."""
        self._writer = os.getpid()
        threading.Thread(target=self._write_on, name="log", daemon=True).start()

    def _write_on(self) -> None:
        while True:
            self._something.wait()
            self._never.wait(_GATHERED)
            self._something.clear()
            while self._lines:
                self._write(self._piece())
            if self._dropped:
                self._tell_of_the_dropped()
            self.acquire()  # as whoever leaves a line has it
            if not self._something.is_set():
                self._nothing.set()
            self.release()

    def _piece(self) -> bytes:
        """As many lines as go in one piece; at least one."""
        piece = b""
        while self._lines and (not piece or len(piece) + len(self._lines[0]) < _PIECE):
            piece += self._lines.popleft().encode("utf-8", "backslashreplace") + b"\n"
        return piece

    def _tell_of_the_dropped(self) -> None:
        count, self._dropped = self._dropped, 0
        told = logging.makeLogRecord(
            {"name": "portal.events", "levelno": logging.WARNING, "levelname": "WARNING"}
            | {"msg": Event(Happened.DROPPED, Facts(count=count))}
        )
        if not self._write(self.format(told).encode() + b"\n"):
            self._dropped += count - 1

    def _write(self, piece: bytes) -> bool:
        """Whether it was taken. It may wait for a reader; nobody waits for it."""
        left = b"\n" + piece if self._is_cut else piece
        while left:
            try:
                left = left[os.write(self._descriptor, left) :]
            except OSError as error:
                if error.errno in _AGAIN:
                    self._never.wait(_GATHERED)
                    continue
                self._dropped += piece.count(b"\n")
                self._is_cut = self._is_cut or not piece.endswith(left)
                return False
        self._is_cut = False
        return True


def written() -> None:
    """Wait until all that was said is written, for a second at most: for a process that ends without ceremony."""
    for handler in logging.getLogger().handlers:
        handler.flush()
