"""OLE compound files ([MS-CFB]): Word's old DOC, and the container of encrypted DOCX.

Only the directory is read: its stream names tell what the file is. Counts and chains are limited, because a malicious
file may point anywhere. Parsed by hand because olefile has no such limits (docs/decisions/0041).
"""

import struct
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from portal.platform.errors import FileKind, UploadReason, UploadRefused

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_SECTOR_SHIFTS = (9, 12)
_LAST_SECTOR = 0xFFFFFFFA  # above: end of chain, free, and other marks ([MS-CFB] 2.1)
_MAX_DIRECTORY_SECTORS = 2_000
_TABLES_IN_HEADER = 109
_ENTRY = 128
_MINI_STREAM_BELOW = 4_096
# Streams of objects in an ObjectPool ([MS-DOC] 2.1.4): any object, an embedded file, a control, an equation.
_CARRYING = frozenset({"\x03objinfo", "\x01ole10native", "\x03ocxname", "equation native"})
_WORD_IDENT = 0xA5EC  # [MS-DOC] FibBase.wIdent
_WORD_ENCRYPTED = 0x0100  # [MS-DOC] FibBase.fEncrypted


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    start: int
    size: int


def check_word(file: BinaryIO) -> None:
    """Raise UploadRefused unless it is a Word document without password, macros and embedded files."""
    try:
        entries = {entry.name.casefold(): entry for entry in _directory(file)}
        if "encryptedpackage" in entries or "encryptioninfo" in entries:
            raise UploadRefused(UploadReason.ENCRYPTED)
        if not (word := entries.get("worddocument")):
            raise UploadRefused(UploadReason.WRONG_TYPE, kind=_other_kind(entries))
        if "macros" in entries or "_vba_project" in entries or "vba" in entries:
            raise UploadRefused(UploadReason.MACROS)
        if not _CARRYING.isdisjoint(entries):
            raise UploadRefused(UploadReason.EMBEDDED_FILES)
        if word.size >= _MINI_STREAM_BELOW:
            _check_head(_sector(file, word.start, _sector_size(file)))
    except struct.error:
        raise UploadRefused(UploadReason.DAMAGED) from None


def _other_kind(names: Container[str]) -> FileKind | None:
    if "workbook" in names or "book" in names:
        return FileKind.SPREADSHEET
    return FileKind.PRESENTATION if "powerpoint document" in names else None


def _check_head(sector: bytes) -> None:
    ident, flags = struct.unpack_from("<H8xH", sector)
    if ident != _WORD_IDENT:
        raise UploadRefused(UploadReason.DAMAGED)
    if flags & _WORD_ENCRYPTED:
        raise UploadRefused(UploadReason.ENCRYPTED)


def _directory(file: BinaryIO) -> Iterator[_Entry]:
    size = _sector_size(file)
    file.seek(0)
    header = file.read(512)
    (number,) = struct.unpack_from("<I", header, 48)
    seen: set[int] = set()
    while number <= _LAST_SECTOR:
        if number in seen or len(seen) >= _MAX_DIRECTORY_SECTORS:
            raise UploadRefused(UploadReason.DAMAGED)
        seen.add(number)
        sector = _sector(file, number, size)
        for offset in range(0, size, _ENTRY):
            length, kind = struct.unpack_from("<HB", sector, offset + 64)
            start, stream_size = struct.unpack_from("<II", sector, offset + 116)
            if kind and 2 <= length <= 64:
                name = sector[offset : offset + length - 2].decode("utf-16-le", "replace")
                yield _Entry(name, start, stream_size)
        number = _next_sector(file, header, number, size)


def _next_sector(file: BinaryIO, header: bytes, number: int, size: int) -> int:
    """Return the next sector of a chain, by the allocation table."""
    table, index = divmod(number, size // 4)
    (following,) = struct.unpack_from("<I", _sector(file, _table_sector(file, header, table, size), size), 4 * index)
    return int(following)


def _table_sector(file: BinaryIO, header: bytes, table: int, size: int) -> int:
    """Return the sector of a part of the allocation table: the header lists the first ones, a sector chain the rest.

    The chain is followed only as far as the file is long, because `table` belongs to a sector inside the file.
    """
    if table < _TABLES_IN_HEADER:
        return int(struct.unpack_from("<I", header, 76 + 4 * table)[0])
    ahead, index = divmod(table - _TABLES_IN_HEADER, size // 4 - 1)
    (number,) = struct.unpack_from("<I", header, 68)
    for _ in range(ahead):
        (number,) = struct.unpack_from("<I", _sector(file, number, size), size - 4)
    return int(struct.unpack_from("<I", _sector(file, number, size), 4 * index)[0])


def _sector_size(file: BinaryIO) -> int:
    file.seek(30)
    (shift,) = struct.unpack("<H", file.read(2))
    if shift not in _SECTOR_SHIFTS:
        raise UploadRefused(UploadReason.DAMAGED)
    return 1 << int(shift)


def _sector(file: BinaryIO, number: int, size: int) -> bytes:
    file.seek((number + 1) * size)
    sector = file.read(size)
    if len(sector) < _ENTRY:
        raise UploadRefused(UploadReason.DAMAGED)
    return sector
