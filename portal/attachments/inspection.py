"""What an uploaded file is, by its content; its name and the type the browser claims play no part.

A process of its own looks into it (looking.py), which may read this file and answer, and nothing else; what it answers
is read as a stranger's, for a file may have taken it over.
"""

import io
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from portal.attachments.reading.said import CvSaid
from portal.attachments.store import Waiting
from portal.confined.asking import Ended, Helper, NoHelper
from portal.confined.walls import Limits
from portal.errors import FileKind, InspectionUnavailable, UploadReason, UploadRefused

PDF = ("application/pdf", "pdf")
DOCX = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx")
ODT = ("application/vnd.oasis.opendocument.text", "odt")
RTF = ("application/rtf", "rtf")
TXT = ("text/plain", "txt")
DOC = ("application/msword", "doc")

_MEDIA_TYPES = {extension: media_type for media_type, extension in (PDF, DOCX, ODT, RTF, TXT, DOC)}
EXTENSIONS = tuple(_MEDIA_TYPES)
"""What is taken, most wanted first; for a hint and for a file field's `accept`."""

LIMITS = Limits(memory=256_000_000, cpu=10, patience=30)
"""Of the process that looks into one file."""
_AT_ONCE = 2
_MOST = 64 * 1024
READ = 1
"""Asks for what a CV says that was found sound; more by the place of its extension."""
SAID = TypeAdapter(CvSaid)
"""What is answered then."""

_helper = Helper("portal.attachments.looking", (), LIMITS, at_once=_AT_ONCE, most=_MOST)


@dataclass(frozen=True, slots=True)
class Inspected:
    """media_type: the true one. extension: without its dot. size: bytes. pages: where the format tells them."""

    media_type: str
    extension: str
    size: int
    pages: int | None = None
    said: CvSaid | None = None


class Answer(BaseModel):
    """What the process says of a file: either what it is, or why it is refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    extension: Literal["pdf", "docx", "odt", "rtf", "txt", "doc"] | None = None
    pages: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    refused: UploadReason | None = None
    kind: FileKind | None = None


def inspect(file: BinaryIO, *, max_bytes: int, read: bool = False, waiting: Waiting = nullcontext) -> Inspected:
    """Say what a seekable file is, or raise UploadRefused. A file of exactly max_bytes passes.

    read: whether what the CV says is wanted. waiting: entered while others look into it, and before they can. The file
    is left standing anywhere. Raises InspectionUnavailable where nobody could look into it.
    """
    size = file.seek(0, io.SEEK_END)
    if size == 0:
        raise UploadRefused(UploadReason.EMPTY, size=size)
    if size > max_bytes:
        raise UploadRefused(UploadReason.TOO_LARGE, size=size)
    with waiting():
        answer = _answer(file)
    if answer.extension is None or answer.refused is not None:
        raise UploadRefused(answer.refused or UploadReason.SUSPICIOUS, kind=answer.kind, size=size)
    said = None
    if read:
        with waiting():
            said = _said(file, answer.extension)
    return Inspected(_MEDIA_TYPES[answer.extension], answer.extension, size, answer.pages, said)


def could() -> list[str]:
    """What the process could do that it should not, for want of means to forbid it. Raises InspectionUnavailable."""
    try:
        return _helper.could()
    except (NoHelper, Ended) as error:
        raise InspectionUnavailable(str(error) or "the process that looks into files ends at once") from error


def standing() -> None:
    """Raise InspectionUnavailable where nobody could look into the last file and still cannot; else it asks nothing."""
    if _helper.failed:
        could()


def _said(file: BinaryIO, extension: str) -> CvSaid | None:
    """In a process of its own, so that a CV which is hard to read is taken all the same."""
    try:
        return SAID.validate_json(_helper.ask(file, READ + EXTENSIONS.index(extension)), strict=True)
    except (Ended, NoHelper, ValidationError):
        return None


def _answer(file: BinaryIO) -> Answer:
    try:
        return Answer.model_validate_json(_helper.ask(file))
    except (Ended, ValidationError):
        return Answer(refused=UploadReason.TOO_INVOLVED)
    except NoHelper as error:
        raise InspectionUnavailable(str(error)) from error
