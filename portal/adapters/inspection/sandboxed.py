"""Inspects one file in a process of its own, forked by the helper `python -m portal.adapters.inspection.sandboxed`.

The forked process cannot open any file, so it cannot import modules either: everything that is otherwise imported only
on first use has to be imported here.
"""

import codecs
import importlib
import pkgutil
import re
from contextlib import suppress
from typing import BinaryIO

import pypdf

from portal.adapters.cv_reader import cv
from portal.adapters.cv_reader.cv import read_cv
from portal.adapters.inspection import archive, compound, pdf, rtf
from portal.adapters.inspection.inspection import CV_DETAILS, EXTENSIONS, LIMITS, READ, InspectionResult
from portal.platform.errors import FileKind, UploadReason, UploadRefused
from portal.platform.sandbox.fork_server import serve

_CHUNK = 64 * 1024
_UNKNOWN_ONE_IN = 100
"""One in so many characters may be undefined in Windows-1252."""
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
# Readable text that a program or a browser would run.
_NOT_PROSE = re.compile(r"\s*(?:#!|%!PS|<(?:!doctype|html|head|body|script|svg|\?))", re.IGNORECASE)
# Readers of PDF repair files without a header by searching for these.
_PDF_PARTS = [re.compile(one) for one in (rb"%PDF-\d", rb"%%EOF", rb"startxref\s+\d", rb"trailer\s*<<")]
_PDF_OBJECT = re.compile(rb"obj[\0\s]*<<")
_PDF_COMMENT = re.compile(rb"%[^\r\n]*")


def check_plain(file: BinaryIO, head: bytes) -> None:
    """Raise UploadRefused unless it is text: UTF-8, UTF-16 with a byte order mark, or Windows-1252; no parts of PDF."""
    if head.lstrip().startswith(b"{\\"):  # rejects RTF with a damaged signature
        raise UploadRefused(UploadReason.DAMAGED)
    file.seek(0)
    content = file.read()
    if _has_pdf_parts(content) or _has_pdf_parts(_PDF_COMMENT.sub(b" ", content)):
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


def _has_pdf_parts(content: bytes) -> bool:
    before_objects = _PDF_OBJECT.split(content)[:-1]
    numbered = any(before.rstrip(b"\0\t\n\f\r ")[-1:].isdigit() for before in before_objects)
    return numbered or any(part.search(content) for part in _PDF_PARTS)


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


def recognised_kind(head: bytes) -> FileKind | None:
    """Return the kind of file; None if it is not recognised."""
    return next((kind for kind, pattern in _HEADS if pattern.match(head)), None)


_HEAD = 4_096
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp437", "cp1252", "ascii")


def examine(file: BinaryIO, task: int) -> bytes:
    """Return the answer for a file as JSON: an InspectionResult, or CvDetails if `task` asks for reading."""
    if task >= READ:
        return CV_DETAILS.dump_json(read_cv(file, EXTENSIONS[task - READ]), exclude_none=True)
    try:
        answer = _inspected(file)
    except UploadRefused as refused:
        answer = InspectionResult(refused=refused.reason, kind=refused.kind)
    except (MemoryError, RecursionError):
        answer = InspectionResult(refused=UploadReason.TOO_COMPLEX)
    except Exception:  # noqa: BLE001  parsers raise errors of many kinds for damaged files
        answer = InspectionResult(refused=UploadReason.DAMAGED)
    return answer.model_dump_json(exclude_none=True).encode()


def _inspected(file: BinaryIO) -> InspectionResult:
    size = file.seek(0, 2)
    file.seek(0)
    head = file.read(_HEAD)
    # Some programs write a byte order mark or an empty line before the signature, and readers accept it.
    if head.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n").startswith(pdf.SIGNATURE):
        return InspectionResult(extension="pdf", pages=pdf.pages(file, size))
    if head.startswith(archive.SIGNATURE):
        return InspectionResult.model_validate({"extension": archive.document_kind(file, size)})
    if head.startswith(compound.SIGNATURE):
        compound.check_word(file)
        return InspectionResult(extension="doc")
    if head.startswith(rtf.SIGNATURE):
        rtf.check_rtf(file, size)
        return InspectionResult(extension="rtf")
    if kind := recognised_kind(head):
        raise UploadRefused(UploadReason.WRONG_TYPE, kind=kind)
    check_plain(file, head)
    return InspectionResult(extension="txt")


def _import_all() -> None:
    for encoding in _ENCODINGS:
        codecs.lookup(encoding)
    for module in pkgutil.walk_packages(pypdf.__path__, "pypdf."):
        with suppress(ImportError):  # skip modules that need a library that is not installed
            importlib.import_module(module.name)
    cv.prepare()


if __name__ == "__main__":
    _import_all()
    serve(examine, LIMITS)
