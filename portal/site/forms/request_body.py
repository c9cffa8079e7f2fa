"""The body of a posted form, read once: text as UTF-8 whatever a part's headers claim, the file as a slice of the body.

The gateway has buffered the body on disk, so a file is not copied: its bytes are skipped in search of the form's next
boundary, and Werkzeug's decoder parses what comes before and after it.

Werkzeug's own parser returns nothing of a body that is too large. This one reads on, so that a candidate who chose too
large a file gets all entries of the form back; of a body beyond its limit the gateway buffers the beginning and the
end.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, cast

from flask import Request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import (
    BLANK_LINE_RE,
    LINE_BREAK_RE,
    Data,
    Epilogue,
    Event,
    Field,
    File,
    MultipartDecoder,
    NeedData,
    State,
)

from portal.gateway.buffered_body import NO_ROOM, Piece, as_file
from portal.platform.errors import TemporaryFolderFull
from portal.site.forms.fields import text

FORM_OVERHEAD = 1_048_576
"""Bytes that a body may have beside the file, so that one byte too many in a file is an error of that field."""

TEXT_LIMIT = 262_144
"""Bytes of text in all fields together, and of the body of a form without a file."""
_HEADERS_MOST = 16_384
_HEADERS_OF_A_PART = 200
"""Bytes that the headers of all parts may have together: the former for a file's name, the latter for each part."""
_CHUNK = 65_536
"""Bytes that are parsed or searched at a time; with larger chunks the C library holds on to 40 MB for ten files."""
PARTS_MOST = 100


@dataclass(slots=True)
class PostedFile:
    """A posted file. `name` is the browser's, not sanitised; `stream` is a slice of the request's body.

    unkept: this machine had no disk space for the file as it arrived; the rest of the form was parsed.
    """

    name: str = field(repr=False)
    size: int
    stream: BinaryIO
    unkept: bool = False

    def content(self) -> BinaryIO:
        """Return the file's bytes. Raises TemporaryFolderFull if they could not be buffered."""
        if self.unkept:
            raise TemporaryFolderFull("there is no room for a file while it comes: the temporary folder is full")
        return self.stream


@dataclass(frozen=True, slots=True)
class Posted:
    """A posted form. fields: the first value of each name.

    too_large: the body exceeded its limit. broken: it ended early or was not a form; what could be parsed is here.
    """

    fields: MultiDict[str, str] = field(repr=False)
    file: PostedFile | None
    too_large: bool = False
    broken: bool = False


@contextmanager
def received(request: Request, *, file_field: str, max_file: int, most_parts: int = PARTS_MOST) -> Iterator[Posted]:
    """Parse the request's body; its file can be read inside the block.

    max_file: bytes that determine the body's limit; a larger file is not rejected here.
    """
    boundary = request.mimetype_params.get("boundary", "")
    if request.mimetype != "multipart/form-data" or not boundary:
        yield _without_parts(request)
        return
    parts = _Parts(file_field)
    broken, too_large = False, (request.content_length or 0) > max_file + FORM_OVERHEAD
    try:
        for event, place in _Form(_stream(request), boundary.encode("latin-1", "replace"), most_parts).events():
            parts.take(event, place)
    except RequestEntityTooLarge:
        too_large = True
    except ValueError:  # from the decoder: a missing boundary, or malformed headers
        broken = True
    file = _posted_file(request, parts.file) if parts.file else None
    yield Posted(parts.fields, file, too_large=too_large, broken=broken)


@contextmanager
def received_file(request: Request, *, file_field: str, max_file: int) -> Iterator[Posted]:
    """Parse a file that is the whole body, optionally named by Content-Disposition; or the field of a form."""
    if request.mimetype == "multipart/form-data":
        with received(request, file_field=file_field, max_file=max_file) as posted:
            yield posted
        return
    _, named = parse_options_header(request.headers.get("Content-Disposition"))
    name, size = named.get("filename", ""), _stream(request).seek(0, io.SEEK_END)
    yield Posted(MultiDict(), _posted_file(request, _Place(name, 0, size)) if size else None)


def _stream(request: Request) -> BinaryIO:
    """Return the body, which the gateway has buffered, so it can seek."""
    return cast("BinaryIO", request.stream)


def _posted_file(request: Request, found: "_Place") -> PostedFile:
    stream = as_file(Piece(_stream(request), found.place, found.size))
    return PostedFile(found.name, found.size, stream, unkept=NO_ROOM in request.environ)


def _without_parts(request: Request) -> Posted:
    if (request.content_length or 0) > TEXT_LIMIT:  # larger than text may be, and without a file
        return Posted(MultiDict(), None, too_large=True)
    try:
        fields: MultiDict[str, str] = MultiDict(request.form.items())
    except RequestEntityTooLarge:
        return Posted(MultiDict(), None, too_large=True)
    return Posted(fields, None, broken=not fields)


@dataclass(frozen=True, slots=True)
class _Passed(Event):
    """The number of bytes of a file that were skipped."""

    size: int


class _Form:
    """A multipart body, parsed without the content of its files."""

    def __init__(self, stream: BinaryIO, boundary: bytes, most_parts: int) -> None:
        self._stream = stream
        self._boundary = b"--" + boundary
        self._decoder = MultipartDecoder(boundary, max_form_memory_size=TEXT_LIMIT, max_parts=most_parts)
        self._room = _HEADERS_MOST + most_parts * _HEADERS_OF_A_PART
        self._read = 0

    def events(self) -> Iterator[tuple[Event, int]]:
        """Yield the decoder's events; with a File, the position of its first byte in the body.

        Raises RequestEntityTooLarge, and ValueError if it is not a form or ends early.
        """
        decoder, in_file = self._decoder, False
        while chunk := self._stream.read(_CHUNK):
            self._read += len(chunk)
            decoder.receive_data(chunk)
            while not isinstance(event := self._next(), NeedData | Epilogue):
                if isinstance(event, File | Field):
                    in_file = isinstance(event, File)
                begin = LINE_BREAK_RE.match(decoder.buffer)
                yield event, self._place() + (len(begin[0]) if begin else 0)
            if in_file and decoder.state is State.DATA:
                yield _Passed(self._passed_over()), 0
        decoder.receive_data(None)
        while not isinstance(event := decoder.next_event(), Epilogue):
            yield event, 0

    def _next(self) -> Event:
        held = len(self._decoder.buffer) if self._decoder.state is State.PART else 0
        # Before parsing, which takes a second for a megabyte: check the size of the headers, a file's name among them.
        if held > self._room and not BLANK_LINE_RE.search(self._decoder.buffer, 0, max(self._room, 0)):
            raise RequestEntityTooLarge
        event = self._decoder.next_event()
        if not isinstance(event, NeedData | Epilogue):
            self._room -= held and held - len(self._decoder.buffer)
        return event

    def _place(self) -> int:
        """Return the decoder's position in the body."""
        return self._read - len(self._decoder.buffer)

    def _passed_over(self) -> int:
        """Skip to where the file may end, with the line break before the boundary; return the bytes skipped."""
        place = self._place()
        end = self._found(place) - 2
        if end > self._read:  # otherwise the decoder has already received it
            self._decoder.buffer.clear()
            self._read = end
        self._stream.seek(self._read)
        return self._place() - place

    def _found(self, place: int) -> int:
        """Return the position of the next boundary from `place` on; the end of the body if there is none."""
        self._stream.seek(place)
        while len(chunk := self._stream.read(_CHUNK)) >= len(self._boundary):
            found = chunk.find(self._boundary)
            if found >= 0:
                return place + found
            place = self._stream.seek(place + len(chunk) - len(self._boundary) + 1)
        return place + len(chunk)


class _Parts:
    """The collector of fields and file from a form's events."""

    def __init__(self, file_field: str) -> None:
        self.fields: MultiDict[str, str] = MultiDict()
        self.file: _Place | None = None
        """The file; None if none was chosen: a browser then sends no name and no bytes."""
        self._file_field = file_field
        self._text_bytes = 0
        self._name: str | None = None
        self._value = bytearray()
        self._current: _Place | None = None

    def take(self, event: Event, place: int) -> None:
        """Process one event of the form."""
        if isinstance(event, Field):
            self._name, self._value, self._current = event.name, bytearray(), None
        elif isinstance(event, File):
            self._name, self._current = None, None
            if event.name == self._file_field and not (self.file and self.file.size):
                self._current = _Place(event.filename, place, 0)
        elif isinstance(event, Data):
            if self._current is not None:
                self._take_size(self._current, len(event.data), is_last=not event.more_data)
            elif self._name is not None:
                self._take_text(self._name, event)
        elif isinstance(event, _Passed) and self._current is not None:
            self._take_size(self._current, event.size, is_last=False)

    def _take_size(self, file: "_Place", size: int, *, is_last: bool) -> None:
        file.size += size
        # An empty file with a name was chosen, so its sender must learn that it is empty. One with content takes
        # precedence.
        if file.size or (is_last and file.name and self.file is None):
            self.file = file

    def _take_text(self, name: str, event: Data) -> None:
        self._text_bytes += len(event.data)
        if self._text_bytes > TEXT_LIMIT:
            raise RequestEntityTooLarge
        self._value += event.data
        if not event.more_data:
            self.fields.setdefault(name, text.decode(bytes(self._value)))


@dataclass(slots=True)
class _Place:
    """A file in the body: the position of its first byte, and its size."""

    name: str = field(repr=False)
    place: int
    size: int
