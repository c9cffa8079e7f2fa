"""Actions of a file that has taken over its process: `python -m tests.platform.sandbox.hostile`."""

import ctypes
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

from portal.platform.sandbox.fork_server import serve
from portal.platform.sandbox.restrictions import Limits

LIMITS = Limits(memory=200_000_000, cpu=0.4, timeout=3)

remembered: list[bytes] = []


def _open(_: BinaryIO) -> object:
    return os.open(sys.executable, os.O_RDONLY)


def _create(_: BinaryIO) -> object:
    return os.open("/tmp/made-by-a-hostile-file", os.O_CREAT | os.O_WRONLY)  # noqa: S108  it must not be created


def _socket(_: BinaryIO) -> object:
    return socket.socket(socket.AF_INET)


def _run(_: BinaryIO) -> object:
    return os.execv("/bin/true", ["true"])  # noqa: S606  the sandbox must prevent it


def _kill(_: BinaryIO) -> object:
    return os.kill(os.getppid(), signal.SIGKILL)


def _spoil(file: BinaryIO) -> object:
    return os.write(file.fileno(), b"spoiled")


def _shorten(file: BinaryIO) -> object:
    return os.ftruncate(file.fileno(), 0)


def _trace(_: BinaryIO) -> object:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(16, os.getppid(), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return None


TRIED = (_open, _create, _socket, _run, _kill, _spoil, _shorten, _trace)
READ, REMEMBER, HOARD, COMPUTE, SLEEP, ABORT, RAISE, SHOUT, ENVIRONMENT = range(100, 109)


def _sleep(_: bytes) -> bytes:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    never = threading.Lock()
    while never.acquire():  # the second time it waits forever, without using the processor
        pass
    return b""


def _compute(_: bytes) -> bytes:
    signal.signal(signal.SIGPROF, signal.SIG_IGN)  # as an attacker would
    while True:
        pass


def _remember(content: bytes) -> bytes:
    remembered.append(content)
    return b"|".join(remembered)


def _raise(_: bytes) -> bytes:
    raise SystemExit(0)


WORK: dict[int, Callable[[bytes], bytes]] = {
    READ: lambda content: content,
    REMEMBER: _remember,
    HOARD: lambda _: bytes(300_000_000)[:1],
    COMPUTE: _compute,
    SLEEP: _sleep,
    ABORT: lambda _: os.abort(),
    RAISE: _raise,
    SHOUT: lambda _: bytes(5_000),
    ENVIRONMENT: lambda _: repr(dict(os.environ)).encode(),
}


def work(file: BinaryIO, task: int) -> bytes:
    if task < len(TRIED):
        try:
            TRIED[task](file)
        except OSError:
            return b"refused"
        return b"done"
    return WORK[task](file.read())


if __name__ == "__main__":
    serve(work, replace(LIMITS, timeout=float(sys.argv[1])))
