"""What an uploaded file is, by its content; its name and the type the browser claims play no part.

Memory stays constant whatever the file: everything is read in pieces, and archives are inflated piece by piece.
"""

import codecs
import io
from dataclasses import dataclass
from typing import BinaryIO

from portal.attachments import archive, compound, pdf, text
from portal.attachments.reading.cv import read_cv
from portal.attachments.reading.said import CvSaid
from portal.errors import UploadReason, UploadRefused

_HEAD = 4_096


@dataclass(frozen=True, slots=True)
class Inspected:
    """media_type: the true one. extension: without its dot. size: bytes."""

    media_type: str
    extension: str
    size: int
    pages: int | None = None
    said: CvSaid | None = None


PDF = ("application/pdf", "pdf")
DOCX = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx")
ODT = ("application/vnd.oasis.opendocument.text", "odt")
RTF = ("application/rtf", "rtf")
DOC = ("application/msword", "doc")
TXT = ("text/plain", "txt")

EXTENSIONS = ("pdf", "docx", "odt", "rtf", "txt", "doc")
"""What is taken, most wanted first; for a hint and for a file field's `accept`."""


def inspect(file: BinaryIO, *, max_bytes: int, read: bool = False) -> Inspected:
    """Say what a seekable file is, or raise UploadRefused. A file of exactly max_bytes passes.

    The file is left standing anywhere.
    """
    size = file.seek(0, io.SEEK_END)
    if size == 0:
        raise UploadRefused(UploadReason.EMPTY)
    if size > max_bytes:
        raise UploadRefused(UploadReason.TOO_LARGE)
    file.seek(0)
    media_type, extension = _kind(file, file.read(_HEAD), size)
    return Inspected(media_type, extension, size, said=read_cv(file, extension) if read else None)


def _kind(file: BinaryIO, head: bytes, size: int) -> tuple[str, str]:
    # Some programs write a byte order mark or an empty line before the signature, and readers accept it.
    if head.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n").startswith(pdf.SIGNATURE):
        pdf.check(file, size)
        return PDF
    if head.startswith(archive.SIGNATURE):
        return {"docx": DOCX, "odt": ODT}[archive.document_kind(file, size)]
    if head.startswith(compound.SIGNATURE):
        compound.check_word(file)
        return DOC
    if head.startswith(text.RTF_SIGNATURE):
        text.check_rtf(file, size)
        return RTF
    text.check_plain(file, head)
    return TXT
