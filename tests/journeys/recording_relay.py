"""A relay on loopback in front of a real service that records requests and can delay responses."""

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

_OF_ONE_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclass
class RecordedRequest:
    """One request. who: what `Relay.who` made of its source port. Times are of the machine's monotonic clock.

    ended: 0 for a request in progress or held; its client may no longer exist."""

    method: str
    target: str
    headers: dict[str, str]
    who: str
    began: float
    ended: float = 0.0

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.target).query)


@dataclass
class Relay:
    """who: returns a name for the process with a port. slow: seconds by which each response is delayed."""

    behind: int
    port: int = 0
    who: Callable[[int], str] = field(default=lambda _: "")
    slow: float = 0.0
    asked: list[RecordedRequest] = field(default_factory=list)
    _wanted: Callable[[RecordedRequest], bool] = field(default=lambda _: False)
    _held: list[RecordedRequest] = field(default_factory=list)
    _caught: threading.Event = field(default_factory=threading.Event)
    _let_go: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def holding(self, wanted: Callable[[RecordedRequest], bool], *, seconds: float = 60) -> Iterator[RecordedRequest]:
        """Hold the response to the next such request within the block."""
        self._wanted = wanted
        try:
            assert self._caught.wait(seconds), "nobody asked for it"
            yield self._held[0]
        finally:
            self._wanted = lambda _: False
            self._let_go.set()

    def answer(self, handler: BaseHTTPRequestHandler) -> tuple[int, list[tuple[str, str]], bytes]:
        """Return the service's response."""
        headers = {name.lower(): value for name, value in handler.headers.items()}
        who = self.who(handler.client_address[1])
        one = RecordedRequest(handler.command, handler.path, headers, who, began=time.monotonic())
        self.asked.append(one)
        if self._wanted(one) and not self._caught.is_set():
            self._held.append(one)
            self._caught.set()
            self._let_go.wait(60)
        time.sleep(self.slow)
        body = handler.rfile.read(int(headers.get("content-length", 0)))
        connection = http.client.HTTPConnection("127.0.0.1", self.behind, timeout=20)
        try:
            connection.request(handler.command, handler.path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()
            one.ended = 0.0 if one in self._held else time.monotonic()


@contextmanager
def recorded(behind: int) -> Iterator[Relay]:
    """Run a relay to the service on that port within the block."""
    relay = Relay(behind)
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"relay": relay}))
    relay.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield relay
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """Ignore connections that killed clients have broken."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    relay: Relay

    def do_GET(self) -> None:
        self._relay()

    def do_POST(self) -> None:
        self._relay()

    def _relay(self) -> None:
        status, headers, body = self.relay.answer(self)
        self.close_connection = True
        with suppress(OSError):  # the client may have been killed in the meantime
            self.send_response_only(status)
            for name, value in headers:
                if name.lower() not in _OF_ONE_CONNECTION:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = False

    def log_message(self, *_: object) -> None:
        """Log nothing."""
