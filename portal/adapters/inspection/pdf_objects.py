"""Reads the objects of a PDF, and rejects files in which two readers would find different objects."""

import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, PdfObject, StreamObject, read_object

from portal.platform.errors import FileKind, UploadReason, UploadRefused

UNREADABLE = (PyPdfError, ValueError, TypeError, KeyError, AttributeError)
"""What pypdf raises for an object that cannot be parsed."""

_STREAMS_OF_OBJECTS = frozenset({"/ObjStm", "/XRef"})
_FLATE = "/FlateDecode"
_REPEATED = "Multiple definitions in dictionary"
"""Beginning of pypdf's warning about a dictionary that has the same key twice."""
_NOT_DEFINED = "not defined."
"""End of its warning about a reference to no object, which is null for every reader (ISO 32000-2, 7.3.10)."""
_HEADER = re.compile(rb"(?:(?<!\d)(\d{1,10})[\0\s]{1,20}(\d{1,5}))?[\0\s]{1,20}obj(?![A-Za-z0-9])")
"""Beginning of an object: its number and generation. Spaces are bounded, so that a file of spaces is searched once."""
# Members that run something or refer to something. Others, such as /Type and /MediaBox, are repeated by real programs.
_DECIDING = frozenset(
    f"/{name}"
    for names in (
        "A AA AF AcroForm AlternatePresentations Annots Base D DOS DecodeParms DestOutputProfileRef Dests EF",
        "EmbeddedFiles Encrypt F FDecodeParms FFilter FS Fields Filter First JS JavaScript Kids Last Length Mac N NA",
        "Names Next OPI OpenAction Outlines OutputIntents P PA Pages Parent PresSteps Prev Ref Renditions Root S",
        "Subtype Threads UF URI URL Unix Win XFA XRefStm",
        "Bl C DP DS E Fo K O PC PI PO PV U V WC WP WS X",  # events of /AA (ISO 32000-2, 12.6.3)
    )
    for name in names.split()
)


class ObjectReader(PdfReader):
    """A reader that decodes object and cross-reference streams only from Flate, as all programs write them: pypdf's
    other filters are pure Python, and LZW takes a second for every 10 KB of a malicious file.
    """

    def cache_indirect_object(self, generation: int, idnum: int, obj: PdfObject | None) -> PdfObject | None:
        """Cache an object that was read; check a stream's filter before it is decoded. Raises UploadRefused."""
        if isinstance(obj, StreamObject) and value(obj, "/Type") in _STREAMS_OF_OBJECTS:
            filters = value(obj, "/Filter")
            if filters not in (None, _FLATE, [], [_FLATE]):
                raise refused(UploadReason.TOO_COMPLEX)
        return super().cache_indirect_object(generation, idnum, obj)


def value(node: DictionaryObject, key: str) -> object:
    """Return a member, read if it is a reference; None if there is none."""
    found = node.get(key)
    return found.get_object() if found is not None else None


def refused(reason: UploadReason) -> UploadRefused:
    """Return the error for a PDF that is not accepted."""
    return UploadRefused(reason, kind=FileKind.PDF)


class ReaderWarnings(logging.Handler):
    """Collects the warnings of pypdf about one file, in place of a log: they may contain text of the CV."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.is_repaired = False
        """Whether the cross-reference table was wrong, so that objects were searched for in the bytes."""
        self._repeated: set[str] = set()
        self._is_cut_short = False

    def emit(self, record: logging.LogRecord) -> None:
        """Note a warning."""
        what = str(record.msg)
        if record.name == DictionaryObject.__module__:
            if what.startswith(_REPEATED) and isinstance(record.args, dict):
                self._repeated.add(str(record.args["key"]))
            else:
                self._is_cut_short = True
        elif record.name == PdfReader.__module__ and not what.endswith(_NOT_DEFINED):
            self.is_repaired = True

    def require_whole_dictionaries(self) -> None:
        """Refuse if a dictionary that was read had one of _DECIDING twice, or was cut short.

        Of two values pypdf uses the first and other readers the last, and it drops what follows anything that it cannot
        parse, so an action could be hidden. Only its warnings show that this happened.
        """
        if self._repeated & _DECIDING:
            raise refused(UploadReason.SUSPICIOUS)
        if self._is_cut_short:
            raise refused(UploadReason.DAMAGED)


@contextmanager
def noting_warnings() -> Iterator[ReaderWarnings]:
    """Collect pypdf's warnings within the block; none is logged."""
    log, noted = logging.getLogger("pypdf"), ReaderWarnings()
    before = log.level, log.propagate
    log.addHandler(noted)
    log.setLevel(logging.WARNING)
    log.propagate = False
    try:
        yield noted
    finally:
        log.removeHandler(noted)
        log.setLevel(before[0])
        log.propagate = before[1]


def scanned_objects(file: BinaryIO) -> list[tuple[int, int]]:
    """Return number and generation of every object in the raw bytes, as readers find them if the table is wrong.

    Raises UploadRefused if a number occurs twice, since some take the first and some the last, and if one is missing.
    """
    file.seek(0)
    headers = _HEADER.findall(file.read())
    numbers = [number for number, _ in headers]
    if not all(numbers) or len(set(map(int, numbers))) < len(numbers):
        raise refused(UploadReason.DAMAGED)
    return [(int(number), int(generation)) for number, generation in headers]


def superseded_objects(reader: PdfReader) -> Iterator[PdfObject]:
    """Yield what object streams hold besides the objects that the cross-reference table takes from them.

    These include older versions of changed objects, which another reader of a damaged file may find. Raises
    UploadRefused if a stream lists a number twice, or another number than the table says at that index: some readers go
    by the number, some by the index. All objects of the table must have been read before.
    """
    lists: dict[int, list[int]] = {}
    for (_, holder), stream in list(reader.resolved_objects.items()):
        if isinstance(stream, StreamObject) and value(stream, "/Type") == "/ObjStm":
            content = io.BytesIO(stream.get_data())
            places = _places(content.getvalue(), value(stream, "/N"), value(stream, "/First"))
            lists[holder] = [number for number, _ in places]
            if len(set(lists[holder])) < len(places):
                raise refused(UploadReason.SUSPICIOUS)
            for number, place in places:
                if reader.xref_objStm.get(number, (None, None))[0] != holder:
                    content.seek(place)
                    with suppress(*UNREADABLE):
                        yield read_object(content, reader)
    for number, (holder, index) in reader.xref_objStm.items():
        if lists.get(holder, [])[index : index + 1] != [number]:
            raise refused(UploadReason.DAMAGED)


def _places(content: bytes, count: object, first: object) -> list[tuple[int, int]]:
    """Return number and place of each object of an object stream (ISO 32000-2, 7.5.7)."""
    if not isinstance(count, int) or not isinstance(first, int) or not 0 <= first <= len(content):
        raise refused(UploadReason.DAMAGED)
    listed = content[:first].split()
    if len(listed) != 2 * count or not all(one.isdigit() for one in listed):
        raise refused(UploadReason.DAMAGED)
    numbers = [int(one) for one in listed]
    places = [(number, first + place) for number, place in zip(numbers[::2], numbers[1::2], strict=True)]
    if any(place > len(content) for _, place in places):
        raise refused(UploadReason.DAMAGED)
    return places
