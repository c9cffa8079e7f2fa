"""Looks into one file in a process of its own: `python -m portal.attachments.looking` is the helper that forks it.

A process can open nothing any more when it looks, a module neither: what is imported only when it is used has to be
imported here.
"""

import codecs
import importlib
import pkgutil
from contextlib import suppress
from typing import BinaryIO

import pypdf

from portal.attachments import archive, compound, pdf, rtf, strange, text
from portal.attachments.inspection import EXTENSIONS, LIMITS, READ, SAID, Answer
from portal.attachments.reading import cv
from portal.attachments.reading.cv import read_cv
from portal.confined.serving import serve
from portal.errors import UploadReason, UploadRefused

_HEAD = 4_096
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp437", "cp1252", "ascii")


def look(file: BinaryIO, how: int) -> bytes:
    """The answer for a file, as JSON."""
    if how >= READ:
        return SAID.dump_json(read_cv(file, EXTENSIONS[how - READ]), exclude_none=True)
    try:
        answer = _found(file)
    except UploadRefused as refused:
        answer = Answer(refused=refused.reason, kind=refused.kind)
    except (MemoryError, RecursionError):
        answer = Answer(refused=UploadReason.TOO_INVOLVED)
    except Exception:  # noqa: BLE001  what a parser stumbles over, in its own way
        answer = Answer(refused=UploadReason.DAMAGED)
    return answer.model_dump_json(exclude_none=True).encode()


def _found(file: BinaryIO) -> Answer:
    size = file.seek(0, 2)
    file.seek(0)
    head = file.read(_HEAD)
    # Some programs write a byte order mark or an empty line before the signature, and readers accept it.
    if head.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n").startswith(pdf.SIGNATURE):
        return Answer(extension="pdf", pages=pdf.pages(file, size))
    if head.startswith(archive.SIGNATURE):
        return Answer.model_validate({"extension": archive.document_kind(file, size)})
    if head.startswith(compound.SIGNATURE):
        compound.check_word(file)
        return Answer(extension="doc")
    if head.startswith(rtf.SIGNATURE):
        rtf.check_rtf(file, size)
        return Answer(extension="rtf")
    if kind := strange.kind(head):
        raise UploadRefused(UploadReason.WRONG_TYPE, kind=kind)
    text.check_plain(file, head)
    return Answer(extension="txt")


def _import_all() -> None:
    for encoding in _ENCODINGS:
        codecs.lookup(encoding)
    for module in pkgutil.walk_packages(pypdf.__path__, "pypdf."):
        with suppress(ImportError):  # what stands on a library that is not here
            importlib.import_module(module.name)
    cv.prepare()


if __name__ == "__main__":
    _import_all()
    serve(look, LIMITS)
