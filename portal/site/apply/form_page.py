"""The application form as a page: what was typed, and the CV that is already stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from flask import Response, make_response, render_template
from flask_babel import get_locale, gettext
from werkzeug.datastructures import MultiDict

from portal.adapters.cv_reader.result import CvDetails
from portal.delivery.applications.payload import ApplicationPayload
from portal.delivery.envelopes.accept import NewDelivery
from portal.jobs.posting import Posting
from portal.services import Services
from portal.site.apply import bots, proof_of_work
from portal.site.apply.bots import BotAssessment
from portal.site.forms.application_form import ApplicationForm
from portal.site.forms.cv_offer import offer
from portal.site.forms.cv_upload import CvUpload
from portal.site.forms.fields import countries
from portal.site.forms.fields.typed import TypedField
from portal.site.words import value_labels
from portal.site.words.locale import language
from portal.tenants.model import Bots, Tenant
from portal.tenants.words import words_of

FILL = "fill"
"""The name of the button that returns the form filled in from the CV."""
APPLY = "apply"
"""The kind of this form in its token."""


@dataclass(slots=True)
class FormPage:
    """One form for one posting. posting: None while the database is unavailable.

    opened: when it was first shown; EPOCH if unknown. sources: where the candidate came from (forms/refusals.py).
    """

    services: Services
    tenant: Tenant
    posting_id: str
    posting: Posting | None
    form: ApplicationForm
    cv: CvUpload
    opened: datetime
    sources: Mapping[str, str]

    def application(self, posting: Posting, seen: BotAssessment) -> NewDelivery[ApplicationPayload]:
        """Return the delivery to accept, after the form's validate() has succeeded."""
        said, spoken = self.form.payload(), language(self.tenant)
        return NewDelivery(
            form_id=self.cv.form_id,
            about=self.posting_id,
            title=posting.title,
            email=said.email,
            locale=spoken,
            payload=said,
            upload=self.cv.handle or "",
            consent=words_of(self.tenant, spoken).consent,
            suspicion=seen.reasons,
            held_for=seen.held_for,
            sources=self.sources,
        )

    @property
    def filled(self) -> int:
        """The number of fields filled in from the CV."""
        return sum(field.from_cv for field in self.form if isinstance(field, TypedField))

    def answer(
        self, status: int, notice: str = "", *, earlier_reference: str | None = None, retry_after: int | None = None
    ) -> Response:
        """Return the page with a new token for the same form. notice: what happened and what to do."""
        self.form.cv.errors = [self.cv.error] if self.cv.error else []
        token = self.services.signer.sign(
            tenant=self.tenant.slug,
            purpose=purpose_of(self.posting_id),
            form_id=self.cv.form_id,
            now=self.services.clock.now(),
            opened=self.opened,
        )
        page = render_template(
            "apply/form.html",
            posting=self.posting,
            posting_id=self.posting_id,
            form=self.form,
            cv=self.cv,
            notice=notice,
            filled=self.filled,
            fill=FILL,
            earlier_reference=earlier_reference,
            token=token,
            sources=self.sources,
            trap=bots.TRAP,
            proof=proof_of_work.FIELD if self.tenant.apply.bots is Bots.PROOF else None,
            employment=value_labels.EMPLOYMENT,
            location=value_labels.LOCATION,
            countries=_countries_for(self.tenant, self.posting),
            phone_hint=_phone_hint(self.tenant),
        )
        response = make_response(page, status)
        if retry_after is not None:
            response.headers["Retry-After"] = str(retry_after)
        return response


def purpose_of(posting_id: str) -> tuple[str, str]:
    """Return the purpose that the token of an application form is signed for."""
    return (APPLY, posting_id)


def _countries_for(tenant: Tenant, posting: Posting | None) -> list[tuple[str, str]]:
    """Return (code, name) of every country, first those where the candidate most likely lives."""
    every = countries.names(str(get_locale()))
    near = [code for code in (posting.place.country if posting else None, tenant.apply.phone_region) if code]
    return sorted(every, key=lambda entry: near.index(entry[0]) if entry[0] in near else len(near))


def _phone_hint(tenant: Tenant) -> str:
    if tenant.apply.phone_region:
        return str(gettext("For a number from another country, start with + and the country code."))
    return str(gettext("Start with + and the country code, like +49 30 1234567."))


def offered(tenant: Tenant, said: CvDetails | None, typed: MultiDict[str, str] | None = None) -> dict[str, str]:
    """Return name of a field → its suggestion, for fields in which nothing is typed."""
    if said is None:
        return {}
    form = ApplicationForm(typed, tenant=tenant)
    region = (form.country.data or "").strip().upper() or tenant.apply.phone_region
    found = {form[member].name: value for member, value in offer(said, region).by_field().items()}
    return {name: value for name, value in found.items() if not (typed and typed.get(name, "").strip())}


def filled(tenant: Tenant, said: CvDetails | None, typed: MultiDict[str, str]) -> ApplicationForm:
    """Return the form with suggestions in its empty fields, each marked `from_cv`."""
    more = offered(tenant, said, typed)
    form = ApplicationForm(MultiDict({**typed.to_dict(), **more}), tenant=tenant)
    for field in form:
        if isinstance(field, TypedField):
            field.from_cv = field.name in more
    return form
