"""One helper process for this one, asked by any thread: started when it is needed, and again when it has ended."""

import ast
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from contextlib import suppress
from typing import BinaryIO

from portal.clock import SystemClock
from portal.confined.serving import LENGTH, PROBE
from portal.confined.walls import Limits

_START = 30.0
"""Seconds that a helper may take to import what it needs, on a machine that is busy."""
_CHUNK = 64 * 1024
"""A copy of fewer bytes takes no disk."""


class NoHelper(Exception):
    """Nothing was found out: no process can be started, or all were busy for too long. The message says which."""


class Ended(Exception):
    """The process ended over the file, or took too long for it: it is the file that is to blame."""


class Helper:
    """For any thread. module: what is run, which calls serving.serve; arguments: for it.

    at_once: so many files are worked on, others wait, for limits.patience at most. most: bytes of an answer.
    """

    def __init__(self, module: str, arguments: tuple[str, ...], limits: Limits, *, at_once: int, most: int) -> None:
        self._module, self._arguments, self._limits, self._most = module, arguments, limits, most
        self._room = threading.BoundedSemaphore(at_once)
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self.failed = False
        """Whether the last file could not be looked into, for a reason that is none of the file's."""

    def ask(self, file: BinaryIO, how: int = 0) -> bytes:
        """What a process of its own says of a file, which can seek and is left standing anywhere.

        Raises NoHelper or Ended.
        """
        if not self._room.acquire(timeout=self._limits.patience):
            self.failed = True
            raise NoHelper("all processes that look into files have been busy for too long")
        try:
            descriptor = _read_only(file)
            try:
                said = self._asked(descriptor, how)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.failed = True
            raise NoHelper(f"no process to look into a file ({error.strerror or error})") from error
        finally:
            self._room.release()
        self.failed = False
        return said

    def could(self) -> list[str]:
        """What a process could do that it should not, having tried it. Raises NoHelper or Ended."""
        with tempfile.TemporaryFile() as nothing:
            return [str(one) for one in ast.literal_eval(self.ask(nothing, PROBE).decode())]

    def close(self) -> None:
        """End the helper, and what works for it."""
        with self._lock:
            running, self._running = self._running, None
        if running:
            running.end()

    def _asked(self, file: int, how: int) -> bytes:
        """As `ask`. Where the helper itself ended meanwhile, for reasons of its own, another one is asked, once."""
        for _ in range(2):
            running = self._current()
            with suppress(BrokenPipeError, ConnectionResetError):
                if (answer := running.ask(file, how)) is not None:
                    return answer
                if not running.has_ended(within=0.1):
                    break
        raise Ended

    def _current(self) -> "_Running":
        with self._lock:
            if self._running is None or self._running.has_ended():
                if self._running:
                    self._running.end()
                self._running = _Running(self._module, self._arguments, self._limits, self._most)
            return self._running


class _Running:
    def __init__(self, module: str, arguments: tuple[str, ...], limits: Limits, most: int) -> None:
        self._limits, self._most = limits, most
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair()
        command = [sys.executable, *_bytecode(), "-m", module, *arguments]
        with theirs:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603  our own interpreter and our own module
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,
            )
        # Ends the helper when it is called, and at the last mention of this one, and with this process.
        self.end = weakref.finalize(self, _end, self._process, self._socket)
        self._socket.settimeout(_START)
        try:
            ready = self._socket.recv(1)
        except OSError:
            ready = b""
        if not ready:
            self.end()
            raise OSError(f"python -m {module} does not start")

    def ask(self, file: int, how: int) -> bytes | None:
        """None where the process ended without an answer."""
        source, sink = os.pipe()
        try:
            try:
                with self._lock:
                    socket.send_fds(self._socket, [bytes([how])], [file, sink])
            finally:
                os.close(sink)
            return _read(source, self._most, SystemClock().monotonic() + self._limits.patience)
        finally:
            os.close(source)

    def has_ended(self, within: float = 0) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(within)
        return self._process.returncode is not None


def _end(process: subprocess.Popen[bytes], ours: socket.socket) -> None:
    process.kill()
    process.wait()
    ours.close()


def _bytecode() -> list[str]:
    """Compiled code is where this process has it."""
    kept = [f"-Xpycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    return kept + ["-B"] * sys.dont_write_bytecode


def _read_only(file: BinaryIO) -> int:
    """A descriptor of the file that nobody can write to it by; of a copy, where the file is none of the system's or a
    piece of one, of which nothing else is to be seen.
    """
    try:
        file.flush()
        at = file.fileno()
    except OSError:  # none of its own, or no room on disk for one
        return _copied(file)
    try:
        return os.open(f"/proc/self/fd/{at}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return os.dup(at)  # a system without /proc


def _copied(file: BinaryIO) -> int:
    file.seek(0)
    head = file.read(_CHUNK)
    with _unnamed(len(head)) as copy:
        copy.write(head)
        while chunk := file.read(_CHUNK):
            copy.write(chunk)
        copy.flush()
        return os.dup(copy.fileno())


def _unnamed(size: int) -> BinaryIO:
    """In memory, where disks are never full, what is small."""
    if size < _CHUNK and hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("file"), "w+b")
    return tempfile.TemporaryFile()


def _read(source: int, most: int, until: float) -> bytes | None:
    """A whole answer, or None: where it ends too early, comes too late or is too long."""
    said = b""
    heard = select.poll()  # select takes no descriptor above 1,023
    heard.register(source, select.POLLIN)
    while (left := until - SystemClock().monotonic()) > 0 and heard.poll(left * 1_000):
        if not (piece := os.read(source, 64 * 1024)):
            return None
        said += piece
        if len(said) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(said)
            if length > most or len(said) > LENGTH.size + length:
                return None
            if len(said) == LENGTH.size + length:
                return said[LENGTH.size :]
    return None
