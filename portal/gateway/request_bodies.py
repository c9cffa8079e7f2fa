"""Receives a request's body before a concurrency slot is taken for it.

A slow sender delays only itself and holds no thread. Each body has a deadline and a minimum rate, and the number
received at once is limited, in total and for each network. A body is stored in memory up to 64 KB, then in a file,
which threads write: a disk that hangs delays uploads, and nothing else on the server's event loop.
"""

import asyncio
import io
from collections import Counter
from collections.abc import AsyncIterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from portal.gateway.buffered_body import Body, replace_body
from portal.platform.metrics.definitions import RECEIVING
from portal.platform.rate_limits import wide_network_of

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

REFUSED = "portal.gateway.refused"
"""Key of the WSGI environment: the BodyRejection if the body was not received; the application responds with it."""

_CHUNK = 8_192
_WRITERS = 4
"""Threads that write bodies to files."""
_PIECES_FREE, _PIECE_BYTES = 2_000, 250
"""Number of pieces in which any body may arrive, and number of bytes for each of which one more piece is allowed. A
piece costs the event loop 25 µs regardless of its size, and chunked encoding allows pieces of any size; the smallest
TCP segments have twice as many bytes.
"""


class BodyRejection(Enum):
    """Reason why a body was not received."""

    TOO_MANY = auto()
    """The limit of concurrent bodies is reached, in total or for this network."""
    TOO_SLOW = auto()
    """It arrived slower than the minimum rate, not within the deadline, or in too many small pieces."""
    CUT_OFF = auto()
    """It ended before the announced length. Most likely the client will not read the response."""


@dataclass(frozen=True, slots=True)
class MinimumRate:
    """Minimum rate of a sender, in bytes for each window of `window` seconds, and a deadline for the whole body.

    The deadline is the time that the maximum size takes at the minimum rate, plus a minute; at most `longest` seconds.
    """

    window: float = 10.0
    bytes_a_window: int = 40_960
    longest: float = 1_800.0

    def windows(self, bound: int) -> int:
        """Return how many windows a body with this limit in bytes may take."""
        return round(min(self.longest, 60 + self.window * bound / self.bytes_a_window) / self.window)


class BodySource(Protocol):
    """Protocol of `wsgi.input`."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""


class BodyReceiver:
    """Receiver of bodies. at_once: bodies at a time, and as many again for networks that have none in progress.

    per_network: limit for one network (/24 of IPv4, /48 of IPv6).
    """

    def __init__(self, *, at_once: int, per_network: int, minimum_rate: MinimumRate | None = None) -> None:
        self._at_once = at_once
        self._per_network = per_network
        self._minimum_rate = minimum_rate or MinimumRate()
        self._coming: Counter[str] = Counter()
        self._disk = ThreadPoolExecutor(_WRITERS, thread_name_prefix="bodies")

    async def receive(
        self, chunks: AsyncIterable[bytes], environ: "WSGIEnvironment", bound: int | None
    ) -> "Body | BodyRejection":
        """Return the whole body, or why there is none. bound: maximum bytes at this address; None: no body is accepted.

        Where none is accepted, only what arrives immediately is read (64 KB), so that a sender of a small body still
        gets the response.
        """
        body = Body(bound, self._disk)
        network = wide_network_of(environ.get("REMOTE_ADDR"))
        if not self._has_room(network):
            return BodyRejection.TOO_MANY if bound else body
        self._coming[network] += 1
        RECEIVING.inc()
        reading = asyncio.ensure_future(_read(chunks, body))
        try:
            if await (self._in_time(reading, body, bound) if bound else self._at_once_or_not(reading)):
                return body if not bound or body.is_whole(environ.get("CONTENT_LENGTH", "")) else _refused(body)
        finally:
            reading.cancel()
            RECEIVING.dec()
            self._coming[network] -= 1
            if not self._coming[network]:
                del self._coming[network]
        body.close()
        return BodyRejection.TOO_SLOW

    def _has_room(self, network: str) -> bool:
        """Return whether a body may be received; when all places are in use, networks without one get as many again."""
        total, own = self._coming.total(), self._coming[network]
        return own < self._per_network and total < (self._at_once if own else 2 * self._at_once)

    async def _in_time(self, reading: "asyncio.Future[bool]", body: "Body", bound: int) -> bool:
        known = 0
        for _ in range(self._minimum_rate.windows(bound)):
            await asyncio.wait({reading}, timeout=self._minimum_rate.window)
            if reading.done():
                return reading.result()
            if body.size - known < self._minimum_rate.bytes_a_window:
                return False
            known = body.size
        return False

    async def _at_once_or_not(self, reading: "asyncio.Future[bool]") -> bool:
        await asyncio.wait({reading}, timeout=min(1.0, self._minimum_rate.window))
        return True


def _refused(body: "Body") -> BodyRejection:
    body.close()
    return BodyRejection.CUT_OFF


async def _read(chunks: AsyncIterable[bytes], body: "Body") -> bool:
    """Store the body; return False if it comes in too many pieces."""
    pieces = 0
    try:
        async for chunk in chunks:
            pieces += 1
            if pieces > _PIECES_FREE + body.size // _PIECE_BYTES:
                return False
            if not await body.take_without_blocking(chunk):
                return True
    except OSError:
        pass  # the connection ended: no more will arrive, and no client waits for a response
    await body.written()
    return True


@contextmanager
def received(environ: "WSGIEnvironment", bound: int | None) -> Iterator[None]:
    """Receive the body on a server that supports only WSGI; that server must handle slow senders itself."""
    body = Body(bound)
    source = _source(environ)
    while has_body(environ) and (chunk := source.read(_CHUNK)) and body.take(chunk):
        pass
    with body.in_place(environ):
        yield


def has_body(environ: "WSGIEnvironment") -> bool:
    """Return whether the request announces a body (RFC 9112 §6)."""
    return environ.get("CONTENT_LENGTH", "") not in {"", "0"} or "HTTP_TRANSFER_ENCODING" in environ


def refuse(environ: "WSGIEnvironment", refusal: BodyRejection) -> None:
    """Tell the application that there is no body, and why."""
    environ[REFUSED] = refusal
    replace_body(environ, cast("BinaryIO", io.BytesIO()), 0)


def _source(environ: "WSGIEnvironment") -> BodySource:
    stream: BodySource = environ["wsgi.input"]
    # A chunked body has no length, and a server that passes it on ends the stream.
    ends = environ.get("wsgi.input_terminated") or not environ.get("CONTENT_LENGTH")
    return stream if ends else _Limited(stream, environ)


class _Limited:
    """Stream that the server does not end by itself, read up to Content-Length."""

    def __init__(self, stream: BodySource, environ: "WSGIEnvironment") -> None:
        self._stream = stream
        length = environ.get("CONTENT_LENGTH", "")
        self._left = int(length[:18]) if length.isdecimal() else 0  # Python refuses more than 4,300 digits

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; none at the end."""
        chunk = self._stream.read(min(size, self._left)) if self._left else b""
        self._left -= len(chunk)
        return chunk
