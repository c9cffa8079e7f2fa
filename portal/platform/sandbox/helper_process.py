"""The caller's side of a sandbox: starts one helper process (fork_server) on demand and sends it files to work on.

Any thread may use it; a helper process that has ended is started again.
"""

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

_START_TIMEOUT = 30.0
"""Seconds that a helper may take to import what it needs, on a busy machine."""
_CHUNK = 64 * 1024
"""Bytes below which a copy is made in memory and uses no disk."""
_CPU_REPORT_TIMEOUT = 2.0
"""Seconds within which the helper reports a process's CPU use, once its time is over."""

CpuReport = Callable[[float], object]
"""Called once with the CPU seconds that a file took.

If there is a result, it is called in another thread, once the file's process has ended, soon after the result. If there
is none, it is called before `run` returns.
"""


class HelperUnavailable(Exception):
    """The file was not examined: no process could be started, or all were busy too long; the message says which."""


class ProcessEnded(Exception):
    """The process crashed on the file, or took too long for it, so the cause is the file."""


class Helper:
    """Helper process, thread-safe. module: what is run, which calls fork_server.serve; arguments: for it.

    max_concurrent: files that are worked on at a time; others wait, for limits.timeout at most.
    """

    def __init__(
        self,
        module: str,
        arguments: tuple[str, ...],
        limits: Limits,
        *,
        max_concurrent: int,
        max_result_bytes: int,
    ) -> None:
        self._module, self._arguments, self._limits = module, arguments, limits
        self._max_result_bytes = max_result_bytes
        self._slots = threading.BoundedSemaphore(max_concurrent)
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._cpu_reporting = ThreadPoolExecutor(max_concurrent, thread_name_prefix="cpu-reporting")
        self.last_call_failed = False
        """Whether the last call of `run` failed for a reason other than the file."""

    def run(self, file: BinaryIO, task: int = 0, *, report_cpu: CpuReport = lambda _: None) -> bytes:
        """Return the result of a separate process for a seekable file; leaves the file at any position.

        task: passed to the module's work function, which decides by it what to do. report_cpu: also called if the
        process crashed. Raises HelperUnavailable or ProcessEnded.
        """
        if not self._slots.acquire(timeout=self._limits.timeout):
            self.last_call_failed = True
            raise HelperUnavailable("all sandbox processes have been busy for too long")
        try:
            descriptor = _read_only(file)
            try:
                answer = self._run_with_restart(descriptor, task, report_cpu)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.last_call_failed = True
            raise HelperUnavailable(f"no sandbox process is available ({error.strerror or error})") from error
        finally:
            self._slots.release()
        self.last_call_failed = False
        return answer

    @property
    def max_wait_seconds(self) -> float:
        """Wall-clock seconds within which `run` returns in any case: up to two helpers may have to start."""
        return self._limits.timeout + 2 * (_START_TIMEOUT + self._limits.timeout + _CPU_REPORT_TIMEOUT)

    def forbidden_capabilities(self) -> list[str]:
        """Return what a process can do that it should not be able to, by trying.

        Raises HelperUnavailable or ProcessEnded.
        """
        with tempfile.TemporaryFile() as nothing:
            return [str(one) for one in ast.literal_eval(self.run(nothing, PROBE).decode())]

    def close(self) -> None:
        """Stop the helper and its processes."""
        with self._lock:
            running, self._running = self._running, None
        if running:
            running.end()

    def _run_with_restart(self, file: int, task: int, report_cpu: CpuReport) -> bytes:
        """Return the result. If the helper process itself has ended, start another one and try once more."""
        for _ in range(2):
            running = self._current()
            with suppress(BrokenPipeError, ConnectionResetError):
                if (answer := running.run(file, task, report_cpu)) is not None:
                    return answer
                if not running.has_ended(within=0.1):
                    break
        raise ProcessEnded

    def _current(self) -> "_Running":
        with self._lock:
            if self._running is None or self._running.has_ended():
                if self._running:
                    self._running.end()
                self._running = _Running(
                    self._module, self._arguments, self._limits, self._max_result_bytes, self._cpu_reporting
                )
            return self._running


class _Running:
    """A started helper process and the socket to it. cpu_reporting: threads in which CPU seconds are reported."""

    def __init__(
        self,
        module: str,
        arguments: tuple[str, ...],
        limits: Limits,
        max_result_bytes: int,
        cpu_reporting: ThreadPoolExecutor,
    ) -> None:
        self._limits, self._max_result_bytes, self._cpu_reporting = limits, max_result_bytes, cpu_reporting
        self._lock = threading.Lock()
        self._socket, child_socket = socket.socketpair()
        command = [sys.executable, *_bytecode(), "-m", module, *arguments]
        with child_socket:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603  our own interpreter and our own module
                command,
                stdin=child_socket.fileno(),
                stdout=subprocess.DEVNULL,
                env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,
            )
        # Ends the helper when it is called, when this object is garbage collected, and when this process exits.
        self.end = weakref.finalize(self, _end, self._process, self._socket)
        self._socket.settimeout(_START_TIMEOUT)
        try:
            ready = self._socket.recv(1)
        except OSError:
            ready = b""
        if not ready:
            self.end()
            raise OSError(f"python -m {module} does not start")

    def run(self, file: int, task: int, report_cpu: CpuReport) -> bytes | None:
        """Return the result; None if the process ended without one."""
        source, sink = os.pipe()
        cpu, cpu_sink = os.pipe()
        is_cpu_reported = False
        try:
            try:
                with self._lock:
                    socket.send_fds(self._socket, [bytes([task])], [file, sink, cpu_sink])
            finally:
                os.close(sink)
                os.close(cpu_sink)
            until = SystemClock().monotonic() + self._limits.timeout
            answer = _read(source, self._max_result_bytes, until)
            # A process takes milliseconds to end; a caller that has its result does not wait for that.
            reported = self._cpu_reporting.submit(self._report_cpu, report_cpu, cpu, until + _CPU_REPORT_TIMEOUT)
            is_cpu_reported = True
            if answer is None:
                reported.result()
            return answer
        finally:
            os.close(source)
            if not is_cpu_reported:
                os.close(cpu)

    def _report_cpu(self, report_cpu: CpuReport, cpu: int, until: float) -> None:
        """Report the CPU seconds that were used; the maximum where the helper itself ended and reported none."""
        try:
            packed_seconds = _read_exactly(cpu, CPU.size, until)
            report_cpu(CPU.unpack(packed_seconds)[0] if packed_seconds else self._limits.cpu)
        finally:
            os.close(cpu)

    def has_ended(self, within: float = 0) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(within)
        return self._process.returncode is not None


def _end(process: subprocess.Popen[bytes], own_socket: socket.socket) -> None:
    process.kill()
    process.wait()
    own_socket.close()


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


def _read(source: int, max_bytes: int, until: float) -> bytes | None:
    """Read a whole result; None if it ends too early, comes too late or is too long."""
    head = _read_exactly(source, LENGTH.size, until)
    if head is None or LENGTH.unpack(head)[0] > max_bytes:
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
