"""The gateway on the production server, Granian, by its own interface between server and application: RSGI.

WSGI cannot disconnect a slow sender: its `read` has no time limit, and a connection cannot be closed while a thread
reads from it. It also maps `X-Forwarded-For` and `X_Forwarded_For` to one name. RSGI delivers each chunk as it arrives
and each header as it was sent; so cached responses are sent from the server's event loop, bodies are received there,
and threads are used only for the application's work.
"""

import asyncio
import io
import logging
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from portal.gateway.access_log import ENV_REQUEST_ID
from portal.gateway.concurrency import WAITING, half
from portal.gateway.connections import UNREAD, keep_watching
from portal.gateway.health_server import HealthServer
from portal.gateway.layer import Gateway, is_post, network
from portal.gateway.request_bodies import BodyReceiver, BodyRejection, has_body, refuse
from portal.gateway.response import GatewayResponse, Lines
from portal.gateway.response_cache import ENV_REVALIDATES
from portal.platform.errors import error_location
from portal.platform.logs import EventName, Part, event, request
from portal.platform.logs.stderr_writer import flush_all
from portal.platform.tracing import end as end_tracing

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger(__name__)

_FAULT = GatewayResponse(
    "500 INTERNAL SERVER ERROR", [("Content-Type", "text/plain"), ("Cache-Control", "no-store")], b""
)


_SERVER = ("Server", "portal")
"""Replaces the name of the server program, which the server otherwise sends and no client needs."""


class Headers(Protocol):
    """Headers of a request as they were sent; names in lower case."""

    def items(self) -> list[tuple[str, str]]:
        """Return each header whose value is text."""

    def keys(self) -> list[str]:
        """Return every name."""


class HasGateway(Protocol):
    """Application whose `wsgi_app` is a Gateway."""

    @property
    def wsgi_app(self) -> object:
        """The WSGI callable."""


class Scope(Protocol):
    """Head of a request (RSGI 1, HTTP scope). path: decoded. client, server: `address:port`."""

    http_version: str
    server: str
    client: str
    scheme: str
    method: str
    path: str
    query_string: str
    authority: str | None
    headers: Headers


class RsgiProtocol(Protocol):
    """Body of a request, and the methods to respond with (RSGI 1, HTTP protocol)."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Iterate over the body's chunks as they arrive."""

    def response_bytes(self, status: int, headers: Lines, body: bytes) -> None:
        """Respond with bytes."""

    def response_file(self, status: int, headers: Lines, file: str) -> None:
        """Respond with a file, which the server reads as it sends; with 404 where it does not exist."""


_OUTSIDE = 32
"""Requests that may wait for the tracking service or file storage, beside those that hold a slot or wait for one."""
_ASKING = 2
"""Threads for requests that revalidate cached responses: many other requests must not delay them."""
_WATCHING = 2
"""Threads for monitoring requests, which may block on parts that hang."""
_BODIES = 400
"""Bodies that one process receives at once; each uses up to 200 KB of memory."""


def rsgi_application(
    app: "HasGateway",
    *,
    threads: int,
    bodies_per_network: int | None,
    bodies: int = _BODIES,
    connections_per_network: int | None = None,
    unread: float = UNREAD,
    health: tuple[str, int] | None = None,
) -> "RsgiApplication":
    """Return the application for the server. threads: requests that work at once. bodies: received at once, in total.

    bodies_per_network: of these, from one network; None: all. connections_per_network: None: unlimited. unread: seconds
    (see connections). health: host and port on which health checks are also served (see health_server). Raises
    TypeError if `app.wsgi_app` is not a Gateway.
    """
    front = app.wsgi_app
    if not isinstance(front, Gateway):
        raise TypeError("the application has no gateway")
    reception = BodyReceiver(at_once=bodies, per_network=bodies_per_network or bodies)

    def begins() -> None:
        keep_watching(per_network=connections_per_network, unread=unread)
        if health is not None:
            HealthServer(*health, front, front.monitoring_paths).begin()

    return RsgiApplication(front, reception, threads=threads + WAITING + _OUTSIDE, begins=begins)


class RsgiApplication:
    """Gateway as an RSGI application. threads: pages that work, wait for a slot or wait for other systems at once, and
    as many posts; a network has at most half of either.

    begins: called when the server's process starts to serve.
    """

    def __init__(
        self, front: Gateway, reception: BodyReceiver, *, threads: int, begins: Callable[[], None] = lambda: None
    ) -> None:
        self._front = front
        self._reception = reception
        self._begins = begins
        self._threads = threads
        self._pools = {kind: ThreadPoolExecutor(threads, thread_name_prefix="request") for kind in (False, True)}
        """Threads for pages (False) and for posts (True)."""
        self._inside: dict[bool, Counter[str]] = {kind: Counter() for kind in self._pools}
        """Requests that these threads handle now, by network."""
        self._asking = ThreadPoolExecutor(_ASKING, thread_name_prefix="asking")
        self._watching = ThreadPoolExecutor(_WATCHING, thread_name_prefix="watching")

    def __rsgi_init__(self, _loop: asyncio.AbstractEventLoop) -> None:
        """Run when the server's process starts to serve."""
        self._begins()
        event(EventName.STARTED, part=Part.CHILD)

    def __rsgi_del__(self, _loop: asyncio.AbstractEventLoop) -> None:
        """Run when the server's process ends."""
        end_tracing()
        event(EventName.STOPPED, part=Part.CHILD)
        flush_all()

    async def __rsgi__(self, scope: Scope, exchange: RsgiProtocol) -> None:
        """Respond to one request."""
        environ, access_log = environ_of(scope), self._front.access_log
        began = access_log.begin(environ)
        try:
            answer = await self._answer(environ, exchange)
        except Exception as error:  # noqa: BLE001  an error in one request must not affect others
            with request.logging_request(environ[ENV_REQUEST_ID]):
                log.error("internal error in the front: %s", error_location(error))  # noqa: TRY400  a traceback may hold personal data
            answer = GatewayResponse(_FAULT.status, _FAULT.lines, f"fault {environ[ENV_REQUEST_ID]}\n".encode())
        answer = access_log.finish(environ, began, answer)
        status, lines, body = int(answer.status[:3]), [*answer.lines, _SERVER], answer.body
        if isinstance(body, bytes):
            exchange.response_bytes(status, lines, body)
        else:
            exchange.response_file(status, lines, str(body))

    async def _answer(self, environ: "WSGIEnvironment", exchange: RsgiProtocol) -> GatewayResponse:
        front = self._front
        cached = front.find_cached(environ)
        if cached is not None:
            return cached
        if not has_body(environ):
            return await self._made(environ)
        body = await self._reception.receive(exchange, environ, front.max_body_bytes(environ))
        if isinstance(body, BodyRejection):
            refuse(environ, body)
            return await self._made(environ)
        with body.in_place(environ):
            return await self._made(environ)

    async def _made(self, environ: "WSGIEnvironment") -> GatewayResponse:
        if self._front.is_unlimited(environ):
            return self._front.respond(environ)
        if environ.get(ENV_REVALIDATES):
            return await self._in(self._asking, environ)
        if self._front.is_monitoring(environ):
            return await self._in(self._watching, environ)
        kind, of = is_post(environ), network(environ)
        inside = self._inside[kind]
        if inside.total() >= self._threads or inside[of] >= half(self._threads):
            return self._front.busy()
        inside[of] += 1
        try:
            return await self._in(self._pools[kind], environ)
        finally:
            inside[of] -= 1
            if not inside[of]:
                del inside[of]

    async def _in(self, pool: ThreadPoolExecutor, environ: "WSGIEnvironment") -> GatewayResponse:
        return await asyncio.get_running_loop().run_in_executor(pool, self._front.respond, environ)


_ALWAYS: dict[str, Any] = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.input_terminated": True,
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}


def environ_of(scope: Scope) -> dict[str, Any]:
    """Return a request's WSGI environment, with an empty body. Headers with an underscore in the name are dropped."""
    client, _, client_port = scope.client.rpartition(":")
    server, _, server_port = scope.server.rpartition(":")
    environ: dict[str, Any] = {
        **_ALWAYS,
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": _bytes_of(scope.path),
        "QUERY_STRING": _bytes_of(scope.query_string),
        "REMOTE_ADDR": client.strip("[]"),
        "REMOTE_PORT": client_port,
        "SERVER_NAME": server,
        "SERVER_PORT": server_port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(),
    }
    for name, value in scope.headers.items():
        key = _key_of(name)
        before = environ.get(key)
        environ[key] = value if before is None else f"{before}{'; ' if key == 'HTTP_COOKIE' else ','}{value}"
    for name in scope.headers.keys():  # noqa: SIM118  it is not a mapping
        key = _key_of(name)
        if key not in environ:
            environ[key] = ""  # its value is not text: the header was sent, so it must not look absent
    environ.pop("", None)
    if scope.authority:
        # The request target names its host (absolute form), so the Host header must be ignored: RFC 9112 §3.2.2.
        environ["HTTP_HOST"] = scope.authority
    return environ


def _bytes_of(text: str) -> str:
    """Return text as WSGI represents bytes (PEP 3333): one character for each byte."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


@lru_cache(1_000)
def _key_of(name: str) -> str:
    """Return a header's key in the environment; "" for a header that is dropped."""
    if "_" in name:
        return ""
    key = name.upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
