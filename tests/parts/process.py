"""Server processes of tests: started in a private folder, and stopped by their process id."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.parts.leaks import WITNESS


class NotStarted(Exception):
    """The server ended, or was not ready in time; the message ends with the last lines of its log."""


LOWEST_PORT = 10_081
"""Browsers refuse to connect to 10080 and to some ports below it (Fetch, § 2.9, "bad port")."""


def free_port() -> int:
    """Return a loopback port that is free now and that browsers connect to.

    It is below the range for outgoing connections, one of which could otherwise take it before the server starts.
    """
    while not _is_free(port := LOWEST_PORT + secrets.randbelow(20_000)):
        pass
    return port


def two_free_ports() -> int:
    """Return a free port whose next one is free too."""
    while not _is_free((port := free_port()) + 1):
        pass
    return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def accepts(port: int) -> bool:
    """Return whether something listens on that loopback port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def pause(pid: int) -> None:
    """Stop a process and its children (SIGSTOP), and wait until every thread of them has stopped.

    On a busy machine a thread runs on for a while after the signal, and could answer another request.
    """
    psutil.Process(pid).send_signal(signal.SIGSTOP)
    for child in psutil.Process(pid).children(recursive=True):
        child.send_signal(signal.SIGSTOP)
    while not all(map(_is_stopped, _with_children(pid))):
        time.sleep(0.01)


def resume(pid: int) -> None:
    """Resume a paused process and its children."""
    for one in reversed(_with_children(pid)):
        one.send_signal(signal.SIGCONT)


@contextmanager
def paused(pid: int) -> Iterator[None]:
    """Pause a process and its children within the block: they neither respond nor close connections."""
    pause(pid)
    try:
        yield
    finally:
        resume(pid)


def _with_children(pid: int) -> list[psutil.Process]:
    return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]


def _is_stopped(one: psutil.Process) -> bool:
    """Return whether no thread of a process is running. The state follows the name in parentheses (proc(5))."""
    states = [
        thread.read_text().rpartition(")")[2].split()[0] for thread in Path(f"/proc/{one.pid}/task").glob("*/stat")
    ]
    return set(states) <= {"T", "Z"}


def read_by_another(path: Path) -> bytes:
    """Return a file's bytes, read by another process: this one may use it through SQLite (tests/parts/watch)."""
    return subprocess.run(["cat", "--", path], check=True, capture_output=True).stdout


@contextmanager
def private_folder(*, owner: str | None = None, within: Path | None = None) -> Iterator[Path]:
    """Yield a folder outside of any home, removed at the end; as root, `owner` becomes its owner."""
    path = Path(tempfile.mkdtemp(prefix="careers-part-", dir=within))
    try:
        if owner is not None and os.geteuid() == 0:
            shutil.chown(path, owner)
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def running(
    argv: Sequence[str],
    *,
    log: Path,
    ready: Callable[[], bool],
    seconds: float = 120,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    user: str | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server within the block. It also ends with its parent, so that a killed test run leaves nothing behind."""
    tied = [setpriv, "--pdeathsig", "TERM", "--"] if (setpriv := shutil.which("setpriv")) else []
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*tied, *argv],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=None if env is None else {**os.environ, **env},
            cwd=cwd,
            user=user if os.geteuid() == 0 else None,
            group=user if os.geteuid() == 0 else None,
            extra_groups=[] if user is not None and os.geteuid() == 0 else None,
        )
    try:
        _wait(process, argv[0], log=log, ready=ready, seconds=seconds)
        yield process
    finally:
        _end(process, stop)
        if any("portal" in Path(word).name for word in argv):
            WITNESS.read_file(log)


def _wait(process: subprocess.Popen[bytes], name: str, *, log: Path, ready: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            state = f"ended with {process.returncode}" if process.returncode is not None else f"silent for {seconds} s"
            tail = log.read_text(encoding="utf-8", errors="replace")[-2_000:]
            raise NotStarted(f"{name} {state}\n{tail}")
        time.sleep(0.02)


def _end(process: subprocess.Popen[bytes], stop: signal.Signals) -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGCONT)  # a test may have left it paused
    process.send_signal(stop)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
