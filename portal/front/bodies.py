"""A request's body, received before any room is taken for it.

Who sends slowly holds a thread that only waits, and no more: under a deadline for the whole, a least speed, and a bound
on how many are received at once, in all and of one network. A body is kept in memory up to 64 KB, then in a file.

Of a body over its bound the beginning and the end are kept, so that a form whose file is too large still has every
word that was typed, wherever in the form it stands.

A WSGI server's `read` waits for as long as the sender likes, so it is called in a thread of its own: when the request
is answered without it, the server closes the stream, and the thread is free.
"""

import io
import ipaddress
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

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
    """at_once: bodies that are received at a time; of_network: of one network (/24 of IPv4, /56 of IPv6)."""

    def __init__(self, *, at_once: int, of_network: int, pace: Pace | None = None) -> None:
        self._at_once = at_once
        self._of_network = of_network
        self._pace = pace or Pace()
        self._lock = threading.Lock()
        self._coming: Counter[str] = Counter()
        self._readers = ThreadPoolExecutor(at_once, thread_name_prefix="body")

    @contextmanager
    def received(self, environ: "WSGIEnvironment", bound: int | None) -> Iterator[None]:
        """Within the block, `wsgi.input` is the whole body, and can be read at once.

        bound: bytes that the address takes; None: it takes none. Then what came already is read (64 KB), so that a
        small body does not cost its sender the answer.
        """
        if not has_body(environ):
            _replace(environ, io.BytesIO(), 0)
            yield
            return
        body = _Body(bound or 0, tail=_TAIL if bound else 0)
        try:
            refusal = self._receive(environ, body, bound)
            if refusal:
                environ[REFUSED] = refusal
            elif body.no_room:
                environ[NO_ROOM] = True
            stream, size = (io.BytesIO(), 0) if refusal or not bound else body.finished()
            _replace(environ, stream, size)
            yield
        finally:
            body.close()

    def _receive(self, environ: "WSGIEnvironment", body: "_Body", bound: int | None) -> Refusal | None:
        network = network_of(environ.get("REMOTE_ADDR"))
        if not self._enters(network):
            return Refusal.TOO_MANY if bound else None
        try:
            most = bound * _DRAINED if bound else IN_MEMORY
            read = self._readers.submit(body.read, _source(environ), most)
            read.add_done_callback(lambda _: self._leaves(network))
        except BaseException:
            self._leaves(network)
            raise
        windows = self._pace.windows(bound) if bound else 0
        known = 0
        for _ in range(windows):
            if body.ended.wait(self._pace.window):
                return None
            if body.size - known < self._pace.bytes_a_window - _CHUNK:  # what is being read is not counted yet
                break
            known = body.size
        if not bound and body.ended.wait(min(1.0, self._pace.window)):
            return None
        body.give_up()
        return Refusal.TOO_SLOW if bound else None

    def _enters(self, network: str) -> bool:
        with self._lock:
            if self._coming.total() >= self._at_once or self._coming[network] >= self._of_network:
                return False
            self._coming[network] += 1
            return True

    def _leaves(self, network: str) -> None:
        with self._lock:
            self._coming[network] -= 1
            if not self._coming[network]:
                del self._coming[network]


def has_body(environ: "WSGIEnvironment") -> bool:
    """Whether the request says that it has a body (RFC 9112 §6)."""
    return environ.get("CONTENT_LENGTH", "") not in {"", "0"} or "HTTP_TRANSFER_ENCODING" in environ


def network_of(address: str | None) -> str:
    """The /24 of an IPv4 address, the /56 of an IPv6 address; "unknown" for what is neither."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    mapped = getattr(found, "ipv4_mapped", None) or found
    return str(ipaddress.ip_network((mapped, 24 if mapped.version == 4 else 56), strict=False))


class _Body:
    """The first `bound` bytes and the last `tail` of those beyond."""

    def __init__(self, bound: int, *, tail: int) -> None:
        self._bound = bound
        self._most_of_tail = tail
        self._head: BinaryIO = io.BytesIO()
        self._kept = 0
        self._tail = bytearray()
        self._lock = threading.Lock()
        self._given_up = False
        self.size = 0
        self.no_room = False
        self.ended = threading.Event()

    def read(self, source: Source, most: int) -> None:
        """Read to the end, or to `most` bytes. Called in a thread of its own."""
        try:
            while self.size < most and (chunk := source.read(_CHUNK)):
                with self._lock:
                    if self._given_up:
                        return
                    self._take(chunk)
        except Exception:  # noqa: BLE001  whatever the server raises when its connection ends: no more will come
            return
        finally:
            self.ended.set()

    def give_up(self) -> None:
        """Take nothing more."""
        with self._lock:
            self._given_up = True

    def finished(self) -> tuple[BinaryIO, int]:
        """What was kept, from its beginning, and how long it is."""
        self._head.seek(0)
        if not self._tail:
            return self._head, self._kept
        joined = io.BufferedReader(_Joined(self._head, io.BytesIO(self._tail)))
        return cast("BinaryIO", joined), self._kept + len(self._tail)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._given_up = True
            self._head.close()

    def _take(self, chunk: bytes) -> None:
        self.size += len(chunk)
        room = 0 if self.no_room else max(self._bound - self._kept, 0)
        if room:
            self._keep(chunk[:room])
        beyond = chunk[room:] if not self.no_room else chunk
        if beyond:
            self._tail += beyond
            if len(self._tail) > 2 * self._most_of_tail:
                del self._tail[: len(self._tail) - self._most_of_tail]

    def _keep(self, some: bytes) -> None:
        try:
            if isinstance(self._head, io.BytesIO) and self._kept + len(some) > IN_MEMORY:
                self._head = _file_of(self._head.getvalue())
            _write(self._head, some)
            self._kept += len(some)
        except OSError:
            self.no_room = True
            self._head.truncate(self._kept)


def _file_of(content: bytes) -> BinaryIO:
    # Unbuffered: a full disk must be heard of now, and not when the file is read.
    file = cast("BinaryIO", tempfile.TemporaryFile(buffering=0))
    try:
        _write(file, content)
    except OSError:
        file.close()
        raise
    return file


def _write(file: BinaryIO, some: bytes) -> None:
    if file.write(some) < len(some):
        raise OSError("no space left on the device")


class _Joined(io.RawIOBase):
    """Several files read as one."""

    def __init__(self, *files: BinaryIO) -> None:
        self._files = list(files)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401  a writable buffer, as io has it
        while self._files:
            chunk = self._files[0].read(len(buffer))
            if chunk:
                buffer[: len(chunk)] = chunk
                return len(chunk)
            del self._files[0]
        return 0


def _source(environ: "WSGIEnvironment") -> Source:
    stream: Source = environ["wsgi.input"]
    return stream if environ.get("wsgi.input_terminated") else _Limited(stream, environ)


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
    if size or "CONTENT_LENGTH" in environ:
        environ["CONTENT_LENGTH"] = str(size)
