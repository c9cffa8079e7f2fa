"""Checks plain text: a known encoding, no control characters, nothing that a program or browser would run."""

import codecs
import re
from typing import BinaryIO

from portal.platform.errors import FileKind, UploadReason, UploadRefused

_CHUNK = 64 * 1024
_UNKNOWN_ONE_IN = 100
"""One in so many characters may be undefined in Windows-1252."""
_OTHERS_BEGIN_WITHIN = 1_024 + 8
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
# Readable text, but a program or a browser would run it.
_NOT_PROSE = re.compile(r"\s*(?:#!|%!PS|<(?:!doctype|html|head|body|script|svg|\?))", re.IGNORECASE)


def check_plain(file: BinaryIO, head: bytes) -> None:
    """Raise UploadRefused unless it is text: UTF-8, UTF-16 with a byte order mark, or Windows-1252."""
    if head.lstrip().startswith(b"{\\"):  # RTF with a broken signature
        raise UploadRefused(UploadReason.DAMAGED)
    if b"%PDF-" in head[:_OTHERS_BEGIN_WITHIN]:  # readable text, but PDF readers search this far for the signature
        raise UploadRefused(UploadReason.SUSPICIOUS)
    utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not utf16 and any(_is_prose(head, encoding) for encoding in ("utf-16-le", "utf-16-be")):
        raise UploadRefused(UploadReason.WRONG_TYPE, kind=FileKind.UNMARKED_TEXT)
    try:
        _check_characters(file, codecs.getincrementaldecoder("utf-16" if utf16 else "utf-8-sig")())
    except UnicodeDecodeError:
        if utf16:
            raise UploadRefused(UploadReason.WRONG_TYPE) from None
        _check_characters(file, codecs.getincrementaldecoder("cp1252")("replace"))


def _is_prose(head: bytes, encoding: str) -> bool:
    """Return whether it is UTF-16 without a byte order mark: it has zero bytes, but no control characters decoded."""
    text = head[: len(head) & ~1].decode(encoding, "replace")
    return (
        b"\0" in head and not _CONTROLS.search(text) and "\ufffd" not in text[:-1] and any(c < "\u0100" for c in text)
    )


def _check_characters(file: BinaryIO, decoder: codecs.IncrementalDecoder) -> None:
    """Raise UploadRefused unless all characters are those of text; UnicodeDecodeError if they do not decode."""
    file.seek(0)
    first, visible, count, unknown = True, False, 0, 0
    while True:
        chunk = file.read(_CHUNK)
        piece = decoder.decode(chunk, final=not chunk)
        if _CONTROLS.search(piece) or (first and _NOT_PROSE.match(piece)):
            raise UploadRefused(UploadReason.WRONG_TYPE)
        first, visible = False, visible or not (piece.isspace() or not piece)
        count, unknown = count + len(piece), unknown + piece.count("\ufffd")
        if not chunk:
            break
    if decoder.errors == "replace" and unknown > count // _UNKNOWN_ONE_IN:
        raise UploadRefused(UploadReason.WRONG_TYPE)
    if not visible:
        raise UploadRefused(UploadReason.EMPTY)
