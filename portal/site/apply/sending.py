"""One post of the form: from its bytes to a receipt, or back to the candidate with everything they typed."""

import logging

from flask import Request, Response, abort, make_response, render_template

from portal.delivery.envelopes.accept import DifferentContent
from portal.delivery.uploads.claims import UploadGone
from portal.jobs.posting import Closed, Posting
from portal.jobs.search import search
from portal.platform.crypto.signing import FormToken, new_form_id
from portal.platform.database.db import EPOCH
from portal.platform.errors import DatabaseUnavailable, StoreError, TooManyInspections
from portal.services import Services
from portal.site.apply import notices
from portal.site.apply.accepting import ROOM_AFTER, accepted, take_cv
from portal.site.apply.form_page import FILL, FormPage, filled, purpose_of
from portal.site.assembly import here
from portal.site.forms import refusals, request_body
from portal.site.forms.application_form import ApplicationForm
from portal.site.forms.cv_upload import CvUpload
from portal.site.forms.fields import cv as cv_words
from portal.site.forms.rate_limits import Post, pause_of_post
from portal.site.forms.refusals import sources_of
from portal.site.forms.request_body import Posted
from portal.site.routing.origin import is_from_elsewhere
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

_RETRY_AFTER = 30
"""Seconds; a database or file storage that restarts is back by then."""


class ApplicationPost:
    """GET and POST of an application form."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def open(self, tenant: Tenant, posting_id: str, request: Request) -> Response:
        """GET: return an empty form; 410 for a closed job."""
        posting = self._posting(tenant, posting_id)
        if isinstance(posting, Closed):
            return _closed(posting, [])
        page = FormPage(
            services=self._services,
            tenant=tenant,
            posting_id=posting_id,
            posting=posting,
            form=ApplicationForm(None, tenant=tenant),
            cv=CvUpload(self._services, tenant.slug, new_form_id()),
            opened=self._services.clock.now(),
            sources=sources_of(request.args),
        )
        return page.answer(200)

    def post(self, tenant: Tenant, posting_id: str, request: Request) -> Response:
        """POST: redirect (303) to the receipt once the application is on disk; any other answer preserves the
        entries.
        """
        services = self._services
        # Count the post before reading anything of it: a post over the limit must cost next to nothing.
        pause = pause_of_post(services.throttle, Post.APPLICATION, request.remote_addr)
        # Receive the body first: that may take minutes, and the job may close in the meantime.
        with request_body.received(request, file_field="cv", max_file=services.settings.max_cv_bytes) as posted:
            if pause is not None:
                return self._pause(tenant, posting_id, posted, pause)
            now = services.clock.now()
            form = ApplicationForm(posted.fields, tenant=tenant)
            posting: Posting | Closed | None
            try:
                posting = self._posting(tenant, posting_id)
            except DatabaseUnavailable:
                posting = None
            if isinstance(posting, Closed):
                return _closed(posting, form.typed())
            signed, purpose = posted.fields.get("token", ""), purpose_of(posting_id)
            token = services.signer.read(signed, tenant=tenant.slug, purpose=purpose, now=now)
            page = FormPage(
                services=services,
                tenant=tenant,
                posting_id=posting_id,
                posting=posting,
                form=form,
                cv=CvUpload(services, tenant.slug, token.form_id if token else new_form_id()),
                opened=token.opened if token else EPOCH,
                sources=sources_of(posted.fields),
            )
            if is_from_elsewhere():
                return page.answer(403, _kept(notices.elsewhere(), page, posted))
            return self._try(page, posted, token, request)

    def _pause(self, tenant: Tenant, posting_id: str, posted: Posted, seconds: int) -> Response:
        """Return 429 without a database query; so the page has neither the job's title nor the stored file's name."""
        services = self._services
        signed, purpose = posted.fields.get("token", ""), purpose_of(posting_id)
        token = services.signer.read(signed, tenant=tenant.slug, purpose=purpose, now=services.clock.now())
        page = FormPage(
            services=services,
            tenant=tenant,
            posting_id=posting_id,
            posting=None,
            form=ApplicationForm(posted.fields, tenant=tenant),
            cv=CvUpload(services, tenant.slug, token.form_id if token else new_form_id()),
            opened=token.opened if token else EPOCH,
            sources=sources_of(posted.fields),
        )
        page.cv.trust(posted.fields.get("upload", ""))
        return page.answer(429, _kept(notices.pause(seconds), page, posted), retry_after=seconds)

    def _posting(self, tenant: Tenant, posting_id: str) -> Posting | Closed:
        found = search.posting(self._services.database, tenant, posting_id, self._services.clock.now())
        if found is None:
            abort(404)
        return found

    def _try(self, page: FormPage, posted: Posted, token: FormToken | None, request: Request) -> Response:
        try:
            page.cv.find(posted.fields.get("upload", ""))
            if page.posting is None:
                raise DatabaseUnavailable("the posting could not be looked up")
            if FILL in posted.fields and page.tenant.apply.read_cv:
                return self._fill(page, posted, token, request.remote_addr)
            refused = self._check(page, posted, token, request.remote_addr)
            return refused or self._accept(page, page.posting, posted, request.remote_addr)
        except TooManyInspections as busy:
            notice = _kept(cv_words.too_many_inspections(), page, posted)
            return page.answer(429, notice, retry_after=busy.seconds)
        except (DatabaseUnavailable, StoreError) as error:
            refusals.away(error)
            log.error("application not accepted: %s", error)  # noqa: TRY400  the message is enough, no traceback
            return page.answer(503, _kept(notices.unavailable(), page, posted), retry_after=_RETRY_AFTER)

    def _fill(self, page: FormPage, posted: Posted, token: FormToken | None, remote_address: str | None) -> Response:
        """Return the form filled in from its CV where nothing was typed; send nothing."""
        if posted.broken and not posted.too_large:
            return page.answer(422, _kept(notices.broken(), page, posted))
        page.cv.reads = True
        refused = self._take_cv(page, posted, remote_address, known=token is not None)
        if refused:
            return refused
        if token is None or token.expired:
            return page.answer(422, notices.expired() if token else notices.unknown())
        if page.cv.error:
            return page.answer(413 if posted.too_large else 422)
        page.form = filled(page.tenant, page.cv.said(remote_address), posted.fields)
        return page.answer(200, notices.filled(page.filled))

    def _check(
        self, page: FormPage, posted: Posted, token: FormToken | None, remote_address: str | None
    ) -> Response | None:
        """Validate the form and store the CV, even if something else is wrong, so that nobody has to choose it twice.

        Return the response that rejects the post, None if it is valid.
        """
        if not posted.fields:
            return page.answer(413, notices.too_large()) if posted.too_large else page.answer(422, notices.broken())
        valid = page.form.validate()
        if posted.broken and not posted.too_large:
            return page.answer(422, _kept(notices.broken(), page, posted))
        refused = self._take_cv(page, posted, remote_address, known=token is not None)
        if refused:
            return refused
        if posted.too_large:
            file_alone = posted.file and posted.file.size > self._services.settings.max_cv_bytes
            return page.answer(413, "" if file_alone else notices.too_large())
        if token is None or token.expired:
            return page.answer(422, notices.expired() if token else notices.unknown())
        return None if valid and not page.cv.error else page.answer(422)

    def _take_cv(self, page: FormPage, posted: Posted, remote_address: str | None, *, known: bool) -> Response | None:
        """Store the posted file. known: whether the form has a token of this portal, even an expired one.

        Return the response that rejects the post, None otherwise.
        """
        pause = take_cv(self._services, page.tenant, page.cv, posted.file, remote_address, known=known)
        if pause is not None:
            return page.answer(429, _kept(notices.pause_of_files(pause), page, posted), retry_after=pause)
        return page.answer(503, retry_after=ROOM_AFTER) if page.cv.no_room else None

    def _accept(self, page: FormPage, posting: Posting, posted: Posted, remote_address: str | None) -> Response:
        try:
            reference = accepted(page, posting, posted.fields, remote_address)
        except UploadGone:
            page.cv.lose()
            return page.answer(422)
        except DifferentContent as sent:
            # From here on it is a new form: sent deliberately, this content is another application.
            page.cv.start_another()
            notice = notices.different() if page.cv.handle else f"{notices.different()} {notices.choose_again()}"
            return page.answer(409, notice, earlier_reference=sent.reference)
        return self._see_receipt(page.tenant, reference)

    def _see_receipt(self, tenant: Tenant, reference: str) -> Response:
        return Response(status=303, headers={"Location": here(self._services, tenant).receipt(reference)})


def _closed(closed: Closed, typed: list[tuple[str, str]]) -> Response:
    page = render_template(
        "apply/closed.html",
        closed=closed,
        typed=typed,
    )
    return make_response(page, 410)


def _kept(notice: str, page: FormPage, posted: Posted) -> str:
    return notice if page.cv.handle or posted.file is None else f"{notice} {notices.choose_again()}"
