"""One post of the form, from its bytes to a receipt, or back to its person with everything they typed."""

import logging

from flask import Request, Response, abort, make_response, render_template

from portal.apply import notices
from portal.apply.accepting import ROOM_AFTER, accepted, is_cross_site, take_cv
from portal.apply.filling import filled
from portal.apply.formpage import FILL, FormPage, purpose_of
from portal.db import EPOCH
from portal.deliveries.accept import DifferentContent
from portal.errors import DatabaseUnavailable, StoreError
from portal.parts import Parts
from portal.signing import FormToken, new_form_id
from portal.tenants.model import Tenant
from portal.uploads.claims import UploadGone
from portal.vacancies import search
from portal.vacancies.posting import Closed, Posting
from portal.web import body, refusals
from portal.web.application_form import ApplicationForm
from portal.web.assembly import here
from portal.web.body import Posted
from portal.web.cv_upload import CvUpload
from portal.web.sending_limit import pause_of_sending
from portal.web.sources import sources_of

log = logging.getLogger(__name__)

_RETRY_AFTER = 30
"""Seconds; a database or store that restarts is back by then."""


class Sending:
    """What a post is answered with."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def open(self, tenant: Tenant, posting_id: str, request: Request) -> Response:
        """GET: an empty form."""
        posting = self._posting(tenant, posting_id)
        if isinstance(posting, Closed):
            return _closed(posting, [])
        page = FormPage(
            parts=self._parts,
            tenant=tenant,
            posting_id=posting_id,
            posting=posting,
            form=ApplicationForm(None, tenant=tenant),
            cv=CvUpload(self._parts, tenant.slug, new_form_id()),
            opened=self._parts.clock.now(),
            sources=sources_of(request.args),
        )
        return page.answer(200)

    def post(self, tenant: Tenant, posting_id: str, request: Request) -> Response:
        """POST: 303 to the receipt once the application is on disk; everything else keeps what was typed."""
        parts = self._parts
        # Counted before anything of it is looked at: one post too many must cost next to nothing.
        pause = pause_of_sending(parts.throttle, request.remote_addr)
        # The body first: it may take minutes to arrive, and the job may close meanwhile.
        with body.received(request, file_field="cv", max_file=parts.settings.max_cv_bytes) as posted:
            if pause is not None:
                return self._pause(tenant, posting_id, posted, pause)
            now = parts.clock.now()
            form = ApplicationForm(posted.fields, tenant=tenant)
            posting: Posting | Closed | None
            try:
                posting = self._posting(tenant, posting_id)
            except DatabaseUnavailable:
                posting = None
            if isinstance(posting, Closed):
                return _closed(posting, form.typed())
            signed, purpose = posted.fields.get("token", ""), purpose_of(posting_id)
            token = parts.signer.read(signed, tenant=tenant.slug, purpose=purpose, now=now)
            page = FormPage(
                parts=parts,
                tenant=tenant,
                posting_id=posting_id,
                posting=posting,
                form=form,
                cv=CvUpload(parts, tenant.slug, token.form_id if token else new_form_id()),
                opened=token.opened if token else EPOCH,
                sources=sources_of(posted.fields),
            )
            if is_cross_site(request, parts):
                return page.answer(403, _kept(notices.elsewhere(), page, posted))
            return self._try(page, posted, token, request)

    def _pause(self, tenant: Tenant, posting_id: str, posted: Posted, seconds: int) -> Response:
        """429, without asking the database: the job's title is not shown, nor its file's name."""
        parts = self._parts
        signed, purpose = posted.fields.get("token", ""), purpose_of(posting_id)
        token = parts.signer.read(signed, tenant=tenant.slug, purpose=purpose, now=parts.clock.now())
        page = FormPage(
            parts=parts,
            tenant=tenant,
            posting_id=posting_id,
            posting=None,
            form=ApplicationForm(posted.fields, tenant=tenant),
            cv=CvUpload(parts, tenant.slug, token.form_id if token else new_form_id()),
            opened=token.opened if token else EPOCH,
            sources=sources_of(posted.fields),
        )
        page.cv.trust(posted.fields.get("upload", ""))
        return page.answer(429, _kept(notices.pause(seconds), page, posted), retry_after=seconds)

    def _posting(self, tenant: Tenant, posting_id: str) -> Posting | Closed:
        found = search.posting(self._parts.database, tenant, posting_id, self._parts.clock.now())
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
        except (DatabaseUnavailable, StoreError) as error:
            refusals.away(error)
            log.error("application not accepted: %s", error)  # noqa: TRY400  the message says it all
            return page.answer(503, _kept(notices.unavailable(), page, posted), retry_after=_RETRY_AFTER)

    def _fill(self, page: FormPage, posted: Posted, token: FormToken | None, remote_address: str | None) -> Response:
        """The form back with what its CV says where nothing was typed; sent is nothing."""
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
        page.form = filled(page.tenant, page.cv.said(), posted.fields)
        return page.answer(200, notices.filled(page.filled))

    def _check(
        self, page: FormPage, posted: Posted, token: FormToken | None, remote_address: str | None
    ) -> Response | None:
        """Validate and store the CV, also when something else is wrong: nobody should have to choose it twice."""
        if not posted.fields:
            return page.answer(413, notices.too_large()) if posted.too_large else page.answer(422, notices.broken())
        valid = page.form.validate()
        if posted.broken and not posted.too_large:
            return page.answer(422, _kept(notices.broken(), page, posted))
        refused = self._take_cv(page, posted, remote_address, known=token is not None)
        if refused:
            return refused
        if posted.too_large:
            file_alone = posted.file and posted.file.size > self._parts.settings.max_cv_bytes
            return page.answer(413, "" if file_alone else notices.too_large())
        if token is None or token.expired:
            return page.answer(422, notices.expired() if token else notices.unknown())
        return None if valid and not page.cv.error else page.answer(422)

    def _take_cv(self, page: FormPage, posted: Posted, remote_address: str | None, *, known: bool) -> Response | None:
        """Store the file that came. known: whether the form is ours; an old one of ours is, its file is not lost."""
        pause = take_cv(self._parts, page.tenant, page.cv, posted.file, remote_address, known=known)
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
            # A form of its own from here on: sent on purpose, this text is another application.
            page.cv.start_another()
            notice = notices.different() if page.cv.handle else f"{notices.different()} {notices.choose_again()}"
            return page.answer(409, notice, earlier_reference=sent.reference)
        return self._see_receipt(page.tenant, reference)

    def _see_receipt(self, tenant: Tenant, reference: str) -> Response:
        return Response(status=303, headers={"Location": here(self._parts, tenant).receipt(reference)})


def _closed(closed: Closed, typed: list[tuple[str, str]]) -> Response:
    page = render_template(
        "apply/closed.html",
        closed=closed,
        typed=typed,
    )
    return make_response(page, 410)


def _kept(notice: str, page: FormPage, posted: Posted) -> str:
    return notice if page.cv.handle or posted.file is None else f"{notice} {notices.choose_again()}"
