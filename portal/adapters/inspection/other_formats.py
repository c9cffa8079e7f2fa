"""Recognises files that are no CVs by their first bytes, so that the error can say "this is a picture"."""

import re

from portal.platform.errors import FileKind

_HEADS = (
    (
        FileKind.PICTURE,
        re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\0{4}|II\*\0|MM\0\*|RIFF.{4}WEBP|8BPS", re.DOTALL),
    ),
    (FileKind.PICTURE, re.compile(rb".{4}ftyp(?:hei[cfmsx]|hev[cx]|mif1|msf1|avif)", re.DOTALL)),
    (FileKind.RECORDING, re.compile(rb"ID3|OggS|fLaC|RIFF.{4}(?:WAVE|AVI )|\x1aE\xdf\xa3|.{4}ftyp", re.DOTALL)),
    (FileKind.ARCHIVE, re.compile(rb"Rar!|7z\xbc\xaf|\x1f\x8b|BZh|\xfd7zXZ|PK\x05\x06|PK\x07\x08")),
    (FileKind.PROGRAM, re.compile(rb"MZ|\x7fELF|#!|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe")),
    (FileKind.WEB_PAGE, re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|script)", re.IGNORECASE)),
)


def kind(head: bytes) -> FileKind | None:
    """Return the kind of file; None if it is not recognised."""
    return next((kind for kind, pattern in _HEADS if pattern.match(head)), None)
