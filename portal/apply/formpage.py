"""The application form as a page: what was typed, which form it is, and the CV that is already stored."""

from dataclasses import dataclass

from flask import Response, make_response, render_template
from flask_babel import get_locale, gettext

from portal.applications.payload import ApplicationPayload
from portal.apply.forms import ApplicationForm
from portal.deliveries.accept import NewDelivery
from portal.errors import UploadReason, UploadRefused
from portal.parts import Parts
from portal.signing import new_form_id
from portal.tenants.model import Tenant
from portal.uploads import storing
from portal.uploads.storing import StoredUpload
from portal.vacancies.posting import Posting
from portal.web.body import PostedFile
from portal.web.fields import countries, cv
from portal.web.locale import language


@dataclass(slots=True)
class FormPage:
    """One form for one posting. posting: None while the database cannot say what it is."""

    parts: Parts
    tenant: Tenant
    posting_id: str
    posting: Posting | None
    form: ApplicationForm
    form_id: str
    handle: str | None = None
    """Of a CV that is stored for this form."""
    upload: StoredUpload | None = None
    """What is known of it: nothing, while the database is away."""
    lost: bool = False
    """A CV was stored for this form, and is no longer there."""

    def find_upload(self, signed: str) -> None:
        """Take up the CV that an earlier post of this form stored. Raises DatabaseUnavailable."""
        self.handle = self.parts.signer.read_upload(signed, tenant=self.tenant.slug, form_id=self.form_id)
        if self.handle:
            self._look_up()

    def store_cv(self, file: PostedFile | None) -> None:
        """Store the CV that came, or say under its field what is wrong. Raises StoreError, DatabaseUnavailable.

        One that is refused leaves an earlier one standing.
        """
        limit = self.parts.settings.max_cv_bytes
        try:
            if file is None:
                if self.handle is None:
                    self.form.cv.errors = [cv.gone() if self.lost else cv.missing()]
                return
            if file.size > limit:
                raise UploadRefused(UploadReason.TOO_LARGE)
            self.upload = storing.store_file(
                self.parts.database,
                self.parts.store,
                self.parts.seal,
                tenant=self.tenant.slug,
                form_id=self.form_id,
                file=file.content(),
                filename=file.name,
                max_bytes=limit,
                clock=self.parts.clock,
            )
            self.handle = self.upload.handle
        except UploadRefused as refused:
            self.form.cv.errors = [cv.refused(refused.reason, size=cv.size_in_words(limit))]

    def lose_cv(self) -> None:
        """Ask for the CV again: what was stored is gone."""
        self.handle, self.upload, self.lost = None, None, True
        self.form.cv.errors = [cv.gone()]

    def start_another(self) -> None:
        """Make it another form with the same text and file in it. Raises StoreError, DatabaseUnavailable."""
        another = new_form_id()
        if self.handle:
            carried = storing.carry_over(
                self.parts.database,
                self.parts.store,
                self.parts.seal,
                tenant=self.tenant.slug,
                handle=self.handle,
                form_id=self.form_id,
                to_form=another,
                clock=self.parts.clock,
            )
            # Only now: where the store is away the page stays the form that it was, with its file.
            self.form_id, self.handle = another, carried
            self._look_up()
        self.form_id = another

    def application(self, posting: Posting) -> NewDelivery[ApplicationPayload]:
        """What is sent, after the form's validate() found nothing wrong."""
        said = self.form.payload()
        return NewDelivery(
            form_id=self.form_id,
            about=self.posting_id,
            title=posting.title,
            email=said.email,
            locale=language(self.tenant),
            payload=said,
            upload=self.handle or "",
            consent=self.tenant.apply.consent,
        )

    def _look_up(self) -> None:
        slug, handle = self.tenant.slug, self.handle or ""
        self.upload = storing.find(
            self.parts.database, self.parts.seal, tenant=slug, form_id=self.form_id, handle=handle
        )
        self.handle = self.upload.handle if self.upload else None
        self.lost = self.handle is None

    def answer(
        self, status: int, notice: str = "", *, earlier_reference: str | None = None, retry_after: int | None = None
    ) -> Response:
        """The page, with a token of this moment for the same form. notice: what happened and what to do."""
        slug, signer, settings = self.tenant.slug, self.parts.signer, self.parts.settings
        now = self.parts.clock.now()
        token = signer.sign(tenant=slug, purpose=purpose_of(self.posting_id), form_id=self.form_id, now=now)
        upload_token = self.handle and signer.sign_upload(tenant=slug, form_id=self.form_id, handle=self.handle)
        page = render_template(
            "apply/form.html",
            posting=self.posting,
            posting_id=self.posting_id,
            form=self.form,
            notice=notice,
            earlier_reference=earlier_reference,
            token=token,
            upload=self.upload,
            upload_token=upload_token,
            upload_size=cv.size_in_words(self.upload.size) if self.upload else "",
            countries=_countries_for(self.tenant, self.posting),
            phone_hint=_phone_hint(self.tenant),
            accept=cv.ACCEPTED_FILES,
            max_bytes=settings.max_cv_bytes,
            max_size=cv.size_in_words(settings.max_cv_bytes),
        )
        response = make_response(page, status)
        if retry_after is not None:
            response.headers["Retry-After"] = str(retry_after)
        return response


def purpose_of(posting_id: str) -> tuple[str, str]:
    """What the token of an application form is signed for."""
    return ("apply", posting_id)


def _countries_for(tenant: Tenant, posting: Posting | None) -> list[tuple[str, str]]:
    """Every country, and in front those where the applicant most likely lives."""
    every = countries.names(str(get_locale()))
    near = [code for code in (posting.place.country if posting else None, tenant.apply.phone_region) if code]
    return sorted(every, key=lambda entry: near.index(entry[0]) if entry[0] in near else len(near))


def _phone_hint(tenant: Tenant) -> str:
    if tenant.apply.phone_region:
        return str(gettext("A number from another country? Start it with + and the country code."))
    return str(gettext("Start it with + and the country code, like +49 30 1234567."))
