"""Connections on which an exchange ends when its time is up.

httpx's timeouts hold for one read or write each, so a server that drips a byte a second is never late. Here every
operation on the socket gets what is left of the exchange's own time: connecting, TLS, each write, each read, headers
and body alike. The one thing that cannot be cut short is the system's name resolution.
"""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from portal.clock import Clock

_WRITE_AT_ONCE = 16_384
_IDLE_MOST = 32
_Options = Iterable[tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]]


@dataclass(slots=True)
class Exchange:
    """One request and its answer.

    wrote: whether a byte of the request may have left; None when the transport is not ours and cannot tell.
    """

    clock: Clock
    ends: float
    wrote: bool | None = None

    def left(self) -> float:
        """Seconds until the time is up; 0 or less when it is."""
        return self.ends - self.clock.monotonic()


_current: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
_patience: ContextVar[float | None] = ContextVar("patience", default=None)
"""When the last of several exchanges must have ended."""


@contextmanager
def within(clock: Clock, seconds: float) -> Iterator[None]:
    """All exchanges that this thread makes inside of this end within `seconds`, taken together."""
    token = _patience.set(clock.monotonic() + seconds)
    try:
        yield
    finally:
        _patience.reset(token)


@contextmanager
def exchange(clock: Clock, seconds: float) -> Iterator[Exchange]:
    """What this thread does on connections of DeadlineTransport inside of this ends within `seconds`, or sooner."""
    patience, ends = _patience.get(), clock.monotonic() + seconds
    entered = Exchange(clock, ends if patience is None else min(ends, patience))
    token = _current.set(entered)
    try:
        yield entered
    finally:
        _current.reset(token)


class DeadlineTransport(httpx.HTTPTransport):
    """httpx's own transport, but for the deadline: pooled connections, HTTP/1.1, no proxy.

    Any number may be in use, since who uses them is bounded elsewhere; those that are idle are few, and end soon.
    may_reach: whether an address that a name leads to may be connected to; asked at each connection, so that a name
    which changes its mind in between reaches nothing else.
    """

    def __init__(self, *, may_reach: Callable[[str], bool] = lambda _: True) -> None:
        # Not super's: httpx can be told everything about its pool but what the pool's connections are made of.
        self._pool = httpcore.ConnectionPool(
            ssl_context=_ssl_context(),
            max_connections=None,
            max_keepalive_connections=_IDLE_MOST,
            keepalive_expiry=15,  # below what servers usually grant: a request on a closing connection is ambiguous
            network_backend=_Backend(may_reach),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send it; raises httpx's exceptions."""
        current = _current.get()
        if current is not None:
            current.wrote = False
        request.extensions["timeout"] = {"pool": _left(None, httpcore.PoolTimeout)}
        return super().handle_request(request)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, may_reach: Callable[[str], bool]) -> None:
        self._inner = httpcore.SyncBackend()
        self._may_reach = may_reach

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
            # An address that swallows packets must not use up the time of the one after it.
            share = _left(timeout, httpcore.ConnectTimeout) / (len(addresses) - tried)
            try:
                return _Stream(self._inner.connect_tcp(address, port, share, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as exc:
                failure = exc
        raise failure


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # In pieces, because the inner stream allows the full time-out to each piece that the other side takes.
        for start in range(0, len(buffer), _WRITE_AT_ONCE):
            left = _left(timeout, httpcore.WriteTimeout)
            current = _current.get()
            if current is not None:
                current.wrote = True
            self._inner.write(buffer[start : start + _WRITE_AT_ONCE], left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401  httpcore's signature
        return self._inner.get_extra_info(info)


def _left(timeout: float | None, late: type[httpcore.TimeoutException]) -> float:
    current = _current.get()
    if current is None:
        raise RuntimeError("a connection to the service is used outside of an exchange, so without a deadline")
    left = current.left()
    if left <= 0:
        raise late("the time for this exchange is up")
    return left if timeout is None else min(left, timeout)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise httpcore.ConnectError(str(exc)) from exc
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


@cache
def _ssl_context() -> SSLContext:
    """One for all tenants: loading the authorities takes time and memory."""
    return httpx.create_ssl_context()
