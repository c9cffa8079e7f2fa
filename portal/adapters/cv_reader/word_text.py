"""The text of DOC (by olefile and the file's piece table), RTF (by striprtf) and plain text."""

import codecs
import re
import struct
from collections.abc import Callable, Iterator
from typing import BinaryIO

import olefile
from striprtf import striprtf

from portal.adapters.cv_reader.text_lines import CHARACTERS_MOST, CvText, TextCollector

_RTF_MOST = 1_000_000
_STREAM_MOST = 16 * 1024 * 1024
_PIECES_MOST = 2_000
_BEYOND_ENGLISH_MOST = 0.3
_HYPERLINK = re.compile(r'HYPERLINK "([^"\s]{5,2048})"')


def read_doc(file: BinaryIO) -> CvText:
    """Read the pieces of the main text ([MS-DOC] 2.4.1); nothing if the file's tables are malformed."""
    writer = TextCollector()
    with olefile.OleFileIO(file) as opened:
        word = opened.openstream("WordDocument").read(_STREAM_MOST)
        (flags,) = struct.unpack_from("<H", word, 10)
        table = opened.openstream("1Table" if flags & 0x0200 else "0Table").read(_STREAM_MOST)
    (length,) = struct.unpack_from("<I", word, 0x4C)
    text = "".join(_pieces(word, table, min(length, CHARACTERS_MOST)))
    for link in _HYPERLINK.findall(text):
        writer.link(link)
    shown = re.sub("\x13[^\x13-\x15]*\x14?", "", text).replace("\x15", "")  # the result of a field, not its code
    writer.line(re.sub("[\r\x07\x0b\x0c]", "\n", shown))
    return writer.written()


def read_rtf(file: BinaryIO) -> CvText:
    """Read the visible text."""
    writer = TextCollector()
    file.seek(0)
    content = file.read(_RTF_MOST).decode("latin-1")
    for link in _HYPERLINK.findall(content):
        writer.link(link)
    writer.line(_text_of(content).replace("|", "  ")[:CHARACTERS_MOST])
    return writer.written()


def _text_of(rtf: str) -> str:
    untyped: Callable[..., object] = striprtf.rtf_to_text
    return str(untyped(rtf, errors="ignore"))


def read_plain(file: BinaryIO) -> CvText:
    """Read UTF-8, UTF-16 with a byte order mark, or Windows-1252."""
    writer = TextCollector()
    file.seek(0)
    content = file.read(4 * CHARACTERS_MOST)
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16" if utf16 else "utf-8-sig")()
    try:
        writer.line(decoder.decode(content))
    except UnicodeDecodeError:
        writer.line(_eight_bits(content))
    return writer.written()


def _eight_bits(content: bytes) -> str:
    """Decode Windows-1252; if there are too many non-ASCII bytes, it is another encoding: then keep only ASCII."""
    beyond = len(content) - len(content.translate(None, bytes(range(128, 256))))
    if beyond > len(content) * _BEYOND_ENGLISH_MOST:
        return content.decode("ascii", "ignore")
    return content.decode("cp1252", "replace")


def _pieces(word: bytes, table: bytes, wanted: int) -> Iterator[str]:
    start, length = struct.unpack_from("<II", word, 0x01A2)
    clx = table[start : start + length]
    at = 0
    while clx[at : at + 1] == b"\x01":  # formatting, which is not used
        at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
    if clx[at : at + 1] != b"\x02":
        return
    (size,) = struct.unpack_from("<I", clx, at + 1)
    count = min((size - 4) // 12, _PIECES_MOST)
    ends = struct.unpack_from(f"<{count + 1}I", clx, at + 5)
    for number in range(count):
        first, last = ends[number], min(ends[number + 1], wanted)
        if first >= last:
            break
        (where,) = struct.unpack_from("<I", clx, at + 5 + 4 * (count + 1) + 8 * number + 2)
        if where & 0x40000000:  # one byte for each character
            offset = (where & 0x3FFFFFFF) // 2
            yield word[offset : offset + last - first].decode("cp1252", "replace")
        else:
            yield word[where : where + 2 * (last - first)].decode("utf-16-le", "replace")
