"""Where the time or the memory of something goes: what a figure below its target is explained with."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench.figures import Shares

TOP = 10


def profile(job: Callable[[], object], *, of: str = "", times: int = 1) -> Shares:
    """Runs the job so often. of: see sampled()."""
    found = Counter[str]()
    with sampled(found, of=of):
        for _ in range(times):
            job()
    return shares(found)


def repeated(job: Callable[[], object], *, seconds: float = 2) -> Shares:
    """Runs a short job again and again."""

    def often() -> None:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            job()

    return profile(often)


@contextmanager
def sampled(found: Counter[str], *, of: str = "") -> Iterator[None]:
    """Count in how many samples each function ran, in any thread that did not wait; known when the block ends.

    of: words in the command line of a process that this one started, which is sampled with all its children; without
    them this process alone.
    """
    with tempfile.TemporaryDirectory() as name:
        raw, output = Path(name, "raw"), Path(name, "output")
        program = shutil.which("py-spy", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        argv = [program or "py-spy", "record", "--subprocesses", "--format", "raw", "--output", str(raw)]
        with output.open("wb") as out:
            spy = subprocess.Popen([*argv, "--rate", "100", "--pid", str(os.getpid())], stdout=out, stderr=out)
        try:
            while b"Sampling" not in output.read_bytes() and spy.poll() is None:
                time.sleep(0.05)
            yield
        finally:
            spy.send_signal(signal.SIGINT)
            spy.wait(60)
        if not raw.exists():
            raise RuntimeError(output.read_text(errors="replace").strip()[-200:])
        found.update(_running(raw.read_text(errors="replace"), of))


def shares(found: Counter[str]) -> Shares:
    """The largest ones, as parts of all."""
    total = found.total() or 1
    return [(count / total, what) for what, count in found.most_common(TOP)]


def of_memory(process: psutil.Process) -> Shares:
    """By what is mapped, PSS."""
    found = Counter[str]()
    for each in process.memory_maps():
        found[Path(each.path).name] += each.pss
    return shares(found)


def _running(raw: str, of: str) -> Counter[str]:
    """py-spy's lines: `process 1:"command";process 2:"command";caller (file:1);function (file:2) 3`."""
    found = Counter[str]()
    for stack, count in re.findall(r"(.+?) (\d+)\n", raw, re.DOTALL):
        if of in stack if of else len(re.findall(r'\bprocess \d+:"', stack)) == 1:
            function = re.sub(r":\d+\)$", ")", stack.rpartition(";")[2])
            # A thread of the server's own, which has no Python function.
            found["native code" if "process " in function and ':"' in function else function] += int(count)
    return found
