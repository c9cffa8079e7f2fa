"""The caller's side: one helper process, used by any thread; started on demand, and again when it has ended."""

import ast
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import BinaryIO

from portal.platform.clock import SystemClock
from portal.platform.sandbox.fork_server import CPU, LENGTH, PROBE
from portal.platform.sandbox.restrictions import Limits

_START = 30.0
"""Seconds that a helper may take to import what it needs, on a busy machine."""
_CHUNK = 64 * 1024
"""Bytes below which a copy is made in memory and uses no disk."""
_TOLD_WITHIN = 2.0
"""Seconds within which the helper reports a process's CPU use, once its time is over."""

Charge = Callable[[float], object]
"""Called once with the CPU seconds that a file took: in another thread once its process has ended, soon after the
result; before `ask` returns where there is no result.
"""


class NoHelper(Exception):
    """The file was not examined: no process could be started, or all were busy too long; the message says which."""


class ProcessEnded(Exception):
    """The process crashed on the file, or took too long for it, so the cause is the file."""


class Helper:
    """Helper process, thread-safe. module: what is run, which calls fork_server.serve; arguments: for it.

    at_once: files that are worked on at a time; others wait, for limits.timeout at most. most: maximum bytes of a
    result.
    """

    def __init__(self, module: str, arguments: tuple[str, ...], limits: Limits, *, at_once: int, most: int) -> None:
        self._module, self._arguments, self._limits, self._most = module, arguments, limits, most
        self._room = threading.BoundedSemaphore(at_once)
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._charging = ThreadPoolExecutor(at_once, thread_name_prefix="charging")
        self.failed = False
        """Whether the last file could not be inspected, for a reason other than the file."""

    def ask(self, file: BinaryIO, how: int = 0, *, charge: Charge = lambda _: None) -> bytes:
        """Return the result of a separate process for a seekable file; leaves the file at any position.

        how: what to do, passed to the work. charge: also called if the process crashed. Raises NoHelper or
        ProcessEnded.
        """
        if not self._room.acquire(timeout=self._limits.timeout):
            self.failed = True
            raise NoHelper("all processes that look into files have been busy for too long")
        try:
            descriptor = _read_only(file)
            try:
                answer = self._asked(descriptor, how, charge)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.failed = True
            raise NoHelper(f"no process to look into a file ({error.strerror or error})") from error
        finally:
            self._room.release()
        self.failed = False
        return answer

    @property
    def longest(self) -> float:
        """Wall-clock seconds within which `ask` returns, whatever happens: up to two helpers may have to start."""
        return self._limits.timeout + 2 * (_START + self._limits.timeout + _TOLD_WITHIN)

    def forbidden_capabilities(self) -> list[str]:
        """Return what a process can do that it should not be able to, by trying. Raises NoHelper or ProcessEnded."""
        with tempfile.TemporaryFile() as nothing:
            return [str(one) for one in ast.literal_eval(self.ask(nothing, PROBE).decode())]

    def close(self) -> None:
        """Stop the helper and its processes."""
        with self._lock:
            running, self._running = self._running, None
        if running:
            running.end()

    def _asked(self, file: int, how: int, charge: Charge) -> bytes:
        """Return the result. If the helper process itself has ended, start another one and try once more."""
        for _ in range(2):
            running = self._current()
            with suppress(BrokenPipeError, ConnectionResetError):
                if (answer := running.ask(file, how, charge)) is not None:
                    return answer
                if not running.has_ended(within=0.1):
                    break
        raise ProcessEnded

    def _current(self) -> "_Running":
        with self._lock:
            if self._running is None or self._running.has_ended():
                if self._running:
                    self._running.end()
                self._running = _Running(self._module, self._arguments, self._limits, self._most, self._charging)
            return self._running


class _Running:
    def __init__(
        self, module: str, arguments: tuple[str, ...], limits: Limits, most: int, charging: ThreadPoolExecutor
    ) -> None:
        self._limits, self._most, self._charging = limits, most, charging
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
        # Ends the helper when it is called, when this object is garbage collected, and when this process exits.
        self.end = weakref.finalize(self, _end, self._process, self._socket)
        self._socket.settimeout(_START)
        try:
            ready = self._socket.recv(1)
        except OSError:
            ready = b""
        if not ready:
            self.end()
            raise OSError(f"python -m {module} does not start")

    def ask(self, file: int, how: int, charge: Charge) -> bytes | None:
        """Return the result; None if the process ended without one."""
        source, sink = os.pipe()
        cpu, cpu_sink = os.pipe()
        is_charged = False
        try:
            try:
                with self._lock:
                    socket.send_fds(self._socket, [bytes([how])], [file, sink, cpu_sink])
            finally:
                os.close(sink)
                os.close(cpu_sink)
            until = SystemClock().monotonic() + self._limits.timeout
            answer = _read(source, self._most, until)
            # A process takes milliseconds to end; a caller that has its result does not wait for that.
            charged = self._charging.submit(self._charge, charge, cpu, until + _TOLD_WITHIN)
            is_charged = True
            if answer is None:
                charged.result()
            return answer
        finally:
            os.close(source)
            if not is_charged:
                os.close(cpu)

    def _charge(self, charge: Charge, cpu: int, until: float) -> None:
        """Charge the CPU seconds that were used; the maximum where the helper itself ended and reported none."""
        try:
            packed_seconds = _read_exactly(cpu, CPU.size, until)
            charge(CPU.unpack(packed_seconds)[0] if packed_seconds else self._limits.cpu)
        finally:
            os.close(cpu)

    def has_ended(self, within: float = 0) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(within)
        return self._process.returncode is not None


def _end(process: subprocess.Popen[bytes], ours: socket.socket) -> None:
    process.kill()
    process.wait()
    ours.close()


def _bytecode() -> list[str]:
    """Return interpreter options that place compiled code where this process has it."""
    options = [f"-Xpycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    return options + ["-B"] * sys.dont_write_bytecode


def _read_only(file: BinaryIO) -> int:
    """Return a read-only descriptor of the file.

    It belongs to a copy if the file has no descriptor of its own, or is part of a larger file that must not be
    readable.
    """
    try:
        file.flush()
        at = file.fileno()
    except OSError:  # it has none, or there is no disk space for one
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
    """Return an unnamed temporary file: in memory, where no disk can be full, if it is small."""
    if size < _CHUNK and hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("file"), "w+b")
    return tempfile.TemporaryFile()


def _read(source: int, most: int, until: float) -> bytes | None:
    """Read a whole result; None if it ends too early, comes too late or is too long."""
    head = _read_exactly(source, LENGTH.size, until)
    if head is None or LENGTH.unpack(head)[0] > most:
        return None
    return _read_exactly(source, LENGTH.unpack(head)[0], until)


def _read_exactly(source: int, size: int, until: float) -> bytes | None:
    received = b""
    readable = select.poll()  # select takes no descriptor above 1,023
    readable.register(source, select.POLLIN)
    while len(received) < size and (left := until - SystemClock().monotonic()) > 0 and readable.poll(left * 1_000):
        if not (piece := os.read(source, min(size - len(received), 64 * 1024))):
            return None
        received += piece
    return received if len(received) == size else None
