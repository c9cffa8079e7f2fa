"""The simulated service on a real socket, for faults of network connections."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from portal.adapters.tracker_client.client import TrackerClient
from portal.platform.clock import SystemClock
from tests.jobs.standin import StandIn


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    standin: StandIn
    drip: float = 0.0

    def do_GET(self) -> None:
        answer = self.standin.handle_request(httpx.Request("GET", f"http://127.0.0.1{self.path}"))
        content = b"".join(answer.iter_raw())
        self.send_response_only(answer.status_code)
        for name, value in answer.headers.items():
            if name.lower() not in {"content-length", "transfer-encoding"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            if self.drip:
                for byte in content:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(self.drip)
            else:
                self.wfile.write(content)
        except OSError:
            self.close_connection = True  # the client closed the connection

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class Served:
    """The simulated service's address. drip: seconds between two bytes of a response. deadline: the client's."""

    def __init__(self, standin: StandIn) -> None:
        self.handler = type("Handler", (_Handler,), {"standin": standin})
        self._server: ThreadingHTTPServer | None = None
        self._port = 0
        self.deadline = 20.0

    def start(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), self.handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def client(self) -> TrackerClient:
        url = f"http://127.0.0.1:{self._port}"
        return TrackerClient(base_url=url, slug="acme", api_key="k" * 20, clock=SystemClock(), deadline=self.deadline)


@contextmanager
def served(standin: StandIn) -> Iterator[Served]:
    server = Served(standin)
    server.start()
    try:
        yield server
    finally:
        server.stop()
