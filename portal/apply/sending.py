"""One post of the form, from its bytes to a receipt, or back to its person with everything they typed."""

import logging

from flask import Request, Response, abort, make_response, render_template

from portal.applications.accept import DifferentApplication, UploadGone, accept
from portal.apply import notices
from portal.apply.formpage import FormPage
from portal.apply.forms import ApplicationForm
from portal.apply.formtoken import FormSigner, FormToken, new_submission_id
from portal.errors import DatabaseUnavailable, StoreError
from portal.tenants.model import Tenant
from portal.vacancies import search
from portal.vacancies.posting import Closed, Posting
from portal.web import body, locale
from portal.web.addresses import addresses
from portal.web.body import Posted
from portal.web.origin import is_elsewhere, own_origins
from portal.web.sending_limit import SendingLimit
from portal.web.services import Services
from portal.web.tenant import by_own_host

log = logging.getLogger(__name__)

_RETRY_AFTER = 30
"""Seconds; a database or store that restarts is back by then."""


class Sending:
    """What a post is answered with."""

    def __init__(self, services: Services, signer: FormSigner, limit: SendingLimit) -> None:
        self._services = services
        self._signer = signer
        self._limit = limit

    def open(self, tenant: Tenant, posting_id: str) -> Response:
        """GET: an empty form."""
        posting = self._posting(tenant, posting_id)
        if isinstance(posting, Closed):
            return _closed(posting, [])
        page = FormPage(
            services=self._services,
            signer=self._signer,
            tenant=tenant,
            posting_id=posting_id,
            posting=posting,
            form=ApplicationForm(None, tenant=tenant),
            submission_id=new_submission_id(),
        )
        return page.answer(200)

    def post(self, tenant: Tenant, posting_id: str, request: Request) -> Response:
        """POST: 303 to the receipt once the application is on disk; everything else keeps what was typed."""
        services = self._services
        # The body first: it may take minutes to arrive, and the job may close meanwhile.
        with body.received(request, file_field="cv", max_file=services.settings.max_cv_bytes) as posted:
            now = services.clock.now()
            form = ApplicationForm(posted.fields, tenant=tenant)
            posting: Posting | Closed | None
            try:
                posting = self._posting(tenant, posting_id)
            except DatabaseUnavailable:
                posting = None
            if isinstance(posting, Closed):
                return _closed(posting, form.typed())
            token = self._signer.read(posted.fields.get("token", ""), tenant=tenant.slug, posting=posting_id, now=now)
            page = FormPage(
                services=services,
                signer=self._signer,
                tenant=tenant,
                posting_id=posting_id,
                posting=posting,
                form=form,
                submission_id=token.submission_id if token else new_submission_id(),
            )
            if _is_led(request, services):
                return page.answer(403, _kept(notices.elsewhere(), page, posted))
            return self._try(page, posted, token, request)

    def _posting(self, tenant: Tenant, posting_id: str) -> Posting | Closed:
        found = search.posting(self._services.database, tenant, posting_id, self._services.clock.now())
        if found is None:
            abort(404)
        return found

    def _try(self, page: FormPage, posted: Posted, token: FormToken | None, request: Request) -> Response:
        try:
            page.find_upload(posted.fields.get("upload", ""))
            pause = self._limit.pause(request.remote_addr)
            if pause is not None:
                return page.answer(429, _kept(notices.pause(pause), page, posted), retry_after=pause)
            if page.posting is None:
                raise DatabaseUnavailable("the posting could not be looked up")
            return self._check(page, posted, token) or self._accept(page, page.posting)
        except (DatabaseUnavailable, StoreError) as error:
            log.error("application not accepted: %s", error)  # noqa: TRY400  the message says it all
            return page.answer(503, _kept(notices.unavailable(), page, posted), retry_after=_RETRY_AFTER)

    def _check(self, page: FormPage, posted: Posted, token: FormToken | None) -> Response | None:
        """Validate and store the CV, also when something else is wrong: nobody should have to choose it twice."""
        if not posted.fields:
            return page.answer(413, notices.too_large()) if posted.too_large else page.answer(422, notices.broken())
        valid = page.form.validate()
        page.keep_cv(posted.file)
        if posted.too_large:
            file_alone = posted.file and posted.file.size > self._services.settings.max_cv_bytes
            return page.answer(413, "" if file_alone else notices.too_large())
        if posted.broken:
            return page.answer(422, notices.broken())
        if token is None:
            return page.answer(422, notices.unknown())
        if token.expired:
            return page.answer(422, notices.expired())
        return None if valid and not page.form.cv.errors else page.answer(422)

    def _accept(self, page: FormPage, posting: Posting) -> Response:
        try:
            reference = accept(
                self._services.database,
                tenant=page.tenant,
                application=page.application(posting),
                secret=self._services.settings.secret_key,
                clock=self._services.clock,
                scanned=self._services.settings.scanner == "off",
                former_secrets=self._services.settings.secret_key_fallbacks,
            )
        except UploadGone:
            page.lose_cv()
            return page.answer(422)
        except DifferentApplication as sent:
            # A form of its own from here on: sent on purpose, this text is another application. Its CV was stored for
            # the form that is spent, and is chosen again.
            page.start_anew()
            return page.answer(409, notices.different(), earlier_reference=sent.reference)
        return self._see_receipt(page.tenant, reference)

    def _see_receipt(self, tenant: Tenant, reference: str) -> Response:
        here = addresses(
            tenant, base_url=self._services.settings.base_url, own_host=by_own_host(), lang=locale.language(tenant)
        )
        return Response(status=303, headers={"Location": here.receipt(reference)})


def _closed(closed: Closed, typed: list[tuple[str, str]]) -> Response:
    page = render_template(
        "apply/closed.html",
        closed=closed,
        typed=typed,
    )
    return make_response(page, 410)


def _kept(notice: str, page: FormPage, posted: Posted) -> str:
    return notice if page.handle or posted.file is None else f"{notice} {notices.choose_again()}"


def _is_led(request: Request, services: Services) -> bool:
    own = own_origins(base_url=services.settings.base_url, host=request.host)
    return is_elsewhere(
        sec_fetch_site=request.headers.get("Sec-Fetch-Site"), origin=request.headers.get("Origin"), own=own
    )
