"""Plain text and RTF."""

import codecs
import re
from typing import BinaryIO

from portal.errors import UploadReason, UploadRefused

RTF_SIGNATURE = b"{\\rtf"

_CHUNK = 64 * 1024
_OVERLAP = 128
_OTHERS_BEGIN_WITHIN = 1_024 + 8
# Embedded objects are how RTF carries other files; a CV has pictures, which are \pict.
_RTF_OBJECT = re.compile(rb"\\obj(?:data|emb|ocx|link|autlink|html)\b")
# A template of another machine is fetched when the document is opened; one of the writer's own disk is not.
_RTF_ELSEWHERE = re.compile(
    rb"\\\*\s*\\template\s*+(?![a-z]:)(?:[a-z]{2,}:|\\\\\\\\|//|\\u-?\d|\\'|[^{}]{0,40}\\u-?\d)", re.IGNORECASE
)
_RTF_FIELD = re.compile(
    rb"\\fldinst[^}]{0,40}(?:\bDDE(?:AUTO)?\b|\b(?:INCLUDETEXT|IMPORT)\s+\"?(?:[a-z]{2,}:|\\\\))",
    re.IGNORECASE,
)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
# Text to the eye, but a program or a browser would run it.
_NOT_PROSE = re.compile(r"\s*(?:#!|%!PS|<(?:!doctype|html|head|body|script|svg|\?))", re.IGNORECASE)


def check_rtf(file: BinaryIO, size: int) -> None:
    """Raise UploadRefused for RTF that is cut off or carries other files."""
    file.seek(max(0, size - 512))
    if not file.read(512).rstrip(b"\x00 \r\n\t").endswith(b"}"):
        raise UploadRefused(UploadReason.DAMAGED)
    file.seek(0)
    before = b""
    while chunk := file.read(_CHUNK):
        if _RTF_OBJECT.search(before + chunk):
            raise UploadRefused(UploadReason.CARRIES_FILES)
        if _RTF_ELSEWHERE.search(before + chunk) or _RTF_FIELD.search(before + chunk):
            raise UploadRefused(UploadReason.LOADS)
        before = chunk[-_OVERLAP:]


def check_plain(file: BinaryIO, head: bytes) -> None:
    """Raise UploadRefused unless it is text: UTF-8, or UTF-16 that says so by its byte order mark."""
    utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16" if utf16 else "utf-8-sig")()
    if head.lstrip().startswith(b"{\\"):  # RTF whose signature is broken
        raise UploadRefused(UploadReason.DAMAGED)
    if b"%PDF-" in head[:_OTHERS_BEGIN_WITHIN]:  # text to the eye, but readers of PDF look that far for its beginning
        raise UploadRefused(UploadReason.SUSPICIOUS)
    file.seek(0)
    first, visible = True, False
    try:
        while True:
            chunk = file.read(_CHUNK)
            piece = decoder.decode(chunk, final=not chunk)
            if _CONTROLS.search(piece) or (first and _NOT_PROSE.match(piece)):
                raise UploadRefused(UploadReason.WRONG_TYPE)
            first, visible = False, visible or not (piece.isspace() or not piece)
            if not chunk:
                break
    except UnicodeDecodeError:
        raise UploadRefused(UploadReason.WRONG_TYPE) from None
    if not visible:
        raise UploadRefused(UploadReason.EMPTY)
