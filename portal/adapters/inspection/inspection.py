"""Determines the type of an uploaded file from its content; its name and the browser's media type are ignored.

A separate process examines the file (sandboxed.py). It can read this file and answer, nothing else. Its answer is
parsed as untrusted input, because a malicious file may have taken control of the process.
"""

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Annotated, BinaryIO, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from portal.adapters.cv_reader.result import CvDetails
from portal.adapters.storage.store import ReleaseSlot
from portal.platform.errors import FileKind, InspectionUnavailable, TooManyInspections, UploadReason, UploadRefused
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.sandbox.helper_process import CpuReport, Helper, HelperUnavailable, ProcessEnded
from portal.platform.sandbox.restrictions import Limits

PDF = ("application/pdf", "pdf")
DOCX = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx")
ODT = ("application/vnd.oasis.opendocument.text", "odt")
RTF = ("application/rtf", "rtf")
TXT = ("text/plain", "txt")
DOC = ("application/msword", "doc")

_MEDIA_TYPES = {extension: media_type for media_type, extension in (PDF, DOCX, ODT, RTF, TXT, DOC)}
EXTENSIONS = tuple(_MEDIA_TYPES)
"""Accepted types, the preferred ones first, for a form's hint and a file field's `accept`."""

LIMITS = Limits(memory=256_000_000, cpu=2, timeout=10)
"""Limits of the process that inspects one file, and of the one that reads it.

Real CVs take 0.05 s of CPU time, 200 pages take 0.3 s.
"""
_MAX_CONCURRENT = 2
_MAX_RESULT_BYTES = 64 * 1024
READ = 1
"""Request code for reading a CV that passed inspection; the index of its extension is added."""
CV_DETAILS: TypeAdapter[CvDetails | None] = TypeAdapter(CvDetails | None)
"""Parses the answer to such a request."""

_helper = Helper(
    "portal.adapters.inspection.sandboxed",
    (),
    LIMITS,
    max_concurrent=_MAX_CONCURRENT,
    max_result_bytes=_MAX_RESULT_BYTES,
)
_QUEUE_FULL_AFTER = 5
"""Seconds after which a network whose queue is full should retry; its four files take 16 s of CPU time at worst."""
LONGEST = LIMITS.timeout + 2 * _helper.max_wait_seconds
"""Longest time in seconds for inspecting and reading a file: waiting for a turn, then two requests."""


class Budget(Protocol):
    """CPU time for files of one network."""

    @property
    def network(self) -> str:
        """The network that the file counts towards."""

    def used(self) -> int:
        """Return the recent use; lowest use is served first. Raises TooManyInspections if the budget is used up."""

    def charge(self, seconds: float) -> None:
        """Add the CPU time that a file took."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """media_type: the true one. extension: without its dot. size: in bytes. pages: if the format states them."""

    media_type: str
    extension: str
    size: int
    pages: int | None = None
    details: CvDetails | None = None
    unreadable: bool = False
    """Whether reading it failed because of the file, so that a retry would fail too."""


@dataclass(frozen=True, slots=True)
class CvReadingResult:
    """details: None if the file could not be read. unreadable: because of the file, so that a retry would fail too."""

    details: CvDetails | None
    unreadable: bool = False


class InspectionResult(BaseModel):
    """The process's answer about a file: either its type, or the reason for its rejection."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    extension: Literal["pdf", "docx", "odt", "rtf", "txt", "doc"] | None = None
    pages: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    refused: UploadReason | None = None
    kind: FileKind | None = None


def inspect(
    file: BinaryIO,
    *,
    max_bytes: int,
    read: bool = False,
    waiting: ReleaseSlot = nullcontext,
    budget: Budget | None = None,
) -> Inspected:
    """Return the type of a seekable file, or raise UploadRefused. A file of exactly max_bytes passes.

    read: whether to read the CV, too. waiting: entered while waiting for a turn and for the process. budget: of the
    sender's network; None without a sender. The file position is undefined afterwards. Raises TooManyInspections, and
    InspectionUnavailable if no process could examine the file.
    """
    size = file.seek(0, io.SEEK_END)
    if size == 0:
        raise UploadRefused(UploadReason.EMPTY, size=size)
    if size > max_bytes:
        raise UploadRefused(UploadReason.TOO_LARGE, size=size)
    reading = CvReadingResult(None)
    with waiting(), _turn(budget) as charge:
        answer = _answer(file, charge)
        if read and answer.extension and not answer.refused:
            reading = _reading(file, answer.extension, charge)
    if answer.extension is None or answer.refused is not None:
        raise UploadRefused(answer.refused or UploadReason.SUSPICIOUS, kind=answer.kind, size=size)
    media_type = _MEDIA_TYPES[answer.extension]
    return Inspected(media_type, answer.extension, size, answer.pages, reading.details, reading.unreadable)


def read_again(file: BinaryIO, media_type: str, *, waiting: ReleaseSlot, budget: Budget | None) -> CvReadingResult:
    """Read a file that was inspected before it was stored. Raises TooManyInspections, InspectionUnavailable."""
    extension = next((known for known, its in _MEDIA_TYPES.items() if its == media_type), None)
    if extension is None:
        return CvReadingResult(None)
    with waiting(), _turn(budget) as charge:
        return _reading(file, extension, charge)


@contextmanager
def _turn(budget: Budget | None) -> Iterator[CpuReport]:
    """Wait for this file's turn, if its network's budget allows one; yield the function that charges CPU time."""
    network, used = (budget.network, budget.used()) if budget else (None, 0)
    try:
        with _queue.turn(network, used=used, timeout=LIMITS.timeout):
            yield budget.charge if budget else lambda _: None
    except QueueFull:
        log_security_event(SecurityEvent.LIMITED, limit="inspection-queue")
        raise TooManyInspections(_QUEUE_FULL_AFTER) from None
    except QueueTimeout:
        raise InspectionUnavailable("all processes that inspect files have been busy for too long") from None


def forbidden_capabilities() -> list[str]:
    """Return what the process can do although it should be forbidden. Raises InspectionUnavailable."""
    try:
        return _helper.forbidden_capabilities()
    except (HelperUnavailable, ProcessEnded) as error:
        raise InspectionUnavailable(str(error) or "the process that inspects files ends immediately") from error


def require_working() -> None:
    """Raise InspectionUnavailable if the last file could not be examined and a new attempt fails; else do nothing."""
    if _helper.last_call_failed:
        forbidden_capabilities()


def _reading(file: BinaryIO, extension: str, charge: CpuReport) -> CvReadingResult:
    """Read the CV in a separate process, so that a CV that is hard to read is accepted all the same."""
    try:
        answer = _helper.run(file, READ + EXTENSIONS.index(extension), report_cpu=charge)
        details = CV_DETAILS.validate_json(answer, strict=True)
        return CvReadingResult(details, unreadable=details is None)
    except (ProcessEnded, ValidationError):
        return CvReadingResult(None, unreadable=True)
    except HelperUnavailable:
        return CvReadingResult(None)


def _answer(file: BinaryIO, charge: CpuReport) -> InspectionResult:
    try:
        return InspectionResult.model_validate_json(_helper.run(file, report_cpu=charge))
    except (ProcessEnded, ValidationError):
        return InspectionResult(refused=UploadReason.TOO_COMPLEX)
    except HelperUnavailable as error:
        raise InspectionUnavailable(str(error)) from error


PER_NETWORK = 4
"""Files of one network that may be in the queue: one is worked on, three wait."""


class QueueFull(Exception):
    """This network already has the maximum number of files in the queue."""


class QueueTimeout(Exception):
    """The turn did not come in time."""


@dataclass(eq=False, frozen=True, slots=True)
class _Turn:
    network: str
    used: float


class FairQueue:
    """Queue of files, thread-safe. at_once: files that are worked on at a time, at most one for each network."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._changed = threading.Condition()
        self._waiting: list[_Turn] = []
        self._running: list[_Turn] = []

    @contextmanager
    def turn(self, network: str | None, *, used: float, timeout: float) -> Iterator[None]:
        """Wait for a turn, for `timeout` seconds at most, and hold it within the block.

        network: None for work of the product itself, which waits like a network of its own. used: what the network
        consumed lately, in any unit; the lowest is next, and of equals the first to arrive.
        Raises QueueFull, QueueTimeout.
        """
        mine = _Turn(network or f"own {threading.get_ident()}", used)
        with self._changed:
            if sum(one.network == mine.network for one in (*self._waiting, *self._running)) >= PER_NETWORK:
                raise QueueFull
            self._waiting.append(mine)
            try:
                if not self._changed.wait_for(lambda: self._next() is mine, timeout):
                    raise QueueTimeout
                self._running.append(mine)
            finally:
                self._waiting.remove(mine)
                self._changed.notify_all()  # the next turn may now be another one
        try:
            yield
        finally:
            with self._changed:
                self._running.remove(mine)
                self._changed.notify_all()

    def _next(self) -> _Turn | None:
        if len(self._running) >= self._at_once:
            return None
        busy = {one.network for one in self._running}
        return min((one for one in self._waiting if one.network not in busy), key=lambda one: one.used, default=None)


_queue = FairQueue(_MAX_CONCURRENT)
