"""Health checks on a separate socket, which responds even while all connections of the main one are in use.

A process accepts a limited number of connections at once; a client that takes all of them blocks health checks too. So
the same Gateway serves them a second time from a few threads, on an address that only monitoring can reach.
"""

import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from socketserver import TCPServer, ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_AT_ONCE = 16
"""Checks that are served at once; a further one takes the place of the oldest connection, which is closed."""
_TIMEOUT = 10
"""Seconds for which a client may be silent."""
_NO_GUESSING = ("X-Content-Type-Options", "nosniff")
_PLAIN = [("Content-Type", "text/plain; charset=utf-8"), _NO_GUESSING]


class _Handler(WSGIRequestHandler):
    timeout = _TIMEOUT

    def end_headers(self) -> None:
        """End the headers; only errors that the standard library responds to are sent this way."""
        self.send_header(*_NO_GUESSING)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing: the access log has the request."""


class HealthServer(ThreadingMixIn, WSGIServer):
    """HTTP server that listens once it is constructed; several processes may share one address."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, application: "WSGIApplication", paths: Iterable[str]) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._free = threading.BoundedSemaphore(_AT_ONCE)
        self._open: dict[socket.socket, None] = {}
        super().__init__((host, port), _Handler)
        self.set_app(_only(application, frozenset(paths)))

    def server_bind(self) -> None:
        """Bind so that every process of a server listens; the kernel chooses which of them gets a connection."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        TCPServer.server_bind(self)  # HTTPServer's would also ask a name server, and wait for it
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  socketserver's signature
        """Handle the request in a separate thread; if all are in use, end the oldest: slow clients block no check."""
        is_free = self._free.acquire(blocking=False)
        if not is_free and (oldest := next(iter(self._open), None)):
            with suppress(OSError):  # closed meanwhile
                oldest.shutdown(socket.SHUT_RDWR)
        if is_free or self._free.acquire(timeout=_TIMEOUT):
            self._open[request] = None
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  as above
        """Handle the request in its thread, then release the thread's place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._open.pop(request, None)
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  as above
        """Ignore the error: a client that disconnects is not a fault of this server."""

    def begin(self) -> None:
        """Start to serve in a thread."""
        threading.Thread(target=self.serve_forever, daemon=True, name="health").start()


def answering(is_healthy: Callable[[], bool]) -> "WSGIApplication":
    """Return an application that responds 200 while `is_healthy` returns true, otherwise 503."""

    def answer(_environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        status, text = ("200 OK", b"ok\n") if is_healthy() else ("503 Service Unavailable", b"stuck: restart it\n")
        start_response(status, [*_PLAIN, ("Content-Length", str(len(text)))])
        return [text]

    return answer


def _only(application: "WSGIApplication", paths: frozenset[str]) -> "WSGIApplication":
    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ["PATH_INFO"] in paths and environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
            return application(environ, start_response)
        start_response("404 Not Found", [*_PLAIN, ("Content-Length", "0")])
        return [b""]

    return answer
