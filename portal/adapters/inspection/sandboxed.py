"""Inspects one file in a process of its own, forked by the helper `python -m portal.adapters.inspection.sandboxed`.

The forked process cannot open any file, so it cannot import modules either: everything that is otherwise imported only
on first use has to be imported here.
"""

import codecs
import importlib
import pkgutil
from contextlib import suppress
from typing import BinaryIO

import pypdf

from portal.adapters.cv_reader import cv
from portal.adapters.cv_reader.cv import read_cv
from portal.adapters.inspection import archive, compound, other_formats, pdf, rtf, text
from portal.adapters.inspection.inspection import EXTENSIONS, LIMITS, READ, SAID, InspectionResult
from portal.platform.errors import UploadReason, UploadRefused
from portal.platform.sandbox.fork_server import serve

_HEAD = 4_096
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp437", "cp1252", "ascii")


def look(file: BinaryIO, how: int) -> bytes:
    """Return the answer for a file as JSON: an InspectionResult, or a CvSaid if `how` asks for reading."""
    if how >= READ:
        return SAID.dump_json(read_cv(file, EXTENSIONS[how - READ]), exclude_none=True)
    try:
        answer = _found(file)
    except UploadRefused as refused:
        answer = InspectionResult(refused=refused.reason, kind=refused.kind)
    except (MemoryError, RecursionError):
        answer = InspectionResult(refused=UploadReason.TOO_INVOLVED)
    except Exception:  # noqa: BLE001  parsers raise errors of many kinds for damaged files
        answer = InspectionResult(refused=UploadReason.DAMAGED)
    return answer.model_dump_json(exclude_none=True).encode()


def _found(file: BinaryIO) -> InspectionResult:
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
    if kind := other_formats.kind(head):
        raise UploadRefused(UploadReason.WRONG_TYPE, kind=kind)
    text.check_plain(file, head)
    return InspectionResult(extension="txt")


def _import_all() -> None:
    for encoding in _ENCODINGS:
        codecs.lookup(encoding)
    for module in pkgutil.walk_packages(pypdf.__path__, "pypdf."):
        with suppress(ImportError):  # modules that need a library that is not installed
            importlib.import_module(module.name)
    cv.prepare()


if __name__ == "__main__":
    _import_all()
    serve(look, LIMITS)
