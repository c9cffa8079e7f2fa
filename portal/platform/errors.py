"""Every error that the product raises on purpose; those of the tracking service are in adapters/tracker_client.

PortalError
├── SettingsError              the environment, a tenant file or a command is wrong; nothing started
│   └── SchemaError            the schema is too new, broken, or could not be upgraded
│       └── SchemaOutdated     the database needs `portal db upgrade`
├── TrackerError              adapters/tracker_client/errors.py: the recruitment tracking service
├── StoreError                 adapters/storage, adapters/inspection, delivery/uploads: attachments
│   ├── StoreUnavailable       transient
│   ├── TemporaryFolderFull    transient   no disk space for a file in transit
│   ├── DiskNearlyFull         transient   no file is accepted until somebody frees up disk space
│   ├── InspectionUnavailable  transient   no process to inspect a file with: it may be retried
│   │   └── TooManyInspections  transient   the network's queue is full, or its CPU budget is used; carries the pause
│   ├── StoreMisconfigured     permanent   no such bucket, access denied
│   └── AttachmentMissing      permanent
├── ScanError                  adapters/inspection: the malware scanner
│   ├── ScannerUnavailable     transient
│   └── Infected               permanent
├── UploadRefused              permanent   the file; `reason` is a member of UploadReason
├── MailError                  adapters/mail
│   ├── MailUnavailable        transient   the server is unavailable, or rejects the connection
│   ├── MailDelayed            transient   it is available, and accepts this email later
│   ├── MailDefersAll          transient   it is available, and defers the emails to every domain
│   └── MailRefused            permanent   this email will never be accepted
├── PassError                  background/sync
│   ├── LeaseLost              transient   another worker syncs the list: nothing more is written
│   ├── TookTooLong            transient   the sync was stopped at its deadline; stored pages are kept
│   └── PassYielded            transient   the same, because others wait for its slot; it is repeated
├── NotSentAgainYet            transient   background/outbox: a row that may have arrived is resent only after its pause
├── FeedIncomplete             transient   site/feeds: a feed cannot be made complete now, so none is sent
├── PictureUnusable            tenants/pictures: a picture of a tenant cannot be fetched or displayed; it is retried
├── LimitsUnavailable          the Redis of the rate limits; each process counts for itself
└── DatabaseUnavailable        transient   nothing was written
    └── PoolExhausted          transient   the same: every connection of this process is in use
"""

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from traceback import walk_tb
from typing import ClassVar

_HERE = str(Path(__file__).parents[1])


class PortalError(Exception):
    """Base of every error that this product raises on purpose. The message is for operators, without personal data."""

    transient: ClassVar[bool] = False
    already_logged: bool = False
    """Whether this error, or one with the same cause, has been logged, so that code that catches it need not log it."""


class SettingsError(PortalError):
    """A setting, tenant file or argument is wrong; the message names it and says what was expected."""


class SchemaError(SettingsError):
    """This release cannot work on the database's schema, or cannot upgrade it; the message says what to do."""


class SchemaOutdated(SchemaError):
    """The database's schema is older than this release needs."""


class NotSentAgainYet(PortalError):
    """The service does not show a request that may have arrived; it is resent after its pause, at `until`."""

    transient = True

    def __init__(self, until: datetime) -> None:
        super().__init__("it may have arrived, but the service does not show it yet")
        self.until = until


class StoreError(PortalError):
    """Failure of file storage (attachments)."""


class StoreUnavailable(StoreError):
    """File storage does not respond right now."""

    transient = True


class TemporaryFolderFull(StoreError):
    """There is no disk space for a file in transit; file storage itself may be fine."""

    transient = True


class DiskNearlyFull(StoreError):
    """A disk of this machine has too little space to accept files."""

    transient = True


class InspectionUnavailable(StoreError):
    """No process could inspect the file right now; nothing is known about it."""

    transient = True


class TooManyInspections(InspectionUnavailable):
    """Files of one network fill the queue, or have used its CPU budget. seconds: until the next try, 1 to 60."""

    def __init__(self, seconds: int) -> None:
        super().__init__("too many files of one network are inspected")
        self.seconds = seconds


class StoreMisconfigured(StoreError):
    """File storage responds, and will never accept: no such bucket, access denied."""


class AttachmentMissing(StoreError):
    """File storage has no object of that key."""


class ScanError(PortalError):
    """Failure of the malware scanner, or malware that it found."""


class ScannerUnavailable(ScanError):
    """The scanner does not respond, or disconnected: nothing is known about the file."""

    transient = True


class Infected(ScanError):
    """The scanner found malware."""


class UploadReason(StrEnum):
    """Reason why a file is rejected; site/forms/fields/cv.py has the wording for each."""

    EMPTY = "empty"
    TOO_LARGE = "too_large"
    WRONG_TYPE = "wrong_type"
    ENCRYPTED = "encrypted"
    MACROS = "macros"
    ACTIVE_CONTENT = "active"
    """It runs, launches, sends or opens something automatically."""
    EMBEDDED_FILES = "carries_files"
    EXTERNAL_CONTENT = "loads"
    """It loads parts of itself from elsewhere."""
    DAMAGED = "damaged"
    SUSPICIOUS = "suspicious"
    TOO_COMPLEX = "too_involved"
    """It could not be inspected within the limits on time and memory."""


class FileKind(StrEnum):
    """Kind of a rejected file, where it is known and helps."""

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
    """UTF-16 without a byte order mark."""


class UploadRefused(PortalError):
    """The uploaded file is rejected: `reason` says why, `kind` what it is and `size` its bytes, where known."""

    def __init__(self, reason: UploadReason, *, kind: FileKind | None = None, size: int | None = None) -> None:
        super().__init__(f"upload refused: {reason}")
        self.reason = reason
        self.kind = kind
        self.size = size


class MailError(PortalError):
    """Failure to send an email."""


class MailUnavailable(MailError):
    """The mail server does not respond, or asks to try later (4xx)."""

    transient = True


class MailDelayed(MailError):
    """The mail server is available but defers this email: greylisting, a full mailbox, no reply for the recipient.

    of_sender: the deferral is known to be about the sender's address, not the recipient's.
    """

    transient = True

    def __init__(self, message: str, *, of_sender: bool = False) -> None:
        super().__init__(message)
        self.of_sender = of_sender


class MailDefersAll(MailError):
    """The server defers emails to several domains in a row and accepts none (background/mails/deliver.py)."""

    transient = True


class MailRefused(MailError):
    """The mail server will never accept this email (5xx)."""


class PassError(PortalError):
    """A sync of one of the service's lists failed or stopped early."""

    transient = True


class LeaseLost(PassError):
    """Another worker has taken over the list meanwhile, so this sync may write nothing more."""


class TookTooLong(PassError):
    """The sync stopped at its deadline; pages that were stored are kept."""


class PassYielded(PassError):
    """The sync stopped because it takes long and others wait for its slot; it is repeated in a slot for long syncs."""


class FeedIncomplete(PortalError):
    """A feed cannot be made with every job that is open, so it is not sent; the message says why."""

    transient = True


class PictureUnusable(PortalError):
    """A picture of a tenant cannot be fetched or displayed; the message, for the person who set it, says why."""


class LimitsUnavailable(PortalError):
    """The Redis of the rate limits is unusable: it does not respond, rejects the connection, is full or read-only."""


class DatabaseUnavailable(PortalError):
    """The database cannot be reached or is busy; the transaction wrote nothing."""

    transient = True


class PoolExhausted(DatabaseUnavailable):
    """Every connection that this process may have is in use; the database itself may be fine."""


def error_location(error: BaseException) -> str:
    """Return class and place of an unexpected error, without its message, which may hold personal data.

    The place is the innermost frame of this product: a frame deep inside a library would say nothing.
    """
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    ours = [place for place in places if place[0].startswith(_HERE)]
    file, line = (ours or places or [("?", 0)])[-1]
    return f"{type(error).__name__} at {file}:{line}"
