"""Memory of one process of `portal serve` over 100,000 postings, after mixed load and at rest.

At rest is after one request of each kind, so that what a search keeps in memory belongs to it. PSS, where a page of
memory that several processes share counts for each by its part.

LOAD_SECONDS=3600 make bench ONLY=memory takes an hour; MIRROR=FILE takes a database of SQLite that is there.
"""

import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil

from bench.figures import Measured
from bench.mirror_data import title_of
from bench.profiles import of_memory
from tests.builders import SECRET
from tests.parts.process import accepts, free_port, running

_ROOT = Path(__file__).parents[1]
_POSTINGS = int(os.environ.get("LARGE", "100000"))
_SECONDS = float(os.environ.get("LOAD_SECONDS", "60"))
_VISITORS = 4
_SAMPLES = 5
_PAGES = (
    "",
    "?q={title}",
    "?q={word}&employmentType=fullTime",
    "?near=Berlin&within=50",
    "jobs/v{n}",
    "jobs/v{n}/apply",
)


def run() -> Iterator[Measured]:
    """Two figures, on SQLite, whose memory is the process's own."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        environment = _settings(folder)
        argv = [str(Path(sys.executable).with_name("portal")), "serve", "--port", str(port)]
        with running(argv, log=folder / "log", ready=lambda: accepts(port), cwd=_ROOT, env=environment) as server:
            site = f"http://127.0.0.1:{port}/acme/"
            process = _worker_of(server.pid)
            _visit(site, itertools.count(1), lambda asked: asked < 2 * (len(_PAGES) + 1))
            rest = _megabytes(process)
            answers = _load(site)
            loaded = _megabytes(process)
            counts = ", ".join(f"{count:,} × {status}" for status, count in sorted(answers.items()))
            detail = f"after {_SECONDS:.0f} s of load, {_POSTINGS:,} postings; {rest:.0f} MB at rest; answers: {counts}"
            yield Measured("web process after mixed load, MB of PSS", loaded, detail, (), lambda: of_memory(process))
            ratio = "web process after mixed load / at rest"
            yield Measured(ratio, loaded / rest, f"{loaded:.0f} MB / {rest:.0f} MB", (), lambda: of_memory(process))


def _settings(folder: Path) -> dict[str, str]:
    mirror = Path(os.environ.get("MIRROR", folder / "portal.db"))
    url = f"sqlite:///{mirror}"
    if not mirror.exists():
        subprocess.run(
            [sys.executable, "-m", "bench.bench_mirror", url, str(_POSTINGS)], check=True, capture_output=True
        )
    tenants = folder / "tenants"
    tenants.mkdir()
    (folder / "key").write_text("k" * 20)
    tracker = f'base_url = "http://127.0.0.1:9"\napi_key = "file:{folder / "key"}"'
    (tenants / "acme.toml").write_text(f'name = "Acme"\n[tracker]\n{tracker}\n[publish]\nstages = ["Open"]\n')
    return {
        "PATH": os.defpath,
        "PYTHONPATH": str(_ROOT),
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": url,
        "PORTAL_TENANTS": str(tenants),
        "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
        "PORTAL_MAIL": f"file:{folder / 'mail'}",
    }


def _load(site: str) -> dict[int, int]:
    """Several visitors at once; how often each status was answered."""
    ends, numbers, found = time.monotonic() + _SECONDS, itertools.count(10), list[dict[int, int]]()
    visitors = [
        threading.Thread(target=lambda: found.append(_visit(site, numbers, lambda _: time.monotonic() < ends)))
        for _ in range(_VISITORS)
    ]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()
    every = {status for each in found for status in each}
    return {status: sum(each.get(status, 0) for each in found) for status in every}


def _visit(site: str, numbers: "itertools.count[int]", goes_on: Callable[[int], bool]) -> dict[int, int]:
    answers: dict[int, int] = {}
    with httpx.Client(base_url=site, trust_env=False, timeout=60) as client:
        asked = 0
        while goes_on(asked):
            number = next(numbers) * 7_919 % _POSTINGS
            title = title_of(number)
            which = asked % (len(_PAGES) + 1)
            if which == len(_PAGES):
                answer = client.post(f"jobs/v{number}/apply", data={"firstName": "Ada", "message": title * 20})
            else:
                answer = client.get(_PAGES[which].format(n=number, title=title, word=title.split()[1]))
            answers[answer.status_code] = answers.get(answer.status_code, 0) + 1
            asked += 1
    return answers


def _worker_of(pid: int) -> psutil.Process:
    """The process that serves, which the first one starts."""
    started = psutil.Process(pid).children(recursive=True)
    return max(started, key=lambda process: process.memory_info().rss)


def _megabytes(process: psutil.Process) -> float:
    samples: list[float] = []
    for _ in range(_SAMPLES):
        time.sleep(1)
        samples.append(float(process.memory_full_info().pss) / 2**20)
    return statistics.median(samples)
