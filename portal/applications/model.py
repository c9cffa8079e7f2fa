"""What an application is here, and what a receipt shows."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class ApplicantLocation:
    """What the applicant said of where they live; None where nothing was given. `country` is ISO 3166-1 alpha-2."""

    city: str | None = field(default=None, repr=False)
    region: str | None = field(default=None, repr=False)
    postal_code: str | None = field(default=None, repr=False)
    country: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class NewApplication:
    """A form that passed every check: text trimmed, NFC, within §8; phone in E.164; URL absolute or None.

    submission_id: from the form's signed token, 32 hex digits; the same id posted again is the same application.
    upload: handle of a stored CV (uploads.keep). posting_title and locale: for the receipt and its mail.
    """

    submission_id: str
    posting_id: str
    posting_title: str
    locale: str
    upload: str
    first_name: str = field(repr=False)
    last_name: str = field(repr=False)
    email: str = field(repr=False)
    phone_number: str = field(repr=False)
    network_url: str | None = field(repr=False)
    location: ApplicantLocation = field(repr=False)


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """A CV that was checked and stored, not yet part of a submission. The attachment's key is not in here."""

    handle: str
    filename: str
    size: int
    media_type: str


class ReceiptState(StrEnum):
    """What a receipt tells."""

    RECEIVED = "received"
    SENT = "sent"
    REFUSED = "refused"
    """The company's service could not take it: the tenant was told, and the applicant has mail."""
    WITHDRAWN = "withdrawn"
    """At the applicant's wish; the company may still have to answer."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a reference shows: nothing personal."""

    reference: str
    posting_id: str
    posting_title: str
    accepted_at: datetime
    state: ReceiptState
    delivered_at: datetime | None
