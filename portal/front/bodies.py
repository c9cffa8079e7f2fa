"""A request's body, received before any room is taken for it.

Who sends slowly waits alone, and holds no thread: under a deadline for the whole, a least speed, and a bound on how
many are received at once, in all and of one network. A body is kept in memory up to 64 KB, then in a file.

Of a body over its bound the beginning and the end are kept, so that a form whose file is too large still has every
word that was typed, wherever in the form it stands.
"""

import asyncio
import io
import tempfile
from collections import Counter
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from portal.counted.figures import RECEIVING
from portal.front.pieces import Piece, as_file
from portal.throttling import network_of

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

REFUSED = "portal.front.refused"
"""In the WSGI environment: the Refusal where the body was not received; the application answers with it."""
NO_ROOM = "portal.front.no_room"
"""In the WSGI environment: this machine had no room for the middle of the body; its two ends are there."""

IN_MEMORY = 65_536
_CHUNK = 8_192
_TAIL = 524_288
_DRAINED = 16
"""A body is read up to this many times its bound: an earlier end would reset the connection of a browser that is still
sending, and its person would see no page at all."""


class Refusal(Enum):
    """Why a body was not received."""

    TOO_MANY = auto()
    """As many are on their way as may be, in all or of this network."""
    TOO_SLOW = auto()
    """It came slower than the least speed, or not within the deadline."""
    CUT_OFF = auto()
    """It ended before the length that was said. Most likely nobody is left to read the answer."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What is asked of a sender: so many bytes in each window of so many seconds, and an end within a deadline.

    The deadline is what the bound takes at the least speed, and a minute; never more than `longest` seconds.
    """

    window: float = 10.0
    bytes_a_window: int = 40_960
    longest: float = 1_800.0

    def windows(self, bound: int) -> int:
        """How many windows a body of this bound may take."""
        return round(min(self.longest, 60 + self.window * bound / self.bytes_a_window) / self.window)


class Source(Protocol):
    """`wsgi.input`."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


class Reception:
    """at_once: bodies that are received at a time, and as many again of networks that have none on their way.

    of_network: of one network (/24 of IPv4, /56 of IPv6).
    """

    def __init__(self, *, at_once: int, of_network: int, pace: Pace | None = None) -> None:
        self._at_once = at_once
        self._of_network = of_network
        self._pace = pace or Pace()
        self._coming: Counter[str] = Counter()

    async def receive(
        self, chunks: AsyncIterable[bytes], environ: "WSGIEnvironment", bound: int | None
    ) -> "Body | Refusal":
        """The whole body, or why there is none. bound: bytes that the address takes; None: it takes none.

        Then what comes at once is read (64 KB), so that a small body does not cost its sender the answer.
        """
        body = Body(bound)
        network = network_of(environ.get("REMOTE_ADDR"), v4=24, v6=56)
        if not self._has_room(network):
            return Refusal.TOO_MANY if bound else body
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
        return Refusal.TOO_SLOW

    def _has_room(self, network: str) -> bool:
        """When all places are taken there are as many again for those who have none."""
        total, own = self._coming.total(), self._coming[network]
        return own < self._of_network and total < (self._at_once if own else 2 * self._at_once)

    async def _in_time(self, reading: "asyncio.Future[None]", body: "Body", bound: int) -> bool:
        known = 0
        for _ in range(self._pace.windows(bound)):
            await asyncio.wait({reading}, timeout=self._pace.window)
            if reading.done():
                reading.result()
                return True
            if body.size - known < self._pace.bytes_a_window:
                return False
            known = body.size
        return False

    async def _at_once_or_not(self, reading: "asyncio.Future[None]") -> bool:
        await asyncio.wait({reading}, timeout=min(1.0, self._pace.window))
        return True


def _refused(body: "Body") -> Refusal:
    body.close()
    return Refusal.CUT_OFF


async def _read(chunks: AsyncIterable[bytes], body: "Body") -> None:
    try:
        async for chunk in chunks:
            if not body.take(chunk):
                return
    except OSError:
        return  # the connection ended: no more will come, and nobody waits for an answer


@contextmanager
def received(environ: "WSGIEnvironment", bound: int | None) -> Iterator[None]:
    """The same under a server that speaks WSGI alone, which has to look after slow senders by itself."""
    body = Body(bound)
    source = _source(environ)
    while has_body(environ) and (chunk := source.read(_CHUNK)) and body.take(chunk):
        pass
    with body.in_place(environ):
        yield


def has_body(environ: "WSGIEnvironment") -> bool:
    """Whether the request says that it has a body (RFC 9112 §6)."""
    return environ.get("CONTENT_LENGTH", "") not in {"", "0"} or "HTTP_TRANSFER_ENCODING" in environ


def refuse(environ: "WSGIEnvironment", refusal: Refusal) -> None:
    """Tell the application that there is no body, and why."""
    environ[REFUSED] = refusal
    _replace(environ, cast("BinaryIO", io.BytesIO()), 0)


class Body:
    """What is kept of a body: the first `bound` bytes, the last of those beyond; nothing where none is taken."""

    def __init__(self, bound: int | None) -> None:
        self._bound = bound or 0
        self._most = self._bound * _DRAINED if bound else IN_MEMORY
        self._head: BinaryIO = io.BytesIO()
        self._kept = 0
        self._tail = bytearray()
        self._has_room = True
        self.size = 0

    def take(self, chunk: bytes) -> bool:
        """Keep what came; whether more is wanted."""
        self.size += len(chunk)
        room = max(self._bound - self._kept, 0) if self._has_room else 0
        if room:
            self._keep(chunk[:room])
        if self._bound and len(chunk) > room:
            self._tail += chunk[room:]
            if len(self._tail) > 2 * _TAIL:
                del self._tail[: len(self._tail) - _TAIL]
        return self.size < self._most

    def is_whole(self, length: str) -> bool:
        """Whether as much came as Content-Length said, or as was wanted."""
        return not length.isdecimal() or self.size >= min(int(length), self._most)

    @contextmanager
    def in_place(self, environ: "WSGIEnvironment") -> Iterator[None]:
        """Within the block, `wsgi.input` is what was kept, from its beginning; it can be read at once, and can seek."""
        if not self._has_room:
            environ[NO_ROOM] = True
        self._head.seek(0)
        stream = self._head
        if self._tail:
            tail = Piece(io.BytesIO(self._tail), 0, len(self._tail))
            stream = as_file(Piece(self._head, 0, self._kept), tail)
        _replace(environ, stream, self._kept + len(self._tail))
        try:
            yield
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._head.close()

    def _keep(self, some: bytes) -> None:
        try:
            if isinstance(self._head, io.BytesIO) and self._kept + len(some) > IN_MEMORY:
                self._head = _file_of(self._head.getvalue())
            _write(self._head, some)
            self._kept += len(some)
        except OSError:
            self._has_room = False
            self._head.truncate(self._kept)


def _file_of(content: bytes) -> BinaryIO:
    # Unbuffered: a full disk must be heard of now, and not when the file is read.
    file = cast("BinaryIO", tempfile.TemporaryFile(buffering=0))  # noqa: SIM115  Body closes it
    try:
        _write(file, content)
    except OSError:
        file.close()
        raise
    return file


def _write(file: BinaryIO, some: bytes) -> None:
    if file.write(some) < len(some):
        raise OSError("no space left on the device")


def _source(environ: "WSGIEnvironment") -> Source:
    stream: Source = environ["wsgi.input"]
    # What comes in chunks has no length, and a server that hands it on ends the stream.
    ends = environ.get("wsgi.input_terminated") or not environ.get("CONTENT_LENGTH")
    return stream if ends else _Limited(stream, environ)


class _Limited:
    """A stream that the server does not end by itself, read as far as Content-Length says."""

    def __init__(self, stream: Source, environ: "WSGIEnvironment") -> None:
        self._stream = stream
        length = environ.get("CONTENT_LENGTH", "")
        self._left = int(length) if length.isdecimal() else 0

    def read(self, size: int, /) -> bytes:
        """The next bytes; none at the end."""
        chunk = self._stream.read(min(size, self._left)) if self._left else b""
        self._left -= len(chunk)
        return chunk


def _replace(environ: "WSGIEnvironment", stream: BinaryIO, size: int) -> None:
    environ["wsgi.input"] = stream
    environ["wsgi.input_terminated"] = True
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(size)
