"""The application form as a page: what was typed, which form it is, and the CV that is already stored."""

from dataclasses import dataclass

from flask import Response, make_response, render_template
from flask_babel import get_locale, gettext

from portal.applications import uploads
from portal.applications.model import NewApplication, StoredUpload
from portal.apply.forms import ApplicationForm
from portal.apply.formtoken import FormSigner, new_submission_id
from portal.errors import UploadReason, UploadRefused
from portal.tenants.model import Tenant
from portal.vacancies.posting import Posting
from portal.web.body import PostedFile
from portal.web.fields import countries, cv
from portal.web.services import Services


@dataclass(slots=True)
class FormPage:
    """One form for one posting. posting: None while the database cannot say what it is."""

    services: Services
    signer: FormSigner
    tenant: Tenant
    posting_id: str
    posting: Posting | None
    form: ApplicationForm
    submission_id: str
    handle: str | None = None
    """Of a CV that is stored for this form."""
    upload: StoredUpload | None = None
    """What is known of it: nothing, while the database is away."""
    lost: bool = False
    """A CV was stored for this form, and is no longer there."""

    def find_upload(self, signed: str) -> None:
        """Take up the CV that an earlier post of this form stored. Raises DatabaseUnavailable."""
        slug, form_id = self.tenant.slug, self.submission_id
        self.handle = self.signer.read_upload(signed, tenant=slug, submission_id=form_id)
        if self.handle:
            self.upload = uploads.find(self.services.database, tenant=slug, form_id=form_id, handle=self.handle)
            self.handle = self.upload.handle if self.upload else None
            self.lost = self.handle is None

    def keep_cv(self, file: PostedFile | None) -> None:
        """Store the CV that came, or say under its field what is wrong. Raises StoreError, DatabaseUnavailable.

        One that is refused leaves an earlier one standing.
        """
        limit = self.services.settings.max_cv_bytes
        try:
            if file is None:
                if self.handle is None:
                    self.form.cv.errors = [cv.gone() if self.lost else cv.missing()]
                return
            if file.size > limit:
                raise UploadRefused(UploadReason.TOO_LARGE)
            self.upload = uploads.keep(
                self.services.database,
                self.services.store,
                tenant=self.tenant.slug,
                form_id=self.submission_id,
                file=file.content(),
                filename=file.name,
                max_bytes=limit,
                clock=self.services.clock,
            )
            self.handle = self.upload.handle
        except UploadRefused as refused:
            self.form.cv.errors = [cv.refused(refused.reason, size=cv.size_in_words(limit))]

    def lose_cv(self) -> None:
        """Ask for the CV again: what was stored is gone."""
        self.handle, self.upload, self.lost = None, None, True
        self.form.cv.errors = [cv.gone()]

    def start_anew(self) -> None:
        """Make it another form, with the same text in it."""
        self.submission_id, self.handle, self.upload = new_submission_id(), None, None

    def application(self, posting: Posting) -> NewApplication:
        """What is sent, after the form's validate() found nothing wrong."""
        form = self.form
        return NewApplication(
            submission_id=self.submission_id,
            posting_id=self.posting_id,
            posting_title=posting.title,
            locale=str(get_locale()),
            upload=self.handle or "",
            first_name=form.first_name.value or "",
            last_name=form.last_name.value or "",
            email=form.email.value or "",
            phone_number=form.phone_number.value or "",
            network_url=form.network_url.value,
            location=form.location(),
        )

    def answer(
        self, status: int, notice: str = "", *, earlier_reference: str | None = None, retry_after: int | None = None
    ) -> Response:
        """The page, with a token of this moment for the same form. notice: what happened and what to do."""
        slug, settings = self.tenant.slug, self.services.settings
        token = self.signer.sign(
            tenant=slug, posting=self.posting_id, submission_id=self.submission_id, now=self.services.clock.now()
        )
        upload_token = self.handle and self.signer.sign_upload(
            tenant=slug, submission_id=self.submission_id, handle=self.handle
        )
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


def _countries_for(tenant: Tenant, posting: Posting | None) -> list[tuple[str, str]]:
    """Every country, and in front those where the applicant most likely lives."""
    every = countries.names(str(get_locale()))
    near = [code for code in (posting.place.country if posting else None, tenant.apply.phone_region) if code]
    return sorted(every, key=lambda entry: near.index(entry[0]) if entry[0] in near else len(near))


def _phone_hint(tenant: Tenant) -> str:
    if tenant.apply.phone_region:
        return str(gettext("A number from another country? Start it with + and the country code."))
    return str(gettext("Start it with + and the country code, like +49 30 1234567."))
