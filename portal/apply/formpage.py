"""The application form as a page: what was typed, and the CV that is already stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from flask import Response, make_response, render_template
from flask_babel import get_locale, gettext

from portal.applications.payload import ApplicationPayload
from portal.apply import bots, proof
from portal.apply.bots import Impression
from portal.deliveries.accept import NewDelivery
from portal.parts import Parts
from portal.tenants.model import Bots, Tenant
from portal.tenants.words import words_of
from portal.vacancies.posting import Posting
from portal.web import words
from portal.web.application_form import ApplicationForm
from portal.web.cv_upload import CvUpload
from portal.web.fields import countries
from portal.web.fields.typed import TypedField
from portal.web.locale import language

FILL = "fill"
"""The button that asks for the form back with what the CV says."""
APPLY = "apply"
"""The kind of this form, in its token."""


@dataclass(slots=True)
class FormPage:
    """One form for one posting. posting: None while the database cannot say what it is.

    opened: when its person was first shown it; long ago where nobody knows. sources: where they came from.
    """

    parts: Parts
    tenant: Tenant
    posting_id: str
    posting: Posting | None
    form: ApplicationForm
    cv: CvUpload
    opened: datetime
    sources: Mapping[str, str]

    def application(self, posting: Posting, seen: Impression) -> NewDelivery[ApplicationPayload]:
        """What is sent, after the form's validate() found nothing wrong."""
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
        """How many of its fields say what was read from the CV."""
        return sum(field.from_cv for field in self.form if isinstance(field, TypedField))

    def answer(
        self, status: int, notice: str = "", *, earlier_reference: str | None = None, retry_after: int | None = None
    ) -> Response:
        """The page, with a token of this moment for the same form. notice: what happened and what to do."""
        self.form.cv.errors = [self.cv.error] if self.cv.error else []
        token = self.parts.signer.sign(
            tenant=self.tenant.slug,
            purpose=purpose_of(self.posting_id),
            form_id=self.cv.form_id,
            now=self.parts.clock.now(),
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
            proof=proof.FIELD if self.tenant.apply.bots is Bots.PROOF else None,
            employment=words.EMPLOYMENT,
            location=words.LOCATION,
            countries=_countries_for(self.tenant, self.posting),
            phone_hint=_phone_hint(self.tenant),
        )
        response = make_response(page, status)
        if retry_after is not None:
            response.headers["Retry-After"] = str(retry_after)
        return response


def purpose_of(posting_id: str) -> tuple[str, str]:
    """What the token of an application form is signed for."""
    return (APPLY, posting_id)


def _countries_for(tenant: Tenant, posting: Posting | None) -> list[tuple[str, str]]:
    """Every country, and in front those where the applicant most likely lives."""
    every = countries.names(str(get_locale()))
    near = [code for code in (posting.place.country if posting else None, tenant.apply.phone_region) if code]
    return sorted(every, key=lambda entry: near.index(entry[0]) if entry[0] in near else len(near))


def _phone_hint(tenant: Tenant) -> str:
    if tenant.apply.phone_region:
        return str(gettext("A number from another country? Start it with + and the country code."))
    return str(gettext("Start it with + and the country code, like +49 30 1234567."))
