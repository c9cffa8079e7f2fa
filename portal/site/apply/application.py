"""One application in one request, the same for the page, the frame and the JSON API: its form, its CV, accepting it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime

import phonenumbers
from flask import abort
from phonenumbers import PhoneNumber, PhoneNumberFormat
from werkzeug.datastructures import MultiDict

from portal.adapters.cv_reader.result import CvDetails
from portal.contract import bounds
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.accept import NewDelivery, accept
from portal.jobs.posting import Closed, Posting
from portal.jobs.search import search
from portal.platform.crypto.signing import FormToken, new_form_id
from portal.platform.database.db import EPOCH, Database
from portal.site.apply.bots import assess_bot_risk
from portal.site.forms.application_form import ApplicationForm
from portal.site.forms.cv_upload import CvUpload
from portal.site.forms.fields import email_address, link, phone, text
from portal.site.forms.fields.refusal import Refused
from portal.site.forms.fields.typed import TypedField
from portal.site.forms.rate_limits import check_file_limits, count_file
from portal.site.forms.request_body import Posted, PostedFile
from portal.site.forms.services import UploadServices
from portal.site.words.locale import language
from portal.tenants.model import Tenant
from portal.tenants.words import words_of

APPLY = "apply"
"""The kind of this form in its token."""
DISK_FULL_RETRY_AFTER = 900
"""Seconds for Retry-After when a disk is nearly full: somebody has to free up space first."""


@dataclass(slots=True)
class ApplicationRequest:
    """An application as one request opens or sends it. posting: None while the database is unavailable.

    token: which form it is and when it was first shown; None if this portal did not issue the form. sources: where the
    candidate came from (forms/application_form.py).
    """

    services: UploadServices
    tenant: Tenant
    posting_id: str
    posting: Posting | None
    posted: Posted
    token: FormToken | None
    sources: Mapping[str, str]
    remote_address: str | None
    form: ApplicationForm = field(init=False)
    cv: CvUpload = field(init=False)

    def __post_init__(self) -> None:
        """Parse what was posted."""
        self.form = ApplicationForm(self.posted.fields, tenant=self.tenant)
        form_id = self.token.form_id if self.token else new_form_id()
        self.cv = CvUpload(self.services, self.tenant.slug, form_id)

    @property
    def opened(self) -> datetime:
        """When the form was first shown; EPOCH if unknown."""
        return self.token.opened if self.token else EPOCH

    def fill(self) -> int:
        """Put suggestions from the CV into empty fields; return their number. Raises StoreError, DatabaseUnavailable,
        TooManyInspections.
        """
        typed = self.posted.fields
        suggested = suggestions_for_empty_fields(self.tenant, self.cv.read_details(self.remote_address), typed)
        self.form = ApplicationForm(MultiDict({**typed.to_dict(), **suggested}), tenant=self.tenant)
        for each in self.form:
            if isinstance(each, TypedField):
                each.from_cv = each.name in suggested
        return len(suggested)

    def accept(self, posting: Posting) -> str:
        """Accept the application, after the form's validate(); return its reference once it is on disk.

        Raises UploadGone, DifferentContent, DatabaseUnavailable.
        """
        services, payload, locale = self.services, self.form.payload(), language(self.tenant)
        bot_check = assess_bot_risk(
            services.throttle,
            services.seal,
            services.clock.now(),
            self.tenant,
            self.posted.fields,
            form_id=self.cv.form_id,
            opened=self.opened,
            remote_address=self.remote_address,
        )
        new = NewDelivery(
            form_id=self.cv.form_id,
            about=self.posting_id,
            title=posting.title,
            email=payload.email,
            locale=locale,
            payload=payload,
            upload=self.cv.handle or "",
            consent=words_of(self.tenant, locale).consent,
            suspicion=bot_check.reasons,
            held_for=bot_check.held_for,
            sources=self.sources,
        )
        return accept(
            services.database,
            services.seal,
            APPLICATION,
            tenant=self.tenant,
            new=new,
            clock=services.clock,
            scan_required=services.scanner_enabled,
        )


def purpose_of(posting_id: str) -> tuple[str, str]:
    """Return the purpose that the token of an application form is signed for."""
    return (APPLY, posting_id)


def find_posting(db: Database, tenant: Tenant, posting_id: str, now: datetime) -> Posting | Closed:
    """Return the job to apply for; abort with 404 if there is none. Raises DatabaseUnavailable."""
    found = search.posting(db, tenant, posting_id, now)
    if found is None:
        abort(404)
    return found


def take_cv(cv: CvUpload, file: PostedFile | None, remote_address: str | None, *, known: bool) -> int | None:
    """Store the posted file, or set `cv.error`. If too many files came, store nothing and return the seconds to wait.

    known: whether the form was issued by this portal. Raises StoreError, DatabaseUnavailable, TooManyInspections.
    """
    throttle, before = cv.services.throttle, cv.stored
    if file and known and file.size <= cv.max_bytes:
        pause = check_file_limits(throttle, tenant=cv.tenant, remote_address=remote_address)
        if pause is not None:
            return pause
    cv.take(file, remote_address, required=True, known=known)
    if cv.stored and cv.stored is not before:
        count_file(throttle, tenant=cv.tenant, remote_address=remote_address, size=cv.stored.size)
    return None


def suggestions_for_empty_fields(
    tenant: Tenant, details: CvDetails | None, typed: MultiDict[str, str] | None = None
) -> dict[str, str]:
    """Return name of a field → its suggestion, for fields in which nothing is typed."""
    if details is None:
        return {}
    form = ApplicationForm(typed, tenant=tenant)
    region = (form.country.data or "").strip().upper() or tenant.apply.phone_region
    found = {form[member].name: value for member, value in suggest(details, region).by_field().items()}
    return {name: value for name, value in found.items() if not (typed and typed.get(name, "").strip())}


@dataclass(frozen=True, slots=True)
class CvSuggestions:
    """Suggestions for the application form; None where there is none. phone_number: in international format."""

    first_name: str | None = field(default=None, repr=False)
    last_name: str | None = field(default=None, repr=False)
    email: str | None = field(default=None, repr=False)
    phone_number: str | None = field(default=None, repr=False)
    network_url: str | None = field(default=None, repr=False)

    def by_field(self) -> dict[str, str]:
        """Return member → value of the suggestions that there are."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name))}


def suggest(details: CvDetails, region: str | None) -> CvSuggestions:
    """Return those details of a CV that the form's own fields accept.

    region: ISO 3166-1 alpha-2, for numbers without a country code.
    """
    number = _number(details.phones, region)
    first = _taken(details.given_name, lambda typed: text.required(typed, longest=bounds.NAME_MAX))
    last = _taken(details.family_name, lambda typed: text.required(typed, longest=bounds.NAME_MAX))
    shown = phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL) if number else None
    return CvSuggestions(
        first_name=first if last else None,
        last_name=last if first else None,
        email=_taken(details.email, email_address.parse),
        phone_number=shown,
        network_url=_taken(details.profile_url, link.parse),
    )


def _taken(typed: str | None, parse: Callable[[str], str | None]) -> str | None:
    try:
        return parse(typed) if typed else None
    except Refused:
        return None


def _number(written: tuple[str, ...], region: str | None) -> PhoneNumber | None:
    """Return the first number that is valid in some country; a merely possible one is not suggested."""
    for each in written[:4]:
        written_so = each.replace("(0)", " ") if each.startswith(("+", "00")) else each
        e164 = _taken(written_so, lambda typed: phone.parse(typed, regions=(region,)))
        if e164 and phonenumbers.is_valid_number(number := phonenumbers.parse(e164)):
            return number
    return None
