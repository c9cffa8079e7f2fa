"""The body of a posted form, read once: text as UTF-8 whatever a part claims, the file to disk.

Werkzeug's own parser keeps nothing of a body that is too large. This one reads on and lets the file's bytes go, so that
whoever chose a file that is too large gets every word of the form back; of a body beyond its bound the front has kept
the beginning and the end.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, cast

from flask import Request
from werkzeug.datastructures import Headers, MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import (
    BLANK_LINE_RE,
    Data,
    Epilogue,
    Event,
    Field,
    File,
    MultipartDecoder,
    NeedData,
    State,
)

from portal.errors import StoreUnavailable
from portal.front.bodies import NO_ROOM
from portal.web.fields import text

FORM_OVERHEAD = 1_048_576
"""Bytes that a body may hold beside the file. A file of one byte too many is so a wrong field, not a wrong request."""

TEXT_LIMIT = 262_144
"""Bytes of words, all fields together; and of the body of a form without a file."""
_HEADERS_MOST = 16_384
_HEADERS_OF_A_PART = 200
"""Bytes that the headers of all parts may have: so much for the name of a file, and so much for each part."""
_CHUNK = 65_536
"""A file of 10 MB is taken apart three times as fast as in quarters of it; each thread holds a few."""
PARTS_MOST = 100
_IN_MEMORY = 65_536


@dataclass(slots=True)
class PostedFile:
    """A file as it came. `name` is the browser's, not cleaned; `stream` holds at most one byte more than the limit.

    unkept: this machine had no room for it while it came; the rest of the form was understood.
    """

    name: str = field(repr=False)
    size: int
    stream: BinaryIO
    unkept: bool = False

    def content(self) -> BinaryIO:
        """Its bytes. Raises StoreUnavailable when they could not be kept."""
        if self.unkept:
            raise StoreUnavailable("there is no room for a file while it comes: the temporary folder is full")
        return self.stream


@dataclass(frozen=True, slots=True)
class Posted:
    """What was posted. fields: the first value of each name.

    too_large: the body was over its bound. broken: it ended early or was no form; what was understood is there.
    """

    fields: MultiDict[str, str] = field(repr=False)
    file: PostedFile | None
    too_large: bool = False
    broken: bool = False


@contextmanager
def received(request: Request, *, file_field: str, max_file: int, most_parts: int = PARTS_MOST) -> Iterator[Posted]:
    """The request's body, read whole; its file is closed afterwards. max_file: bytes; a larger one passes here."""
    with ExitStack() as opened:
        parts = _Parts(file_field, max_file, opened, is_unkept=NO_ROOM in request.environ)
        yield _read(request, parts, max_file + FORM_OVERHEAD, most_parts)


@contextmanager
def received_file(request: Request, *, file_field: str, max_file: int) -> Iterator[Posted]:
    """A file as the whole body, named by Content-Disposition if at all; or as the field of a form."""
    if request.mimetype == "multipart/form-data":
        with received(request, file_field=file_field, max_file=max_file) as posted:
            yield posted
        return
    _, named = parse_options_header(request.headers.get("Content-Disposition"))
    with ExitStack() as opened:
        parts = _Parts(file_field, max_file, opened, is_unkept=NO_ROOM in request.environ)
        parts.take(File(headers=Headers(), name=file_field, filename=named.get("filename", "")))
        while chunk := request.stream.read(_CHUNK):
            parts.take(Data(data=chunk, more_data=True))
        yield Posted(parts.fields, parts.finished_file())


def _read(request: Request, parts: "_Parts", bound: int, most_parts: int) -> Posted:
    boundary = request.mimetype_params.get("boundary", "")
    if request.mimetype != "multipart/form-data" or not boundary:
        return _without_parts(request)
    broken, too_large = False, (request.content_length or 0) > bound
    try:
        for event in _events(request, boundary.encode("latin-1", "replace"), most_parts):
            parts.take(event)
    except RequestEntityTooLarge:
        too_large = True
    except ValueError:  # from the decoder: no boundary where one must be, headers that are none
        broken = True
    return Posted(parts.fields, parts.finished_file(), too_large=too_large, broken=broken)


def _without_parts(request: Request) -> Posted:
    if (request.content_length or 0) > TEXT_LIMIT:  # there is no file in it that could be so long
        return Posted(MultiDict(), None, too_large=True)
    try:
        fields: MultiDict[str, str] = MultiDict(request.form.items())
    except RequestEntityTooLarge:
        return Posted(MultiDict(), None, too_large=True)
    return Posted(fields, None, broken=not fields)


def _events(request: Request, boundary: bytes, most_parts: int) -> Iterator[Event]:
    decoder = MultipartDecoder(boundary, max_form_memory_size=TEXT_LIMIT, max_parts=most_parts)
    room = _HEADERS_MOST + most_parts * _HEADERS_OF_A_PART
    while chunk := request.stream.read(_CHUNK):
        decoder.receive_data(chunk)
        while True:
            held = len(decoder.buffer) if decoder.state is State.PART else 0
            # Before they are parsed, which takes a second for a megabyte: a file's name is among them.
            if held > room and not BLANK_LINE_RE.search(decoder.buffer, 0, max(room, 0)):
                raise RequestEntityTooLarge
            event = decoder.next_event()
            if isinstance(event, NeedData | Epilogue):
                break
            room -= held and held - len(decoder.buffer)
            yield event
    decoder.receive_data(None)
    while not isinstance(event := decoder.next_event(), Epilogue):
        yield event


class _Parts:
    """Puts the parts together as their bytes come."""

    def __init__(self, file_field: str, max_file: int, opened: ExitStack, *, is_unkept: bool) -> None:
        self._is_unkept = is_unkept
        self.fields: MultiDict[str, str] = MultiDict()
        self._file_field = file_field
        self._max_file = max_file
        self._opened = opened
        self._text_bytes = 0
        self._name: str | None = None
        self._value = bytearray()
        self._current: PostedFile | None = None
        self._file: PostedFile | None = None

    def take(self, event: Event) -> None:
        """One event of the decoder."""
        if isinstance(event, Field):
            self._name, self._value, self._current = event.name, bytearray(), None
        elif isinstance(event, File):
            self._name, self._current = None, None
            if event.name == self._file_field and not (self._file and self._file.size):
                spool = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  the ExitStack closes it
                stream = self._opened.enter_context(spool)
                self._current = PostedFile(event.filename, 0, cast("BinaryIO", stream), unkept=self._is_unkept)
        elif isinstance(event, Data):
            self._take_data(event)

    def finished_file(self) -> PostedFile | None:
        """The file, rewound; None where none was chosen: then a browser sends no name and no bytes."""
        chosen = self._file
        if chosen is None:
            return None
        if not chosen.unkept:
            chosen.stream.seek(0)
        return chosen

    def _keep(self, file: PostedFile, some: bytes) -> None:
        if not file.unkept:
            try:
                file.stream.write(some)
            except OSError:
                # The text of the form comes after it, and must not be lost for it.
                file.unkept = True

    def _take_data(self, event: Data) -> None:
        if self._current is not None:
            room = self._max_file + 1 - self._current.size
            self._keep(self._current, event.data[: max(room, 0)])
            self._current.size += len(event.data)
            # An empty file with a name was chosen: its person must hear that it is empty. Any with bytes wins over it.
            ended_empty = not event.more_data and self._current.name and self._file is None
            if self._current.size or ended_empty:
                self._file = self._current
        elif self._name is not None:
            self._text_bytes += len(event.data)
            if self._text_bytes > TEXT_LIMIT:
                raise RequestEntityTooLarge
            self._value += event.data
            if not event.more_data:
                self.fields.setdefault(self._name, text.decode(bytes(self._value)))
