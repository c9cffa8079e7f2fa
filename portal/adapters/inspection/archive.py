"""Checks ZIP-based documents, DOCX and ODT, inflating each member itself, because zipfile trusts the directory.

The directory at the end says what the archive should contain. Each member is inflated and compared with it, with limits
on count, size and ratio: an archive that contradicts itself, has overlapping members or inflates too far is rejected.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from portal.adapters.inspection import markup
from portal.platform.errors import FileKind, UploadReason, UploadRefused

SIGNATURE = b"PK\x03\x04"

_CHUNK = 64 * 1024
_MAX_MEMBERS = 1_000
_MAX_DIRECTORY = 256 * 1024
_MAX_INFLATED = 128 * 1024 * 1024
_RATIO_EXEMPT = 1024 * 1024
_MAX_RATIO = 150  # deflate can reach 1,032; XML of real documents stays below 50
_MAX_STORED = 256 * 1024
_MAX_COMMENT = 100
OTHERS_BEGIN_WITHIN = 1_024 + 8  # PDF readers search this far for the signature
END = struct.Struct("<4s4H2LH")  # APPNOTE 4.3.16
_LOCAL = struct.Struct("<4s5H3L2H")  # APPNOTE 4.3.7
_SIZES_FOLLOW = 0x08
_ENCRYPTED = 0x01 | 0x40 | 0x2000

_DOCX = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_ODT = b"application/vnd.oasis.opendocument.text"
_IDENTIFYING = frozenset({"[Content_Types].xml", "mimetype", "META-INF/manifest.xml"})
_OTHER_FILES = (b"PK\x03\x04", b"MZ", b"\x7fELF", b"\xd0\xcf\x11\xe0", b"Rar!", b"7z\xbc\xaf", b"%PDF-")


def document_kind(file: BinaryIO, size: int) -> str:
    """Return "docx" or "odt"; raise UploadRefused for other archives, and for those that contradict themselves."""
    members = _members(file, size)
    file.seek(0)
    if b"%PDF-" in file.read(OTHERS_BEGIN_WITHIN):
        raise UploadRefused(UploadReason.SUSPICIOUS)
    names = {member.filename for member in members}
    if len(names) != len(members):
        raise UploadRefused(UploadReason.SUSPICIOUS)
    if any(member.flag_bits & _ENCRYPTED for member in members):
        raise UploadRefused(UploadReason.ENCRYPTED)
    if any(_is_macro(name) for name in names):
        raise UploadRefused(UploadReason.MACROS)
    identifying, malformed = _read_all(file, members)
    kind = _kind(names, identifying)
    if malformed:
        raise UploadRefused(UploadReason.DAMAGED)
    return kind


def _kind(names: set[str], identifying: dict[str, bytes]) -> str:
    types = identifying.get("[Content_Types].xml", b"")
    if b"macroEnabled" in types or b"vbaProject" in types:
        raise UploadRefused(UploadReason.MACROS)
    if b"activeX" in types or b"oleObject" in types:
        raise UploadRefused(UploadReason.EMBEDDED_FILES)
    if _DOCX in types and "_rels/.rels" in names:
        return "docx"
    if identifying.get("mimetype") == _ODT and "META-INF/manifest.xml" in names:
        if b"encryption-data" in identifying["META-INF/manifest.xml"] or "encrypted-package" in names:
            raise UploadRefused(UploadReason.ENCRYPTED)
        return "odt"
    raise UploadRefused(UploadReason.WRONG_TYPE, kind=_other_kind(names, types + identifying.get("mimetype", b"")))


def _other_kind(names: set[str], types: bytes) -> FileKind:
    if b"spreadsheet" in types:
        return FileKind.SPREADSHEET
    if b"presentation" in types:
        return FileKind.PRESENTATION
    if any(name.startswith("Index/") and name.endswith(".iwa") for name in names) or "Index.zip" in names:
        return FileKind.PAGES
    return FileKind.ARCHIVE


def _is_macro(name: str) -> bool:
    lower = name.casefold()
    return lower.rpartition("/")[2] in ("vbaproject.bin", "vbadata.xml") or lower.startswith(("basic/", "scripts/"))


def _members(file: BinaryIO, size: int) -> list[zipfile.ZipInfo]:
    """Return the directory's entries in the order of their bytes; the directory's size is checked before it is read."""
    _check_end(file, size)
    try:
        with zipfile.ZipFile(file) as opened:
            members = sorted(opened.infolist(), key=lambda member: member.header_offset)
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, struct.error, ValueError, OverflowError):
        raise UploadRefused(UploadReason.DAMAGED) from None
    if not members or members[0].header_offset != 0:
        raise UploadRefused(UploadReason.DAMAGED)
    if len(members) > _MAX_MEMBERS:
        raise UploadRefused(UploadReason.SUSPICIOUS)
    return members


def _check_end(file: BinaryIO, size: int) -> None:
    """Check that the end record ends the file and the directory precedes it: nothing is prepended or appended."""
    window = min(size, END.size + 0xFFFF)
    file.seek(size - window)
    tail = file.read(window)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or at + END.size > len(tail):
        raise UploadRefused(UploadReason.DAMAGED)
    _, disk, start_disk, entries_here, total, length, offset, comment = END.unpack_from(tail, at)
    position = size - window + at
    if disk or start_disk or entries_here != total or position + END.size + comment != size:
        raise UploadRefused(UploadReason.DAMAGED)
    if comment > _MAX_COMMENT:  # a comment could hide another file; office programs write none
        raise UploadRefused(UploadReason.SUSPICIOUS)
    if total > _MAX_MEMBERS or length > _MAX_DIRECTORY:  # also rejects 64-bit archives, which no CV needs
        raise UploadRefused(UploadReason.SUSPICIOUS)
    if offset + length != position:
        raise UploadRefused(UploadReason.DAMAGED)


def _read_all(file: BinaryIO, members: list[zipfile.ZipInfo]) -> tuple[dict[str, bytes], bool]:
    """Inflate every member; return the few that identify the document, and whether any XML member is malformed."""
    identifying: dict[str, bytes] = {}
    budget = markup.MarkupBudget()
    total, previous_end, malformed = 0, 0, False
    for member in members:
        if member.header_offset < previous_end:  # overlapping members let small archives become huge
            raise UploadRefused(UploadReason.SUSPICIOUS)
        start = _data_start(file, member)
        previous_end = start + member.compress_size
        stored = bytearray()
        xml = markup.XmlMember(budget) if member.filename.casefold().endswith((".xml", ".rels")) else None
        for piece in _inflated(file, member, start):
            total += len(piece)
            if total > _MAX_INFLATED:
                raise UploadRefused(UploadReason.SUSPICIOUS)
            if len(stored) < _MAX_STORED and (member.filename in _IDENTIFYING or not stored):
                stored += piece
            if xml:
                xml.feed(piece)
        if xml:
            xml.feed(b"")
            malformed = malformed or xml.is_malformed
        if bytes(stored[:8]).startswith(_OTHER_FILES):
            raise UploadRefused(UploadReason.EMBEDDED_FILES)
        if member.filename in _IDENTIFYING:
            identifying[member.filename] = bytes(stored)
    return identifying, malformed


def _data_start(file: BinaryIO, member: zipfile.ZipInfo) -> int:
    """Return the position of a member's bytes; its local header must agree with the directory."""
    file.seek(member.header_offset)
    try:
        mark, _, flags, method, _, _, _, packed, plain, name_length, extra_length = _LOCAL.unpack(
            file.read(_LOCAL.size)
        )
    except struct.error:
        raise UploadRefused(UploadReason.DAMAGED) from None
    name = file.read(name_length)
    if mark != SIGNATURE or method != member.compress_type or name != _raw_name(member):
        raise UploadRefused(UploadReason.DAMAGED)
    if not flags & _SIZES_FOLLOW and (packed, plain) != (member.compress_size, member.file_size):
        raise UploadRefused(UploadReason.DAMAGED)
    return member.header_offset + _LOCAL.size + int(name_length) + int(extra_length)


def _raw_name(member: zipfile.ZipInfo) -> bytes:
    return member.orig_filename.encode("utf-8" if member.flag_bits & 0x800 else "cp437")


def _inflated(file: BinaryIO, member: zipfile.ZipInfo, start: int) -> Iterator[bytes]:
    """Yield a member's bytes in pieces; raise UploadRefused if size, checksum or ratio is wrong."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UploadRefused(UploadReason.SUSPICIOUS)
    allowed = _RATIO_EXEMPT + _MAX_RATIO * member.compress_size
    count, checksum = 0, 0
    for piece in _pieces(file, member, start):
        count += len(piece)
        checksum = zlib.crc32(piece, checksum)
        if count > allowed:
            raise UploadRefused(UploadReason.SUSPICIOUS)
        yield piece
    if count != member.file_size or checksum != member.CRC:
        raise UploadRefused(UploadReason.DAMAGED)


def _pieces(file: BinaryIO, member: zipfile.ZipInfo, start: int) -> Iterator[bytes]:
    file.seek(start)
    if member.compress_type == zipfile.ZIP_STORED:
        return _packed(file, member.compress_size)
    return _unpacked(_packed(file, member.compress_size))


def _packed(file: BinaryIO, left: int) -> Iterator[bytes]:
    while left:
        chunk = file.read(min(_CHUNK, left))
        if not chunk:
            raise UploadRefused(UploadReason.DAMAGED)
        left -= len(chunk)
        yield chunk


def _unpacked(chunks: Iterator[bytes]) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for chunk in chunks:
            left = chunk
            while left:
                if inflater.eof:  # otherwise the loop would never end, because data behind the end stays unconsumed
                    raise UploadRefused(UploadReason.DAMAGED)
                if piece := inflater.decompress(left, _CHUNK):
                    yield piece
                left = inflater.unconsumed_tail
        while piece := inflater.decompress(b"", _CHUNK):  # the output that is left once all input is consumed
            yield piece
    except zlib.error:
        raise UploadRefused(UploadReason.DAMAGED) from None
    if not inflater.eof or inflater.unused_data:
        raise UploadRefused(UploadReason.DAMAGED)
