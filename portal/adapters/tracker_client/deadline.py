"""Connections on which a whole exchange (a request and its response) ends by a deadline.

httpx's timeouts apply to single reads and writes, so a server that sends one byte a second never exceeds them. Here
every operation on the socket gets the time that the exchange has left: connecting, TLS, each write, each read, headers
and body alike. Only the system's name resolution cannot be interrupted.
"""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from ssl import SSLContext, cert_time_to_seconds
from typing import Any

import httpcore
import httpx

from portal.platform.clock import Clock

_WRITE_AT_ONCE = 16_384
_IDLE_MOST = 32
_IDLE_SECONDS = 4
"""Several servers close a connection that was idle for 5 s, the service in this project after 10. A request on a
connection that is being closed is ambiguous, so this end has to close it first."""
_Options = Iterable[tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]]


@dataclass(slots=True)
class HttpExchange:
    """One request and its response.

    wrote: whether a byte of the request may have been sent; None with another transport, which cannot tell.
    """

    clock: Clock
    ends: float
    wrote: bool | None = None

    def left(self) -> float:
        """Return the seconds until the deadline; 0 or less after it."""
        return self.ends - self.clock.monotonic()


_current: ContextVar[HttpExchange | None] = ContextVar("exchange", default=None)
_shared_deadline: ContextVar[float | None] = ContextVar("shared deadline", default=None)
"""Deadline that several exchanges share, as monotonic time."""


@contextmanager
def within(clock: Clock, seconds: float) -> Iterator[None]:
    """Limit all exchanges that this thread makes inside the block to `seconds`, taken together."""
    token = _shared_deadline.set(clock.monotonic() + seconds)
    try:
        yield
    finally:
        _shared_deadline.reset(token)


@contextmanager
def exchange(clock: Clock, seconds: float) -> Iterator[HttpExchange]:
    """Limit this thread's use of DeadlineTransport connections inside the block to `seconds`, or to less."""
    shared, ends = _shared_deadline.get(), clock.monotonic() + seconds
    entered = HttpExchange(clock, ends if shared is None else min(ends, shared))
    token = _current.set(entered)
    try:
        yield entered
    finally:
        _current.reset(token)


class DeadlineTransport(httpx.HTTPTransport):
    """httpx's transport with a deadline: pooled connections, HTTP/1.1, no proxy.

    The number of active connections is not limited here, because callers limit it; few idle ones are kept, for a short
    time. may_reach: whether connections to an IP address are allowed; checked at every connection, so that a host name
    whose addresses change later cannot lead elsewhere. certificates: (host, port) → when the certificate of the newest
    TLS connection to it expires.
    """

    def __init__(self, *, may_reach: Callable[[str], bool] = lambda _: True) -> None:
        # Not super().__init__(): httpx does not let callers choose the network backend of its pool.
        self.certificates: dict[tuple[str, int], datetime] = {}
        self._pool = httpcore.ConnectionPool(
            ssl_context=_ssl_context(),
            max_connections=None,
            max_keepalive_connections=_IDLE_MOST,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=_Backend(may_reach, self.certificates),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request and return the response; raise httpx's exceptions."""
        current = _current.get()
        if current is not None:
            current.wrote = False
        request.extensions["timeout"] = {"pool": _seconds_left(None, httpx.PoolTimeout)}
        return super().handle_request(request)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, may_reach: Callable[[str], bool], certificates: dict[tuple[str, int], datetime]) -> None:
        self._inner = httpcore.SyncBackend()
        self._may_reach = may_reach
        self._certificates = certificates

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: _Options | None = None,
    ) -> httpcore.NetworkStream:
        found = _addresses(host, port)
        addresses = [address for address in found if self._may_reach(address)]
        if found and not addresses:
            raise httpcore.ConnectError("the name leads into a private network")
        failure: httpcore.ConnectError | httpcore.ConnectTimeout = httpcore.ConnectError("the name has no address")
        for tried, address in enumerate(addresses):
            # An address that drops packets must not use up the time of the next ones.
            share = _seconds_left(timeout, httpcore.ConnectTimeout) / (len(addresses) - tried)
            try:
                inner = self._inner.connect_tcp(address, port, share, local_address, socket_options)
                return _Stream(inner, partial(self._certificates.__setitem__, (host, port)))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as exc:
                failure = exc
        raise failure


class _Stream(httpcore.NetworkStream):
    """A stream whose operations end by the deadline. secured: called with the certificate's expiry after TLS starts."""

    def __init__(self, inner: httpcore.NetworkStream, secured: Callable[[datetime], None]) -> None:
        self._inner = inner
        self._secured = secured

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _seconds_left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # In pieces, because the inner stream applies the timeout to each piece that the other side accepts.
        for start in range(0, len(buffer), _WRITE_AT_ONCE):
            left = _seconds_left(timeout, httpcore.WriteTimeout)
            current = _current.get()
            if current is not None:
                current.wrote = True
            self._inner.write(buffer[start : start + _WRITE_AT_ONCE], left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _seconds_left(timeout, httpcore.ConnectTimeout)
        inner = self._inner.start_tls(ssl_context, server_hostname, left)
        ends = inner.get_extra_info("ssl_object").getpeercert().get("notAfter")
        if ends is not None:
            self._secured(datetime.fromtimestamp(cert_time_to_seconds(ends), UTC))
        return _Stream(inner, self._secured)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401  httpcore's signature
        return self._inner.get_extra_info(info)


def _seconds_left(timeout: float | None, error: Callable[[str], Exception]) -> float:
    current = _current.get()
    if current is None:
        raise RuntimeError("a connection to the service is used outside of an exchange, so without a deadline")
    left = current.left()
    if left <= 0:
        raise error("the time for this exchange is up")
    return left if timeout is None else min(left, timeout)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise httpcore.ConnectError(str(exc)) from exc
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


@cache
def _ssl_context() -> SSLContext:
    """Return one TLS context for all tenants: loading the certificate authorities takes time and memory."""
    return httpx.create_ssl_context()
