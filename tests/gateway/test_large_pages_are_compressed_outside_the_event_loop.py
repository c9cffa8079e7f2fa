"""A large page is compressed in a thread, because compressing it would block the event loop for milliseconds."""

from math import inf

from werkzeug.test import Client, create_environ

from portal.gateway import Gateway
from portal.gateway.compression import Coding, coded
from portal.gateway.concurrency import ConcurrencyLimit
from portal.gateway.response import GatewayResponse
from portal.gateway.response_cache import ENV_CACHEABLE, CachedResponse, Lifetime
from tests.told_clock import ToldClock

BROTLI = {"HTTP_ACCEPT_ENCODING": "br"}


class Printer:
    """An application with one page behind a gateway; it records when the page is compressed."""

    def __init__(self, size: int) -> None:
        self.compressed: list[Coding] = []
        self.page = CachedResponse(
            [("Content-Type", "text/html")], b"page " * (size // 5), etag="1", lifetime=Lifetime(inf), code=self.code
        )
        self.front = Gateway(
            self.application,
            ToldClock(),
            concurrency=ConcurrencyLimit(1, waiting=0),
            max_body_bytes=lambda _method, _path: None,
            busy=lambda: GatewayResponse("503 BUSY", [], b""),
        )
        Client(self.front).get("/")

    def code(self, body: bytes, coding: Coding) -> bytes:
        self.compressed.append(coding)
        return coded(body, coding)

    def application(self, environ, start_response):
        environ[ENV_CACHEABLE] = self.page
        start_response("200 OK", [])
        return []

    def found(self) -> GatewayResponse | None:
        """Return what the event loop sends without calling the application."""
        return self.front.find_cached(create_environ("/", environ_overrides=BROTLI))


def test_a_large_page_is_compressed_once_in_a_thread():
    printer = Printer(100_000)
    assert printer.found() is None
    assert printer.compressed == []
    answer = Client(printer.front).get("/", environ_overrides=BROTLI)
    assert answer.headers["Content-Encoding"] == "br"
    found = printer.found()
    assert found is not None
    assert found.body == answer.data
    assert printer.compressed == [Coding.BROTLI]


def test_a_small_page_is_sent_by_the_event_loop():
    printer = Printer(10_000)
    found = printer.found()
    assert found is not None
    assert ("Content-Encoding", "br") in found.lines


def test_a_large_page_without_compression_is_sent_by_the_event_loop():
    printer = Printer(100_000)
    assert printer.front.find_cached(create_environ("/")) is not None
