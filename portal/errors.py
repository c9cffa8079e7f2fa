"""Every error the product raises on purpose.

PortalError
├── SettingsError              the environment, a tenant file or a command is wrong; nothing started
│   └── SchemaError            the schema is too new, broken, or could not be upgraded
│       └── SchemaOutdated     the database wants `portal db upgrade`
├── UpstreamError              the recruitment tracking service, seen through upstream/
│   ├── NotSent                transient   name, connect or TLS failure: no byte of the request left
│   ├── MayHaveArrived         transient   cut or timed out after a byte was sent; 500, 502, 504
│   ├── Throttled              transient   429, or 503 with Retry-After; carries the pause
│   ├── NotNow                 transient   408, 425, 503
│   ├── NotTheService          permanent   a 2xx that is plainly not the service's (HTML, truncated, too large)
│   ├── Redirected             permanent   3xx: never followed
│   ├── KeyRefused             permanent   401, 403
│   ├── NotThere               permanent   404, 410
│   ├── Conflicting            permanent   409
│   └── Rejected               permanent   400, 413, 415, 422 and any other 4xx: the request itself is refused
├── StoreError                 attachments/
│   ├── StoreUnavailable       transient
│   ├── TemporaryFolderFull    transient   no room for a file on its way
│   ├── InspectionUnavailable  transient   no process to look into a file with: it may be asked again
│   ├── StoreMisconfigured     permanent   no such bucket, access denied
│   └── AttachmentMissing      permanent
├── ScanError                  attachments/ scanner
│   ├── ScannerUnavailable     transient
│   └── Infected               permanent
├── UploadRefused              permanent   the file; `reason` is a member of UploadReason
├── MailError                  mail/
│   ├── MailUnavailable        transient   the server is away, or turns us away
│   ├── MailDelayed            transient   it is there, and takes this message later
│   └── MailRefused            permanent   this message will never be taken
├── PassError                  passes/
│   ├── LeaseLost              transient   another worker reads the list: nothing more is written
│   ├── TookTooLong            transient   the pass was broken off; what was read is kept
│   └── GaveWay                transient   the same, because others wait for its slot; it comes again
├── NotSentAgainYet            transient   outbox/: what may have arrived is sent again only when its pause is over
├── NotWhole                   transient   reach/: a feed cannot be made whole now, so none is sent
├── PictureUnusable            pictures/   a logo or cover that cannot be fetched or shown; it is tried again
├── LimitsUnavailable          the store of rate limits; each process counts for itself
└── DatabaseUnavailable        transient   nothing was written
"""

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from traceback import walk_tb
from typing import ClassVar

_HERE = str(Path(__file__).parent)


class PortalError(Exception):
    """Anything this product raises on purpose. The message is for operators and holds nothing personal."""

    transient: ClassVar[bool] = False
    is_told: bool = False
    """Whether the log has it, or has what it repeats, so that whoever meets it says nothing more."""


class SettingsError(PortalError):
    """A setting, tenant file or argument is wrong; the message names it and says what was expected."""


class SchemaError(SettingsError):
    """This release cannot work on the database's schema, or not bring it up to date; the message says what to do."""


class SchemaOutdated(SchemaError):
    """The database's schema is older than this release needs."""


class NotSentAgainYet(PortalError):
    """What may have arrived was asked for and is not there; it is sent again when its pause is over."""

    transient = True

    def __init__(self, until: datetime) -> None:
        super().__init__("it may have arrived, and the service does not show it (yet)")
        self.until = until


class UpstreamError(PortalError):
    """An operation of the service did not succeed. `operation` is the § of the interface, like "4.8"."""

    def __init__(self, message: str, *, operation: str, status: int | None = None) -> None:
        super().__init__(message)
        self.operation = operation
        self.status = status


class NotSent(UpstreamError):
    """No byte of the request left this machine."""

    transient = True


class MayHaveArrived(UpstreamError):
    """The service may have acted on the request; its answer did not arrive or was 500, 502 or 504."""

    transient = True


class Throttled(UpstreamError):
    """Refused for now, with a pause to keep. `retry_after` is in seconds, 1 to 86,400, already clamped."""

    transient = True

    def __init__(self, message: str, *, operation: str, status: int, retry_after: float) -> None:
        super().__init__(message, operation=operation, status=status)
        self.retry_after = retry_after


class NotNow(UpstreamError):
    """The service says that it cannot now: 408, 425, 503."""

    transient = True


class NotTheService(UpstreamError):
    """A 2xx answer that the service would not give: HTML, a truncated or oversized body, the wrong shape."""


class Redirected(UpstreamError):
    """3xx: base_url is wrong, and nothing is sent to where it points."""


class KeyRefused(UpstreamError):
    """401 or 403: the API key or the tenant slug is wrong."""


class NotThere(UpstreamError):
    """404 or 410."""


class Conflicting(UpstreamError):
    """409."""


class Rejected(UpstreamError):
    """The service will not take this request however often it is sent."""


class StoreError(PortalError):
    """The attachment store."""


class StoreUnavailable(StoreError):
    """The store does not answer now."""

    transient = True


class TemporaryFolderFull(StoreError):
    """There is no room for a file while it comes; the store may be well."""

    transient = True


class InspectionUnavailable(StoreError):
    """Nobody could look into the file now; nothing is known of it."""

    transient = True


class StoreMisconfigured(StoreError):
    """The store answers, and will never accept: no such bucket, access denied."""


class AttachmentMissing(StoreError):
    """The store has no object of that key."""


class ScanError(PortalError):
    """The malware scanner."""


class ScannerUnavailable(ScanError):
    """The scanner does not answer, or broke off: nothing is known about the file."""

    transient = True


class Infected(ScanError):
    """The scanner names a threat."""


class UploadReason(StrEnum):
    """Why a file is refused; web/fields/cv.py has the words for each."""

    EMPTY = "empty"
    TOO_LARGE = "too_large"
    WRONG_TYPE = "wrong_type"
    ENCRYPTED = "encrypted"
    MACROS = "macros"
    ACTIVE = "active"
    """It runs, launches, sends or opens something by itself."""
    CARRIES_FILES = "carries_files"
    LOADS = "loads"
    """It takes parts of itself from elsewhere."""
    DAMAGED = "damaged"
    SUSPICIOUS = "suspicious"
    TOO_INVOLVED = "too_involved"
    """Nobody could look into it within the time and memory that there are."""


class FileKind(StrEnum):
    """What a file is that is refused, where that is known and helps."""

    PDF = "pdf"
    PICTURE = "picture"
    SPREADSHEET = "spreadsheet"
    PRESENTATION = "presentation"
    PAGES = "pages"
    WEB_PAGE = "web_page"
    ARCHIVE = "archive"
    RECORDING = "recording"
    PROGRAM = "program"
    UNMARKED_TEXT = "unmarked_text"
    """UTF-16 that does not say so."""


class UploadRefused(PortalError):
    """The uploaded file cannot be taken: `reason` says why, `kind` what it is and `size` its bytes, where known."""

    def __init__(self, reason: UploadReason, *, kind: FileKind | None = None, size: int | None = None) -> None:
        super().__init__(f"upload refused: {reason}")
        self.reason = reason
        self.kind = kind
        self.size = size


class MailError(PortalError):
    """Sending a message."""


class MailUnavailable(MailError):
    """The mail server does not answer, or says later (4xx)."""

    transient = True


class MailDelayed(MailError):
    """The server took us in and puts this message off: greylisting, a full mailbox, no answer to this recipient."""

    transient = True


class MailRefused(MailError):
    """The mail server will never take this message (5xx)."""


class PassError(PortalError):
    """A pass over a list of the service."""

    transient = True


class LeaseLost(PassError):
    """Another worker reads the list meanwhile, so this pass may write nothing more."""


class TookTooLong(PassError):
    """The pass was broken off at its deadline; pages that were stored are kept."""


class GaveWay(PassError):
    """The pass was broken off because it is long and others wait for its slot; it is made again among the long ones."""


class NotWhole(PortalError):
    """A feed cannot be made with every job that is open, so it is not sent; the message says why."""

    transient = True


class PictureUnusable(PortalError):
    """A tenant's logo or cover cannot be fetched, or not be shown; the message says why to who wrote its address."""


class LimitsUnavailable(PortalError):
    """The Redis of rate limits cannot be used: it does not answer, refuses us, is full or only reads."""


class DatabaseUnavailable(PortalError):
    """The database cannot be reached or is busy; the transaction left nothing behind."""

    transient = True


def place_of(error: BaseException) -> str:
    """Class and place of an unexpected error, without its message, which may hold personal data.

    The place is the innermost of this product's: that a driver raised it, deep inside of a library, says nothing.
    """
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    ours = [place for place in places if place[0].startswith(_HERE)]
    file, line = (ours or places or [("?", 0)])[-1]
    return f"{type(error).__name__} at {file}:{line}"
