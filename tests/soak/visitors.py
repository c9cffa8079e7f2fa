"""People who only look at pages, as a process of their own: `python -m tests.soak.visitors HOME TLS PLAIN`.

What they measure must not depend on how busy the process is that sends CVs and plays the mail server. They also have
more of the CPU than the installation, because browsers run on other machines.

Standard input has a line for each further address to open, until the end of the run. Standard output has a line for
each response: what, time of the monotonic clock, seconds, status.
"""

import itertools
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import httpx

from tests.deploy.behind_nginx import ORIGIN, Behind, NamedTransport
from tests.soak.deployment import COMPANIES, JOBS
from tests.soak.observations import Answer

_PAGES = ("/{slug}/", "/{slug}/?q=welder", "/{slug}/jobs/{job}", "/{slug}/feed.json", "/{slug}/sitemap.xml")
_EMBEDDED = {
    "Referer": "https://www.acme.example/",
    "Sec-Fetch-Dest": "iframe",
    "Sec-Fetch-Site": "cross-site",
}


@contextmanager
def browser(proxy: Behind, trusted: ssl.SSLContext, number: int) -> Iterator[httpx.Client]:
    """Open a browser with a network of its own, which uses the proxy."""
    address = f"127.{number % 199 + 2}.{number // 199 % 250}.1"
    line = NamedTransport(proxy, trusted, address)
    with httpx.Client(transport=line, base_url=ORIGIN, timeout=80) as made:
        yield made


def measured(what: str, send: Callable[[], httpx.Response]) -> tuple[Answer, httpx.Response | None]:
    """Send a request; return its result, of which `begun` is a time of the monotonic clock, and the response."""
    begun = time.monotonic()
    try:
        answer = send()
    except httpx.HTTPError:
        answer = None
    return Answer(what, begun, time.monotonic() - begun, answer.status_code if answer else 0), answer


class Visitors:
    """The running process. seen: called with each of its results."""

    def __init__(self, proxy: Behind, seen: Callable[[Answer], None]) -> None:
        argv = [sys.executable, "-m", "tests.soak.visitors", str(proxy.home), str(proxy.tls), str(proxy.plain)]
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True
        )
        with suppress(OSError):  # needs a privilege
            Path(f"/proc/{self._process.pid}/autogroup").write_text("-10")
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout, seen))
        self._reader.start()

    def open(self, path: str) -> None:
        """Let somebody open an address of the portal."""
        with self._lock:
            print(path, file=self._process.stdin, flush=True)

    def end(self) -> None:
        """End the visits, and wait until all results are there."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._reader.join()
        assert self._process.wait() == 0, "the visitors' process failed"

    def _read(self, lines: IO[str], seen: Callable[[Answer], None]) -> None:
        for line in lines:
            what, begun, seconds, status = line.rstrip("\n").split("\t")
            seen(Answer(what, float(begun), float(seconds), int(status)))


def _look(proxy: Behind, trusted: ssl.SSLContext, number: int) -> None:
    slug, job = COMPANIES[number % 2], number % JOBS
    path = _PAGES[number % len(_PAGES)].format(slug=slug, job=f"{slug}-{job}")
    with browser(proxy, trusted, number) as client:
        _report(measured("page", lambda: client.get(path))[0])


def _look_at_receipt(proxy: Behind, trusted: ssl.SSLContext, number: int, path: str) -> None:
    with browser(proxy, trusted, number) as client:
        _report(measured("page receipt", lambda: client.get(path))[0])


def _embed(proxy: Behind, trusted: ssl.SSLContext, number: int) -> None:
    """Open a company's own page, which loads the script and a frame."""
    with browser(proxy, trusted, number) as client:
        _report(measured("page embed.js", lambda: client.get("/embed.js"))[0])
        _report(measured("page embed", lambda: client.get("/acme/embed/?lang=en", headers=_EMBEDDED))[0])


def _report(one: Answer) -> None:
    sys.stdout.write(f"{one.what}\t{one.begun}\t{one.seconds}\t{one.status}\n")
    sys.stdout.flush()


def _main(home: str, tls: str, plain: str) -> None:
    proxy = Behind(Path(home), int(tls), int(plain))
    trusted = ssl.create_default_context(cafile=str(proxy.home / "fullchain.pem"))
    numbers, over = itertools.count(), threading.Event()
    with ThreadPoolExecutor(max_workers=32) as pool:

        def come(every: float, what: Callable[[Behind, ssl.SSLContext, int], None]) -> None:
            begun = time.monotonic()
            for turn in itertools.count(1):
                pool.submit(what, proxy, trusted, next(numbers))
                if over.wait(max(0.0, begun + turn * every - time.monotonic())):
                    return

        clocks = [threading.Thread(target=come, args=one) for one in ((0.5, _look), (5.0, _embed))]
        for one in clocks:
            one.start()
        for line in sys.stdin:
            pool.submit(_look_at_receipt, proxy, trusted, next(numbers), line.strip())
        over.set()
        for one in clocks:
            one.join()


if __name__ == "__main__":
    _main(*sys.argv[1:])
