"""A CV on its way: what of it the portal touches, how fast it takes one, and whom fifty slow ones slow down."""

import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from bench.bench_uploads import _forms, _server
from bench.figures import Measured, median
from bench.profiles import of_memory, profile
from tests.builders import portal
from tests.parts.demo import RunningDemo, running_demo
from tests.parts.files import pdf_of
from tests.parts.process import accepts, free_port, running
from tests.parts.radosgw import running_radosgw
from tests.site.apply.applicant import Applicant
from tests.site.apply.conftest import vacancy
from tests.site.apply.direct import Sender

SIZE = 10 * 1024 * 1024
_TIMES = 7
_SLOW = 50
_PER_SECOND = 20_000
_SECONDS = 3.0


def run() -> Iterator[Measured]:
    """Four figures."""
    yield _touched()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_demo(
            Path(folder) / "data", PORTAL_BODIES_PER_NETWORK="200", PORTAL_CONNECTIONS_PER_NETWORK="200"
        ) as demo,
    ):
        yield from _streamed(demo)
        yield from _beside_slow_ones(demo)


def _touched() -> Measured:
    """Bytes of the file in what browsers sent to the portal."""
    received: list[int] = []
    with tempfile.TemporaryDirectory() as folder, running_radosgw() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        made = portal(Path(folder) / "p", attachments=f"s3://{server.bucket}", s3_endpoint=server.endpoint)
        made.add_tenant("acme", "Acme")
        made.service.load("acme", [vacancy("job-1", "Welder")])
        made.work.mirror_what_is_due()
        with made.browser() as browser:
            browser.event_hooks["request"] = [lambda request: received.append(len(request.read()))]
            sender = Sender(Applicant(browser))
            sender.bring("cv.pdf", pdf_of(SIZE))
        made.parts.database.close()
    words = sum(received)
    detail = "bytes of form fields; the portal reads the file once, from the store"
    return Measured("what a browser sends to the portal with a direct upload of 10 MB, bytes", words, detail)


def _timed(job: Callable[[], None]) -> float:
    begun = time.perf_counter()
    job()
    return time.perf_counter() - begun


def _streamed(demo: RunningDemo) -> Iterator[Measured]:
    """Sending the file through the portal, to where it is on disk, beside a loop that writes the same bytes."""
    content, port = os.urandom(SIZE), free_port()  # nobody looks into it here, and photographs are as random
    argv = [sys.executable, "-m", "bench.bare_upload", str(port)]
    with (
        running(argv, log=demo.data.parent / "bare.log", ready=lambda: accepts(port)),
        httpx.Client(trust_env=False, timeout=120) as browser,
    ):
        _address, fields = _forms(demo)[0]
        slug = f"{demo.portal}/acme/uploads/direct"
        asked = browser.post(slug, data={"token": fields["token"], "name": "cv.pdf", "size": str(SIZE)}).json()

        def post(url: str) -> None:
            answer = browser.post(url, data=asked["fields"], files={"file": ("cv.pdf", content)})
            answer.raise_for_status()

        ours, bare = [], []
        for _ in range(_TIMES + 1):
            ours.append(_timed(lambda: post(f"{demo.portal}{asked['url']}")))
            bare.append(_timed(lambda: post(f"http://127.0.0.1:{port}/")))
        mine, theirs = (1_000 * statistics.median(each[1:]) for each in (ours, bare))
        yield median(
            "a file of 10 MB streamed through the portal / bare WSGI loop",
            [b / a for a, b in zip(ours[1:], bare[1:], strict=True)],
            f"{mine:.0f} ms to where it is synced on disk in quarantine / {theirs:.0f} ms, synced too",
            lambda: profile(lambda: post(f"{demo.portal}{asked['url']}"), of="serve", times=30),
        )


def _beside_slow_ones(demo: RunningDemo) -> Iterator[Measured]:
    with httpx.Client(trust_env=False, timeout=60) as browser:
        address, fields = _forms(demo)[0]
        page = address.removesuffix("/apply")
        server = _server(demo)
        rates: dict[bool, list[float]] = {False: [], True: []}
        before = _resident(server)
        grown = 0
        for _ in range(3):
            rates[False].append(_rate(browser, page))
            with _slow_senders(demo, address, fields):
                time.sleep(1)
                rates[True].append(_rate(browser, page))
                grown = max(grown, _resident(server) - before)
        beside, alone = statistics.median(rates[True]), statistics.median(rates[False])
        yield median(
            "job pages beside 50 uploads of 20 KB/s / alone",
            [a / b for a, b in zip(rates[True], rates[False], strict=True)],
            f"{beside:.0f} / {alone:.0f} a second",
            lambda: profile(lambda: _rate(browser, page), of="serve"),
        )
    largest = max(server, key=lambda one: one.memory_info().rss)
    name, detail = "memory grown by 50 uploads of 20 KB/s, MB", f"{before / 2**20:.0f} MB before"
    yield Measured(name, grown / 2**20, detail, (), lambda: of_memory(largest))


def _resident(server: list[psutil.Process]) -> int:
    return sum(one.memory_info().rss for one in server)


def _rate(browser: httpx.Client, page: str) -> float:
    begun, done = time.perf_counter(), 0
    while time.perf_counter() - begun < _SECONDS:
        browser.get(page).raise_for_status()
        done += 1
    return done / (time.perf_counter() - begun)


@contextmanager
def _slow_senders(demo: RunningDemo, address: str, fields: dict[str, str]) -> Iterator[None]:
    request = httpx.Request("POST", address, data=fields, files={"cv": ("cv.pdf", pdf_of(SIZE))})
    body = request.read()
    lines = [f"POST {request.url.raw_path.decode()} HTTP/1.1", f"Host: 127.0.0.1:{demo.port}"]
    lines += [f"{name}: {request.headers[name]}" for name in ("content-type", "content-length")]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode()
    senders = [socket.create_connection(("127.0.0.1", demo.port)) for _ in range(_SLOW)]
    stop = threading.Event()

    def send() -> None:
        place, step = 0, _PER_SECOND // 4
        while not stop.wait(0.25):
            for one in senders:
                one.sendall(body[place : place + step])
            place += step

    for one in senders:
        one.sendall(head)
    sending = threading.Thread(target=send)
    sending.start()
    try:
        yield
    finally:
        stop.set()
        sending.join()
        for one in senders:
            one.close()
