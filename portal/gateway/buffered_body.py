"""Buffer for a request's body: in memory up to 64 KB, then in a file.

If a body exceeds its limit, its beginning and its end are stored, so that a form whose file is too large still has
every text that was entered, before or after the file.
"""

import asyncio
import io
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast


class Piece(NamedTuple):
    """Piece of a seekable file: `size` bytes from offset `place`."""

    file: BinaryIO
    place: int
    size: int


def as_file(*pieces: Piece) -> BinaryIO:
    """Return the concatenated pieces as a seekable file. Closing it closes none of their files."""
    return io.BufferedReader(_Pieces(pieces))


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: tuple[Piece, ...]) -> None:
        self._pieces = pieces
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: sum(one.size for one in self._pieces)}[whence]
        self._at = max(0, begin + offset)
        return self._at

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401  a writable buffer, as in io
        at = self._at
        for file, place, size in self._pieces:
            if at < size:
                file.seek(place + at)
                came = cast("io.BytesIO", file).readinto(memoryview(buffer)[: size - at])
                self._at += came
                return came
            at -= size
        return 0


if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

NO_ROOM = "portal.gateway.no_room"
"""Key of the WSGI environment: the disk had no space for the middle of the body: only its beginning and end exist."""

IN_MEMORY = 65_536
_PIECES = 2
"""Chunks, mostly of 64 KB, that are collected for one write: handing a chunk to a thread costs more than writing it."""
_TAIL = 524_288
_DRAINED = 16
"""A body is read up to this many times its limit: stopping earlier would reset the connection of a browser that is
still sending, and its user would see no page at all.
"""


class Body:
    """Stored part of a body: the first `bound` bytes and the last bytes beyond; nothing where no body is accepted.

    disk: threads that write and close the file of a body that an event loop receives; None: the caller's thread does.
    """

    def __init__(self, bound: int | None, disk: ThreadPoolExecutor | None = None) -> None:
        self._bound = bound or 0
        self._most = self._bound * _DRAINED if bound else IN_MEMORY
        self._head: BinaryIO = io.BytesIO()
        self._kept = 0
        self._tail = bytearray()
        self._has_room = True
        self._disk = disk
        self._writing: Future[bool] | None = None
        self._gathered: list[bytes] = []
        self.size = 0

    async def take_without_blocking(self, chunk: bytes) -> bool:
        """Store a chunk as `take` does, for the event loop: a thread of `disk` writes the part stored in a file.

        Chunks are collected while more are received, so it may return True although enough has arrived.
        """
        in_memory = self._writing is None and not self._gathered and self._kept + len(chunk) <= IN_MEMORY
        if in_memory or self._disk is None:
            return self.take(chunk)
        self.size += len(chunk)
        self._gathered.append(chunk)
        return len(self._gathered) < _PIECES or await self._write_gathered(self._disk)

    async def written(self) -> None:
        """Return once every chunk is stored."""
        if self._gathered and self._disk is not None:
            await self._write_gathered(self._disk)
        await self._is_wanted()

    def take(self, chunk: bytes) -> bool:
        """Store a chunk; return whether more is wanted."""
        self.size += len(chunk)
        return self._take(chunk)

    def _take_all(self, chunks: list[bytes]) -> bool:
        wanted = [self._take(chunk) for chunk in chunks]
        return wanted[-1]

    def _take(self, chunk: bytes) -> bool:
        room = min(max(self._bound - self._kept, 0), len(chunk)) if self._has_room else 0
        stored_size = room if room and self._keep(chunk[:room]) else 0
        if self._bound and len(chunk) > stored_size:  # without disk space, it may be the last piece of the form
            self._tail += chunk[stored_size:]
            if len(self._tail) > 2 * _TAIL:
                del self._tail[: len(self._tail) - _TAIL]
        return self.size < self._most

    async def _write_gathered(self, disk: ThreadPoolExecutor) -> bool:
        """Submit the collected chunks once the previous ones are written; return whether more is wanted."""
        wanted = await self._is_wanted()
        if wanted:
            self._writing, self._gathered = disk.submit(self._take_all, self._gathered), []
        return wanted

    async def _is_wanted(self) -> bool:
        writing = self._writing
        return writing is None or (writing.result() if writing.done() else await asyncio.wrap_future(writing))

    def is_whole(self, length: str) -> bool:
        """Return whether all bytes that Content-Length announced have arrived, or as many as are wanted."""
        return not length.isdecimal() or self.size >= min(int(length), self._most)

    @contextmanager
    def in_place(self, environ: "WSGIEnvironment") -> Iterator[None]:
        """Within the block, make `wsgi.input` the stored body from its start; reads do not block, and it can seek."""
        if not self._has_room:
            environ[NO_ROOM] = True
        self._head.seek(0)
        stream = self._head
        if self._tail:
            tail = Piece(io.BytesIO(self._tail), 0, len(self._tail))
            stream = as_file(Piece(self._head, 0, self._kept), tail)
        replace_body(environ, stream, self._kept + len(self._tail))
        try:
            yield
        finally:
            self.close()

    def close(self) -> None:
        """Close the file after pending writes: they could otherwise hit another file that reuses its descriptor."""
        disk, writing = self._disk, self._writing
        if disk is None or writing is None:
            self._head.close()
        else:
            writing.add_done_callback(lambda _: disk.submit(self._close))

    def _close(self) -> None:
        self._head.close()

    def _keep(self, some: bytes) -> bool:
        """Store bytes; return False, and store none of them, if the disk has no space."""
        try:
            if isinstance(self._head, io.BytesIO) and self._kept + len(some) > IN_MEMORY:
                self._head = _file_of(self._head.getvalue())
            _write(self._head, some)
        except OSError:
            self._has_room = False
            self._head.truncate(self._kept)
            return False
        self._kept += len(some)
        return True


def _file_of(content: bytes) -> BinaryIO:
    # Unbuffered: a full disk must be noticed now, not when the file is read.
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


def replace_body(environ: "WSGIEnvironment", stream: BinaryIO, size: int) -> None:
    """Make the application read `size` bytes of this stream in place of the server's own."""
    environ["wsgi.input"] = stream
    environ["wsgi.input_terminated"] = True
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(size)
