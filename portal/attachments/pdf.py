"""PDF: whole, open to everybody, one thing at a time, and still: it runs, launches, opens and carries nothing."""

import re
import struct
from collections.abc import Iterator
from typing import BinaryIO

from pypdf import PasswordType, PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject

from portal.errors import FileKind, UploadReason, UploadRefused

SIGNATURE = b"%PDF-"

_CHUNK = 1024 * 1024
_OVERLAP = 64
_HEAD = 4_096
_TAIL = 1_024  # ISO 32000 has %%EOF last; readers look for it in this many bytes
_ARCHIVE_END = struct.Struct("<4s4H2LH")  # APPNOTE 4.3.16
_MAX_COMMENT = 0xFFFF
_PAGE_OF_THE_WEB = re.compile(rb"<(?:script|html|!doctype|head|body|svg|iframe|img|\?php)", re.IGNORECASE)

_NEVER = frozenset({"/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/GoToE", "/Rendition", "/Movie", "/Sound"})
_TAME = frozenset({"/GoTo", "/Named", "/SetOCGState", "/Hide", "/Trans", "/Thread"})
"""What may happen by itself: all of it stays in the document."""
_PLAYED = frozenset({"/RichMedia", "/Movie", "/Sound", "/Screen", "/3D"})
# In plain sight, whether or not anything leads there: two readers of a broken file may find different objects in it.
_MARKS = {
    b"/JavaScript": (re.compile(rb"/S\s*/JavaScript\b"), UploadReason.ACTIVE),
    b"/Launch": (re.compile(rb"/S\s*/Launch\b"), UploadReason.ACTIVE),
    b"/EmbeddedFile": (re.compile(rb"/Type\s*/EmbeddedFile\b"), UploadReason.CARRIES_FILES),
}
# One walk over the bytes: to look for each word by itself was half of what a PDF of 10 MB cost.
_WORDS = re.compile(rb"/(?:JavaScript|Launch|EmbeddedFile)")
_MAX_DEPTH_OF_ACTIONS = 20


def pages(file: BinaryIO, size: int) -> int:
    """How many pages it has. Raises UploadRefused for what should not be opened, and errors of all kinds for damage."""
    _check_ends(file, size)
    _check_plain_sight(file)
    reader = PdfReader(file, strict=False)
    # Whom a password of the owner alone keeps from changing it, may open it: so may a company and its scanner.
    if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
        raise _refused(UploadReason.ENCRYPTED)
    for node in _nodes(reader):
        _check(node)
    count = len(reader.pages)
    if count < 1:
        raise _refused(UploadReason.DAMAGED)
    return count


def _check_ends(file: BinaryIO, size: int) -> None:
    """It ends as a PDF does, begins as nothing but one, and is no archive."""
    start = max(0, size - _ARCHIVE_END.size - _MAX_COMMENT)
    file.seek(start)
    tail = file.read()
    if b"%%EOF" not in tail[-_TAIL:]:
        raise _refused(UploadReason.DAMAGED)
    file.seek(0)
    head = file.read(_HEAD)
    if _PAGE_OF_THE_WEB.search(head.partition(b" obj")[0]) or any(_is_archive(file, tail, start)):
        raise _refused(UploadReason.SUSPICIOUS)


def _is_archive(file: BinaryIO, tail: bytes, start: int) -> Iterator[bool]:
    """For each end of an archive, whether a reader of archives would take it for one."""
    for found in re.finditer(rb"PK\x05\x06", tail):
        if len(tail) - found.start() < _ARCHIVE_END.size:
            return
        *_, length, offset, comment = _ARCHIVE_END.unpack_from(tail, found.start())
        yield found.start() + _ARCHIVE_END.size + comment == len(tail)
        for place in (offset, start + found.start() - length):
            file.seek(max(0, place))
            yield file.read(4) == b"PK\x01\x02"


def _check_plain_sight(file: BinaryIO) -> None:
    """No _MARKS in the bytes as they are."""
    file.seek(0)
    before = b""
    while chunk := file.read(_CHUNK):
        content = before + chunk
        for found in _WORDS.finditer(content):
            pattern, reason = _MARKS[found[0]]
            if pattern.search(content[max(0, found.start() - _OVERLAP) : found.start() + _OVERLAP]):
                raise _refused(reason)
        before = content[-2 * _OVERLAP :]


def _nodes(reader: PdfReader) -> Iterator[DictionaryObject]:
    """Every dictionary that the document leads to, once."""
    to_do: list[object] = [reader.trailer.raw_get("/Root")]
    seen: set[int] = set()
    while to_do:
        node = to_do.pop()
        if isinstance(node, IndirectObject):
            if node.idnum in seen:
                continue
            seen.add(node.idnum)
            node = reader.get_object(node)
        if isinstance(node, DictionaryObject):
            yield node
            to_do += node.values()
        elif isinstance(node, ArrayObject):
            to_do += node


def _check(node: DictionaryObject) -> None:
    if node.get("/Type") == "/StructElem":  # whose /S is a name of its own
        return
    if "/EF" in node or node.get("/Type") == "/EmbeddedFile" or node.get("/Subtype") == "/FileAttachment":
        raise _refused(UploadReason.CARRIES_FILES)
    acts = "/JS" in node or "/XFA" in node or _value(node, "/S") in _NEVER or _value(node, "/Subtype") in _PLAYED
    by_itself = [_value(node, "/OpenAction")]
    if isinstance(more := _value(node, "/AA"), DictionaryObject):
        by_itself += [_value(more, key) for key in more]
    if acts or not all(_is_tame(action) for action in by_itself):
        raise _refused(UploadReason.ACTIVE)


def _is_tame(action: object, depth: int = 0) -> bool:
    """Whether what happens by itself stays in the document; a place to show is no action."""
    if isinstance(action, ArrayObject) and depth:
        return all(_is_tame(one.get_object(), depth + 1) for one in action)
    if not isinstance(action, DictionaryObject):
        return True
    if depth > _MAX_DEPTH_OF_ACTIONS or _value(action, "/S") not in _TAME:
        return False
    return _is_tame(_value(action, "/Next"), depth + 1)


def _value(node: DictionaryObject, key: str) -> object:
    value = node.get(key)
    return value.get_object() if value is not None else None


def _refused(reason: UploadReason) -> UploadRefused:
    return UploadRefused(reason, kind=FileKind.PDF)
