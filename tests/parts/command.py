"""`portal …` as run by an operator: a separate process, forked from one that has already imported the commands.

Importing modules takes most of the time of a command; a test in tests/house checks what each command imports.
"""

import ctypes
import io
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from signal import SIGKILL
from subprocess import CompletedProcess

import psutil

from tests.parts.watch import sqlite_files

_COMMANDS = (
    "backup",
    "check",
    "database",
    "profile",
    "requests",
    "storage",
    "submissions",
    "sync",
    "tenants",
    "tracker",
)
_SERVERS = ("portal.cli.serve", "portal.cli.worker", "portal.app", "granian.server")
_forked = multiprocessing.get_context("forkserver")
_forked.set_forkserver_preload(["portal.cli", *(f"portal.cli.{name}" for name in _COMMANDS), *_SERVERS])
_PR_SET_PDEATHSIG = 1


def portal(*words: str, environment: Mapping[str, str], typed: str = "") -> CompletedProcess[str]:
    """Run a command and return its result.

    environment: all of its PORTAL_… and TRACKER_… variables. typed: its input.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PORTAL_", "TRACKER_"))}
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder) / name for name in ("out", "err")]
        process = _forked.Process(target=_run, args=(words, {**inherited, **environment}, said, typed))
        process.start()
        process.join(60)
        if process.is_alive():
            process.kill()
            process.join()
        return CompletedProcess(words, process.exitcode or 0, *(path.read_text(encoding="utf-8") for path in said))


def started(*words: str, environment: Mapping[str, str], log: Path) -> psutil.Process:
    """Start a command that runs until it is ended, or until this test run ends, in a process group of its own."""
    process = _forked.Process(target=_run_alone, args=(words, dict(environment), [log, log]))
    process.start()
    begun = psutil.Process(process.pid)
    while begun.is_running() and os.getpgid(begun.pid) != begun.pid:
        time.sleep(0.005)
    return begun


def _run_alone(words: tuple[str, ...], environment: dict[str, str], said: list[Path]) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, SIGKILL)
    os.setsid()
    _run(words, environment, said)


def _run(words: tuple[str, ...], environment: dict[str, str], said: list[Path], typed: str = "") -> None:
    if typed:
        sys.stdin = io.StringIO(typed)
    for number, path in enumerate(said, start=1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    watch = sqlite_files.inherited()
    os.environ.clear()
    os.environ.update({**watch, **environment})
    sys.argv = ["portal", *words]
    from portal.cli import main

    main()
