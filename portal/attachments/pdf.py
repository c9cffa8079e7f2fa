"""PDF: signature, end, no encryption, nothing else hidden in it."""

import re
from typing import BinaryIO

from portal.errors import UploadReason, UploadRefused

SIGNATURE = b"%PDF-"

_CHUNK = 64 * 1024
_TAIL = 1_024  # ISO 32000 has %%EOF last; readers look for it in this many bytes
_ARCHIVE_END = b"PK\x05\x06"
# An Encrypt entry of a trailer or cross-reference stream names an object or holds a dictionary.
_ENCRYPT = re.compile(rb"/Encrypt\s*(?:\d{1,10}\s+\d{1,5}\s+R\b|<<)")
_OVERLAP = 64


def check(file: BinaryIO, size: int) -> None:
    """Raise UploadRefused for a PDF that is cut off, encrypted, or an archive at the same time."""
    file.seek(max(0, size - _TAIL))
    _, mark, rest = file.read(_TAIL).rpartition(b"%%EOF")
    if not mark:
        raise UploadRefused(UploadReason.DAMAGED)
    if _ARCHIVE_END in rest:
        raise UploadRefused(UploadReason.SUSPICIOUS)
    file.seek(0)
    before = b""
    while chunk := file.read(_CHUNK):
        if _ENCRYPT.search(before + chunk):
            raise UploadRefused(UploadReason.ENCRYPTED)
        before = chunk[-_OVERLAP:]
