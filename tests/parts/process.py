"""One server process of a test: started in a private folder, waited for, stopped by its pid."""

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
    """The server ended or stayed silent before it was ready; the message ends with the tail of its log."""


def free_port() -> int:
    """A loopback port that nothing has at this moment; below those that systems give to outgoing connections, one of
    which would otherwise have it by the time that a server asks for it.
    """
    while not _is_free(port := 10_000 + secrets.randbelow(20_000)):
        pass
    return port


def two_free_ports() -> int:
    """A port that is free together with the next one."""
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
    """Whether something listens on that loopback port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def pause(pid: int) -> None:
    """Stop a process and its children (SIGSTOP), and wait until every thread of them has stopped.

    On a busy machine a thread goes on for a while after the signal was sent, and answers one more request.
    """
    psutil.Process(pid).send_signal(signal.SIGSTOP)
    for child in psutil.Process(pid).children(recursive=True):
        child.send_signal(signal.SIGSTOP)
    while not all(map(_is_stopped, _with_children(pid))):
        time.sleep(0.01)


def resume(pid: int) -> None:
    """Let a paused process and its children go on."""
    for one in reversed(_with_children(pid)):
        one.send_signal(signal.SIGCONT)


@contextmanager
def paused(pid: int) -> Iterator[None]:
    """Pause a process and its children for the block: they neither answer nor close."""
    pause(pid)
    try:
        yield
    finally:
        resume(pid)


def _with_children(pid: int) -> list[psutil.Process]:
    return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]


def _is_stopped(one: psutil.Process) -> bool:
    """Whether no thread of a process runs; its state stands after the name in parentheses (proc(5))."""
    states = [
        thread.read_text().rpartition(")")[2].split()[0] for thread in Path(f"/proc/{one.pid}/task").glob("*/stat")
    ]
    return set(states) <= {"T", "Z"}


def read_by_another(path: Path) -> bytes:
    """A file's bytes, read by another process: this one may use it through SQLite (tests/parts/watch)."""
    return subprocess.run(["cat", "--", path], check=True, capture_output=True).stdout


@contextmanager
def private_folder(*, owner: str | None = None, within: Path | None = None) -> Iterator[Path]:
    """A folder outside of any home, removed at the end; given to `owner` where the caller is root."""
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
    """Run a server until the block ends. It also ends with its parent, so that a killed test run leaves nothing."""
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
    process.send_signal(signal.SIGCONT)  # a test may have left it stopped
    process.send_signal(stop)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
