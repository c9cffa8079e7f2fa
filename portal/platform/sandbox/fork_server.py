"""The helper's side: a process that has everything imported, and forks a separate process for each file.

So a file that corrupts its process affects no other file, and no caller waits for an interpreter to start. The helper
gets none of its parent's environment variables, which include secrets, and ends when its socket is closed.
"""

import gc
import logging
import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO

from portal.platform.clock import SystemClock
from portal.platform.logs.setup import configure_logging
from portal.platform.sandbox import restrictions
from portal.platform.sandbox.restrictions import Limits

LENGTH = struct.Struct("!I")
"""Header of a result: its length in bytes."""
CPU = struct.Struct("!d")
"""CPU seconds that a process used; the helper reports them once the process has ended, because a malicious file could
make its own process report a wrong number.
"""
PROBE = 255
"""Value of the request byte that asks which forbidden actions are possible; the work function gets all others."""
_CHECK_EVERY = 0.2
"""Seconds between checks for processes past their deadline, while any is running."""

Work = Callable[[BinaryIO, int], bytes]
"""A file at its first byte, and the number of the task (0 to 254) → the result."""


@dataclass(frozen=True, slots=True)
class _AtWork:
    """Running process. until: deadline on the monotonic clock. cpu: pipe for the CPU seconds that it used."""

    until: float
    cpu: int


def serve(work: Work, limits: Limits) -> None:
    """Serve requests until standard input, a socket, is closed.

    A request is one byte and three descriptors: of the file, of the pipe for the result and of the pipe for the CPU
    seconds.
    """
    configure_logging(None)  # errors in here are logged like any others
    asked = socket.socket(fileno=os.dup(0))
    restrictions.prepare()
    gc.collect()
    gc.freeze()  # so that processes share the memory of what is imported
    ended = _child_exit_socket()
    try:
        asked.sendall(b"\0")
    except BrokenPipeError:
        return  # the parent was killed in the meantime
    at_work: dict[int, _AtWork] = {}
    while True:
        readable = select.select([asked, ended], [], [], _CHECK_EVERY if at_work else None)[0]
        if ended in readable:
            ended.recv(4_096)
        if asked in readable:
            request, descriptors, _, _ = socket.recv_fds(asked, 1, 3)
            if not request:
                return
            file, answer, cpu = descriptors
            process = _forked(work, limits, request[0], file, answer)
            at_work[process] = _AtWork(restrictions.deadline(limits), cpu)
            os.close(file)
            os.close(answer)
        for process in [one for one, its in at_work.items() if _has_exited(one, its)]:
            del at_work[process]


def _child_exit_socket() -> socket.socket:
    """Return a socket that is readable once a process has ended, so that its CPU seconds are reported at once."""
    readable, written = socket.socketpair()
    readable.settimeout(0)
    written.settimeout(0)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # ignored by default, and an ignored signal would not wake select
    signal.set_wakeup_fd(written.detach(), warn_on_full_buffer=False)
    return readable


def _has_exited(process: int, its: _AtWork) -> bool:
    ended, _, used = os.wait4(process, os.WNOHANG)
    if not ended:
        if SystemClock().monotonic() > its.until:
            os.kill(process, signal.SIGKILL)
        return False
    with suppress(BrokenPipeError):  # the caller no longer waits
        os.write(its.cpu, CPU.pack(used.ru_utime + used.ru_stime))
    os.close(its.cpu)
    return True


def _forked(work: Work, limits: Limits, task: int, file: int, answer: int) -> int:
    """Fork the process that works on the file; return its id. Returns in the helper only."""
    helper = os.getpid()
    process = os.fork()
    if process:
        return process
    try:
        signal.set_wakeup_fd(-1)
        # Otherwise a parser's warning about a damaged file would start the thread that writes logs, which is forbidden
        # here.
        logging.getLogger().handlers = [logging.NullHandler()]
        restrictions.end_with(helper)
        _keep_only(file, answer)
        with os.fdopen(3, "rb") as opened:
            opened.seek(0)
            restrictions.apply(limits)
            result = repr(restrictions.forbidden_capabilities()).encode() if task == PROBE else work(opened, task)
            _write(4, LENGTH.pack(len(result)) + result)
    except BaseException:  # noqa: BLE001, S110  the caller sees that there is no result; no exception may leave this fork
        pass
    finally:
        os._exit(0)


def _keep_only(file: int, answer: int) -> None:
    """Move the file to descriptor 3 and the result's pipe to 4; close everything else."""
    nothing = os.open(os.devnull, os.O_RDWR)
    at = max(file, answer, nothing, 4) + 1
    for number, descriptor in enumerate((nothing, nothing, nothing, file, answer)):
        os.dup2(descriptor, at + number)
    for number in range(5):
        os.dup2(at + number, number)
    os.closerange(5, at + 5)


def _write(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
