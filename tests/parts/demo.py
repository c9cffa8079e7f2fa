"""Runs the complete demo like an operator: `portal demo` as a process tree on free ports."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.parts.process import two_free_ports


@dataclass
class RunningDemo:
    """A running demo: its addresses and its folder."""

    port: int
    data: Path
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def portal(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def service(self) -> str:
        return f"http://127.0.0.1:{self.port + 1}"

    def key(self, slug: str) -> str:
        return (self.data / "keys" / slug).read_text(encoding="utf-8").strip()

    def everyone(self) -> list[psutil.Process]:
        """The process and all its descendants."""
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]


@contextmanager
def running_demo(
    data: Path,
    *,
    port: int | None = None,
    portal: Sequence[str] = (sys.executable, "-m", "portal.cli"),
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    **environment: str,
) -> Iterator[RunningDemo]:
    """Start a demo, wait for the line that begins with "Ready", and stop it with Ctrl-C at the end.

    portal: the command. environ: instead of this process's environment.
    """
    port = port or two_free_ports()
    data.parent.mkdir(parents=True, exist_ok=True)
    log = data.parent / f"{data.name}.log"
    inherited = {k: v for k, v in (environ or os.environ).items() if not k.startswith(("PORTAL_", "TRACKER_"))}
    command = [*portal, "demo", "--port", str(port), "--data", str(data)]
    with log.open("ab") as out:
        started = out.tell()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**inherited, **environment}, cwd=cwd
        )
    try:
        until = time.monotonic() + 120
        while b"\nReady" not in log.read_bytes()[started:]:
            if process.poll() is not None or time.monotonic() > until:
                raise AssertionError("the demo did not become ready:\n" + log.read_text(errors="replace")[-3_000:])
            time.sleep(0.05)
        yield RunningDemo(port, data, process, log)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(45)
            except subprocess.TimeoutExpired:
                for one in psutil.Process(process.pid).children(recursive=True):
                    one.kill()
                process.kill()
                process.wait()
                raise
