"""Public pages against a bare Flask view that returns a constant string, on the same server.

Both servers stand side by side, and wrk asks them in turn, so that a machine that slows down for a while slows down
both. The bare view runs under the server's WSGI interface, its fastest way to Flask. Ours writes its access lines.
"""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import wrk
from bench.figures import Measured
from tests.builders import SECRET, portal
from tests.parts.process import accepts, free_port, running
from tests.site.browse.jobs import FILE, vacancy

ROOT = Path(__file__).parents[1]
DRIPPING = 200
READING_AHEAD = 8
"""Seconds in which a server that has just started reads places and occupations beside its requests."""
LARGE = int(os.environ.get("LIST", "10000"))
TEXT = (
    "<h2>Your tasks</h2><p>Weld, measure, explain.</p><ul>" + "<li>Something that matters to robots</li>" * 20 + "</ul>"
)


def run() -> Iterator[Measured]:
    """Job page, lists of 60 and of many jobs, the list as data, alone and beside slow senders; and their bytes."""
    with tempfile.TemporaryDirectory() as folder:
        environment = _site(Path(folder))
        with (
            _serving("bench.constant:app", folder, "wsgi") as plain,
            _serving("portal.app:production_app", folder, "rsgi", environment) as ours,
        ):
            time.sleep(READING_AHEAD)
            yield _compared("job page, cached / bare Flask view", plain, f"{ours}/acme/jobs/j07")
            yield _compared("list page of 60 jobs, cached / bare Flask view", plain, f"{ours}/acme/")
            yield _compared("list page of 10,000 jobs, cached / bare Flask view", plain, f"{ours}/globex/")
            yield _compared("list as data (jobs.json), cached / bare Flask view", plain, f"{ours}/acme/jobs.json")
            with _slow_senders(ours):
                name = "list page of 10,000 jobs beside 200 posts whose bodies arrive slowly / bare Flask view"
                yield _compared(name, plain, f"{ours}/globex/")
            assert "/acme/jobs/j07" in Path(folder, "log").read_text(errors="replace"), "no access lines"
            yield from _bytes(ours)


def _compared(name: str, plain: str, ours: str) -> Measured:
    encodings = ("-H", "Accept-Encoding: gzip, deflate, br")
    return wrk.compared(name, f"{plain}/acme/jobs/j07", ours, *encodings, of="portal.app:production_app")


def _site(folder: Path) -> dict[str, str]:
    from portal.platform.clock import SystemClock

    site = portal(folder / "site", clock=SystemClock(), base_url="http://127.0.0.1")
    for slug, count in (("acme", 60), ("globex", LARGE)):
        file = FILE.format(salary="true", client="false")
        site.add_tenant(slug, slug.title(), file.replace("careers.acme", f"careers.{slug}"))
        site.service.load(slug, [vacancy(f"j{n:02}", f"Robot engineer {n}", TEXT) for n in range(count)])
    site.work.mirror_what_is_due()
    settings = site.parts.settings
    site.parts.database.close()
    return {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
        "PORTAL_BODIES_PER_NETWORK": str(DRIPPING),
        "PORTAL_CONNECTIONS_PER_NETWORK": str(2 * DRIPPING),
    }


@contextmanager
def _serving(target: str, folder: str, interface: str, environment: dict[str, str] | None = None) -> Iterator[str]:
    port = free_port()
    argv = [sys.executable, "-m", "granian", "--interface", interface, "--http", "1", "--factory"]
    argv += ["--host", "127.0.0.1", "--port", str(port), "--workers", "1", "--log-level", "error"]
    argv += ["--blocking-threads", "8", target] if interface == "wsgi" else [target]
    whole = {"PATH": os.defpath, "PYTHONPATH": str(ROOT), **(environment or {})}
    with running(argv, log=Path(folder) / "log", ready=lambda: accepts(port), cwd=ROOT, env=whole):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _slow_senders(ours: str) -> Iterator[None]:
    """As many as are let in stay for ten seconds each; whoever is sent away comes again."""
    port = int(ours.rpartition(":")[2])
    sender = """if 1:
        import socket, sys, time
        port, count = int(sys.argv[1]), int(sys.argv[2])
        head = b"POST /acme/jobs/j07/apply HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: 100000\\r\\n\\r\\n"
        lines = {}
        while True:
            for number in range(count):
                try:
                    if number not in lines:
                        lines[number] = socket.create_connection(("127.0.0.1", port))
                        lines[number].sendall(head)
                    lines[number].sendall(b"x")
                except OSError:
                    lines.pop(number, None)
            time.sleep(0.5)
        """
    sending = subprocess.Popen([sys.executable, "-c", sender, str(port), str(DRIPPING)])
    try:
        yield
    finally:
        sending.kill()
        sending.wait()


def _bytes(ours: str) -> Iterator[Measured]:
    listed, head = _fetched(f"{ours}/acme/")
    yield Measured("list page of 60 jobs in brotli, bytes", listed, f"and {head:,} of its head")
    page, _ = _fetched(f"{ours}/acme/jobs/j07")
    styles = [_fetched(f"{ours}{address}")[0] for address in _styles(f"{ours}/acme/jobs/j07")]
    detail = f"the page {page:,}, {len(styles)} styles {sum(styles):,}"
    yield Measured("first view of a job with its styles in brotli, bytes", page + sum(styles), detail)


def _fetched(url: str) -> tuple[int, int]:
    request = urllib.request.Request(url, headers={"Accept-Encoding": "br"})  # noqa: S310  an address of our own
    with urllib.request.urlopen(request) as answer:  # noqa: S310  an address of our own
        return len(answer.read()), len(str(answer.headers))


def _styles(url: str) -> list[str]:
    """Of its head, which the first text waits for; what stands below the text has styles of its own."""
    with urllib.request.urlopen(url) as answer:  # noqa: S310  an address of our own
        page = answer.read().decode().partition("</head>")[0]
    return [part.partition('"')[0] for part in page.split('rel="stylesheet" href="')[1:]]
