"""The front on the server: RSGI, the server's own interface, in front of WSGI.

WSGI cannot tell a slow sender to go: its `read` waits for as long as the other side likes, and a connection is not
closed while one reads from it. It also makes one name of `X-Forwarded-For` and `X_Forwarded_For`. RSGI has each chunk
as it comes and each header as it was sent; so kept answers leave from the server's loop, bodies are received there,
and threads are for work alone.
"""

import asyncio
import io
import logging
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from portal.errors import place_of
from portal.front.answer import Answer, Lines
from portal.front.bodies import Reception, Refusal, has_body, refuse
from portal.front.kept import ASKS
from portal.front.layer import Front
from portal.front.room import WAITING
from portal.front.visits import REQUEST_ID
from portal.logs import Happened, Part, event, request
from portal.logs.outlet import written
from portal.tracing import end as end_tracing

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger(__name__)

_FAULT = Answer("500 INTERNAL SERVER ERROR", [("Content-Type", "text/plain"), ("Cache-Control", "no-store")], b"")


class Headers(Protocol):
    """Of a request, as they were sent; names in lower case."""

    def items(self) -> list[tuple[str, str]]:
        """Each line whose value is text."""
        ...

    def keys(self) -> list[str]:
        """Every name."""
        ...


class HasFront(Protocol):
    """An application whose `wsgi_app` is its front."""

    @property
    def wsgi_app(self) -> object:
        """What it is called through."""
        ...


class Scope(Protocol):
    """A request's head (RSGI 1, HTTP scope). path: decoded. client, server: `address:port`."""

    http_version: str
    server: str
    client: str
    scheme: str
    method: str
    path: str
    query_string: str
    authority: str | None
    headers: Headers


class Exchange(Protocol):
    """A request's body, and the way to answer (RSGI 1, HTTP protocol)."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The body's chunks as they come."""
        ...

    def response_bytes(self, status: int, headers: Lines, body: bytes) -> None:
        """Answer."""
        ...

    def response_file(self, status: int, headers: Lines, file: str) -> None:
        """Answer with a file, which the server reads as it sends; 404 where there is none."""
        ...


_OUTSIDE = 32
"""Requests that may wait for a service or a store, beside those that have a place or wait for one."""
_ASKING = 2
"""Threads for requests that ask whether kept answers still hold: a crowd at the door must not keep those waiting."""
_WATCHING = 2
"""Threads for monitoring, which waits for parts that hang."""
_BODIES = 400
"""Bodies that one process receives at once; each takes up to 64 KB of memory."""


def served(app: "HasFront", *, threads: int, of_network: int | None, bodies: int = _BODIES) -> "Served":
    """What the server runs. threads: requests that work at once. bodies: that are received at once, in all."""
    front = app.wsgi_app
    if not isinstance(front, Front):
        raise TypeError("the application has no front")
    reception = Reception(at_once=bodies, of_network=of_network or bodies)
    return Served(front, reception, threads=threads + WAITING + _OUTSIDE)


class Served:
    """A front as an RSGI application. threads: requests that work, wait for a place or wait outside at once."""

    def __init__(self, front: Front, reception: Reception, *, threads: int) -> None:
        self._front = front
        self._reception = reception
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._inside = 0
        self._asking = ThreadPoolExecutor(_ASKING, thread_name_prefix="asking")
        self._watching = ThreadPoolExecutor(_WATCHING, thread_name_prefix="watching")

    def __rsgi_init__(self, _loop: asyncio.AbstractEventLoop) -> None:
        """The server's process begins to serve."""
        event(Happened.STARTED, part=Part.CHILD)

    def __rsgi_del__(self, _loop: asyncio.AbstractEventLoop) -> None:
        """It ends."""
        end_tracing()
        event(Happened.STOPPED, part=Part.CHILD)
        written()

    async def __rsgi__(self, scope: Scope, exchange: Exchange) -> None:
        """Answer one request."""
        environ, visits = environ_of(scope), self._front.visits
        began = visits.begun(environ)
        try:
            answer = await self._answer(environ, exchange)
        except Exception as error:  # noqa: BLE001  one request's fault is no other's
            with request.under(environ[REQUEST_ID]):
                log.error("a fault in the front: %s", place_of(error))  # noqa: TRY400  a traceback may hold personal data
            answer = replace(_FAULT, body=f"fault {environ[REQUEST_ID]}\n".encode())
        answer = visits.over(environ, began, answer)
        status, body = int(answer.status[:3]), answer.body
        if isinstance(body, bytes):
            exchange.response_bytes(status, answer.lines, body)
        else:
            exchange.response_file(status, answer.lines, str(body))

    async def _answer(self, environ: "WSGIEnvironment", exchange: Exchange) -> Answer:
        front = self._front
        known = front.known(environ)
        if known is not None:
            return known
        if not has_body(environ):
            return await self._made(environ)
        body = await self._reception.receive(exchange, environ, front.bound_of(environ))
        if isinstance(body, Refusal):
            refuse(environ, body)
            return await self._made(environ)
        with body.in_place(environ):
            return await self._made(environ)

    async def _made(self, environ: "WSGIEnvironment") -> Answer:
        if self._front.is_unhindered(environ):
            return self._front.made(environ)
        if environ.get(ASKS):
            return await self._in(self._asking, environ)
        if self._front.is_watched(environ):
            return await self._in(self._watching, environ)
        if self._inside >= self._threads:
            return self._front.busy()
        self._inside += 1
        try:
            return await self._in(self._pool, environ)
        finally:
            self._inside -= 1

    async def _in(self, pool: ThreadPoolExecutor, environ: "WSGIEnvironment") -> Answer:
        return await asyncio.get_running_loop().run_in_executor(pool, self._front.made, environ)


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
    """The WSGI environment of a request, with an empty body. Headers whose names have an underscore are left out."""
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
    for name in scope.headers.keys():  # noqa: SIM118  it is no mapping
        key = _key_of(name)
        if key not in environ:
            environ[key] = ""  # its value is no text: something was said, and not nothing
    environ.pop("", None)
    if "HTTP_HOST" not in environ and scope.authority:
        environ["HTTP_HOST"] = scope.authority
    return environ


def _bytes_of(text: str) -> str:
    """As WSGI has bytes (PEP 3333): a character for each."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


@lru_cache(1_000)
def _key_of(name: str) -> str:
    """In the environment; "" for what is left out."""
    if "_" in name:
        return ""
    key = name.upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
