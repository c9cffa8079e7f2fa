"""Public pages against a bare Flask view that returns a constant string, on the same server and settings.

Both servers stand side by side; rounds of wrk alternate between them, and a figure is the median of the ratios of
neighbouring rounds, so that a machine that slows down for a while slows down both.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.figures import Figure
from tests.browse.jobs import FILE, vacancy
from tests.builders import SECRET, portal
from tests.parts.process import accepts, free_port, running

ROOT = Path(__file__).parents[1]
ROUNDS = 7
SECONDS = 2
TEXT = (
    "<h2>Your tasks</h2><p>Weld, measure, explain.</p><ul>" + "<li>Something that matters to robots</li>" * 20 + "</ul>"
)


def run() -> Iterator[Figure]:
    """Job page and list of 60 jobs."""
    if not shutil.which("wrk"):
        print("    bench_pages needs wrk: apt-get install wrk")
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = _sixty_jobs(Path(folder))
        with (
            _serving("bench.constant:app", folder) as plain,
            _serving("portal.app:from_env", folder, environment) as ours,
        ):
            yield _figure("job page, kept, against a constant string", 0.7, plain, f"{ours}/acme/jobs/j07")
            yield _figure("list of 60 jobs, kept, against a constant string", 0.5, plain, f"{ours}/acme/")


def _sixty_jobs(folder: Path) -> dict[str, str]:
    from portal.clock import SystemClock

    site = portal(folder / "site", clock=SystemClock(), base_url="http://127.0.0.1")
    site.add_tenant("acme", "Acme Robotics", FILE.format(salary="true", client="false"))
    site.service.load("acme", [vacancy(f"j{n:02}", f"Robot engineer {n}", TEXT) for n in range(60)])
    site.work.mirror_what_is_due()
    settings = site.parts.settings
    site.parts.database.close()
    return {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
    }


@contextmanager
def _serving(target: str, folder: str, environment: dict[str, str] | None = None) -> Iterator[str]:
    port = free_port()
    argv = [
        sys.executable,
        "-m",
        "granian",
        "--interface",
        "wsgi",
        "--factory",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    argv += ["--workers", "1", "--blocking-threads", "8", "--log-level", "error", target]
    whole = {"PATH": os.defpath, "PYTHONPATH": str(ROOT), **(environment or {})}
    with running(argv, log=Path(folder) / "log", ready=lambda: accepts(port), cwd=ROOT, env=whole):
        yield f"http://127.0.0.1:{port}"


def _figure(name: str, target: float, plain: str, ours: str) -> Figure:
    plain_url = f"{plain}/acme/jobs/j07"
    _per_second(plain_url), _per_second(ours)  # warm
    rounds = [(_per_second(plain_url), _per_second(ours)) for _ in range(ROUNDS)]
    ratio = statistics.median(mine / theirs for theirs, mine in rounds)
    theirs, mine = (statistics.median(column) for column in zip(*rounds, strict=True))
    detail = f"{mine:,.0f} of {theirs:,.0f} requests a second, median of {ROUNDS} pairs of {SECONDS} s, 16 connections"
    return Figure(name, ratio, target, "at least", detail)


def _per_second(url: str) -> float:
    done = subprocess.run(["wrk", "-t1", "-c16", f"-d{SECONDS}s", url], capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout:
        raise RuntimeError(f"{url} did not answer 200")
    return float(done.stdout.split("Requests/sec:")[1].split()[0])
