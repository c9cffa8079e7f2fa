"""A large feed: what making it takes of memory, and how fast it leaves against the same bytes as a file.

Memory is the serving process's own (PSS), looked at every 20 ms while a feed is made, above what it was at rest after
pages of several kinds. The static file is served by the same server's own file service. FEED=N: so many jobs.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil

from bench import wrk
from bench.figures import Measured
from bench.profiles import of_memory
from tests.builders import SECRET
from tests.parts.process import accepts, free_port, running

_ROOT = Path(__file__).parents[1]
_POSTINGS = int(os.environ.get("FEED", "20000"))
_FEEDS = ("feed.atom", "feed.json", "indeed.xml", "linkedin.xml")
_BOARDS = ("/v1/boards/acme/jobs?content=true", "/v1/boards/acme/offices", "/v0/postings/acme")


def run() -> Iterator[Measured]:
    """Memory of the dearest feed, and how fast one is sent."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment, log = _settings(folder), folder / "log"
        port = free_port()
        argv = [str(Path(sys.executable).with_name("portal")), "serve", "--port", str(port)]
        with running(argv, log=log, ready=lambda: accepts(port), cwd=_ROOT, env=environment) as server:
            site = f"http://127.0.0.1:{port}"
            process = max(psutil.Process(server.pid).children(recursive=True), key=lambda one: one.memory_info().rss)
            yield _memory(site, process)
            static = folder / "static"
            static.mkdir()
            (static / "feed.atom").write_bytes(httpx.get(f"{site}/acme/feed.atom", trust_env=False, timeout=60).content)
            with _static(static, log, environment) as plain:
                urls, of = (f"{plain}/static/feed.atom", f"{site}/acme/feed.atom"), f"serve --port {port}"
                ratio = "a feed / the same bytes as a static file"
                yield wrk.compared(ratio, *urls, of=of, connections=4, what="Transfer")


def _memory(site: str, process: psutil.Process) -> Measured:
    with httpx.Client(base_url=site, trust_env=False, timeout=600) as client:
        for path in ("/acme/", "/acme/?q=nurse", "/acme/jobs/v1", "/v1/boards/acme", "/v0/postings/acme?limit=1"):
            client.get(path)
        time.sleep(1)
        rest = _megabytes(process)
        peaks, took = dict[str, float](), dict[str, float]()
        for path in (*(f"/acme/{name}" for name in _FEEDS), *_BOARDS):
            with _watching(process) as seen:
                began = time.monotonic()
                while client.head(path).status_code == 503:
                    time.sleep(0.1)
                took[path] = time.monotonic() - began
            peaks[path] = max(seen) - rest
    dearest = max(peaks, key=lambda path: peaks[path])
    each = ", ".join(f"{path} {peaks[path]:.0f} MB in {took[path]:.1f} s" for path in peaks)
    detail = f"{_POSTINGS:,} jobs; {rest:.0f} MB at rest; {each}"
    return Measured(
        "memory above rest while a feed is made, MB", peaks[dearest], detail, (), lambda: of_memory(process)
    )


@contextmanager
def _static(folder: Path, log: Path, environment: dict[str, str]) -> Iterator[str]:
    """Another process of the same server with the same threads, which answers before it asks any application."""
    port = free_port()
    argv = [sys.executable, "-m", "granian", "--interface", "rsgi", "--http", "1", "--factory", "--log-level", "error"]
    argv += ["--host", "127.0.0.1", "--port", str(port), "--workers", "1", "portal.app:production_app"]
    argv += ["--static-path-route", "/static", "--static-path-mount", str(folder)]
    with running(argv, log=log, ready=lambda: accepts(port), cwd=_ROOT, env=environment):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _watching(process: psutil.Process) -> Iterator[list[float]]:
    seen, ended = [_megabytes(process)], threading.Event()

    def look() -> None:
        while not ended.wait(0.02):
            seen.append(_megabytes(process))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        ended.set()
        watcher.join()


def _megabytes(process: psutil.Process) -> float:
    return float(process.memory_full_info().pss) / 2**20


def _settings(folder: Path) -> dict[str, str]:
    mirror = folder / "portal.db"
    argv = [sys.executable, "-m", "bench.bench_mirror", f"sqlite:///{mirror}", str(_POSTINGS)]
    subprocess.run(argv, check=True, capture_output=True)
    tenants = folder / "tenants"
    tenants.mkdir()
    (folder / "key").write_text("k" * 20)
    tracker = f'base_url = "http://127.0.0.1:9"\napi_key = "file:{folder / "key"}"'
    (tenants / "acme.toml").write_text(f'name = "Acme"\n[tracker]\n{tracker}\n[publish]\nstages = ["Open"]\n')
    return {
        "PATH": os.defpath,
        "PYTHONPATH": str(_ROOT),
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": f"sqlite:///{mirror}",
        "PORTAL_TENANTS": str(tenants),
        "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
        "PORTAL_MAIL": f"file:{folder / 'mail'}",
    }
