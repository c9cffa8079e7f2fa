"""Writes to standard error without ever blocking the code that logs.

Code that logs queues a line; one thread writes the lines. If standard error is not read, or a disk is full, lines that
exceed the queue are counted and dropped, and requests continue; the count is logged as the first line afterwards.
"""

import errno
import logging
import os
import stat
import threading
from collections import deque
from contextlib import nullcontext

from portal.platform.logs.allowed_fields import Facts
from portal.platform.logs.events import Event, EventName
from portal.platform.logs.formatting import Json

_root = logging.getLogger()

_ROOM = 10_000
"""Lines that may wait to be written."""
_GATHERED = 0.1
"""Seconds for which lines are collected, so that a busy server wakes the writer at most ten times a second. A process
that is killed loses what it logged in that time; one that is stopped loses nothing.
"""
_PIECE = 4_096
"""Bytes that a pipe accepts atomically, so that lines of several processes stay whole (PIPE_BUF)."""
_PIECE_OF_FILE = 65_536
"""Bytes that are written at once to a file, which has no such limit."""
_LAST_WORDS = 1.0
"""Seconds that an ending process waits for its lines to be written."""
_AGAIN = frozenset({errno.EAGAIN, errno.EINTR})


class StderrHandler(logging.Handler):
    """Log handler that writes to a file descriptor of this process. room: lines that may wait."""

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
        self._most = _PIECE_OF_FILE if stat.S_ISREG(os.fstat(descriptor).st_mode) else _PIECE

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the line for the writer; a formatting error is logged as a line of its own."""
        if len(self._lines) >= self._room:
            self._dropped += 1
            return
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001  a line that cannot be formatted must not fail the code that logs
            line = self.format(logging.makeLogRecord({"name": record.name, "msg": "a line that cannot be written"}))
        self.put(line)

    def put(self, line: str) -> None:
        """Queue a line that is formatted already, without a record."""
        if len(self._lines) >= self._room:
            self._dropped += 1
            return
        self._lines.append(line)
        if self._writer != os.getpid():
            self._begin()
        if not self._something.is_set():
            with self.lock or nullcontext():  # under the same lock, the writer decides that the queue is empty
                self._nothing.clear()
                self._something.set()

    def flush(self) -> None:
        """Wait until everything is written, for a second at most."""
        self._nothing.wait(_LAST_WORDS)

    def _begin(self) -> None:
        """Start the writer, once in each process: a fork does not copy threads."""
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
            self.acquire()  # the same lock as in put()
            if not self._something.is_set():
                self._nothing.set()
            self.release()

    def _piece(self) -> bytes:
        """Return as many lines as fit into one write; at least one."""
        lines: list[bytes] = []
        size = 0
        while self._lines and (not lines or size + len(self._lines[0]) < self._most):
            lines.append(self._lines.popleft().encode("utf-8", "backslashreplace"))
            size += len(lines[-1]) + 1
        return b"\n".join(lines) + b"\n"

    def _tell_of_the_dropped(self) -> None:
        count, self._dropped = self._dropped, 0
        record = logging.makeLogRecord(
            {"name": "portal.events", "levelno": logging.WARNING, "levelname": "WARNING"}
            | {"msg": Event(EventName.DROPPED, Facts(count=count))}
        )
        if not self._write(self.format(record).encode() + b"\n"):
            self._dropped += count - 1

    def _write(self, piece: bytes) -> bool:
        """Write the piece; return whether it was accepted. Only the writer's thread may block here."""
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


def sole_json_handler() -> StderrHandler | None:
    """Return the outlet if every line goes only there, as JSON; None where other handlers listen too."""
    handlers = _root.handlers
    if len(handlers) == 1 and isinstance(outlet := handlers[0], StderrHandler) and isinstance(outlet.formatter, Json):
        return outlet
    return None


def flush_all() -> None:
    """Wait until every line is written, for a second at most: for a process that exits without running exit hooks."""
    for handler in logging.getLogger().handlers:
        handler.flush()
