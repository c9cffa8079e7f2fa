"""The profile: show it, edit it, compare before and after, prove new addresses, send the change. One address, three
steps.

Each post carries the whole form, so nothing is stored here between steps. `base` is a fingerprint of the record that
the form was made from: if the service has a different record by now, both are shown and nothing is sent.
"""

from flask import Request, Response
from flask_babel import gettext, ngettext
from werkzeug.datastructures import MultiDict

from portal.contract.bounds import PUBLIC_ID
from portal.delivery.envelopes import receipt
from portal.delivery.envelopes.receipt import ReceiptState
from portal.delivery.envelopes.repeats import DifferentContent
from portal.delivery.record_changes import change
from portal.delivery.record_changes.change import Change, EarlierChangePending, NewChange, PendingChange, SessionOver
from portal.delivery.record_changes.kind import CHANGE
from portal.delivery.record_changes.model import Record, fingerprint, new_addresses, record_of, same_addresses
from portal.delivery.uploads.claims import UploadGone
from portal.people.signin.sessions import Session
from portal.platform.crypto.signing import new_form_id
from portal.platform.errors import StoreError, TooManyInspections
from portal.site.account import draft
from portal.site.account.address_proof import AddressProof
from portal.site.account.draft import Draft
from portal.site.account.guard import AccountServices, expect_small_form, form_id_in, redirect_to
from portal.site.account.own_record import OwnRecord, RecordPage, read_own_record
from portal.site.account.record_form import RecordForm
from portal.site.forms import request_body
from portal.site.forms.cv_upload import CvUpload
from portal.site.forms.fields import cv as cv_words
from portal.site.forms.rate_limits import hit_candidate_file_limit
from portal.site.forms.request_body import PostedFile
from portal.site.words.locale import language
from portal.tenants.model import Tenant

PARTS_MOST = 700
"""Multipart parts that the form of a profile with many entries has; a body with more is not a profile form."""


def pause(services: AccountServices, tenant: Tenant, request: Request, seconds: int) -> Response:
    """Return 429 with the form as posted, signed in or not; neither its token nor a database is read."""
    with request_body.received(
        request, file_field="cv", max_file=services.max_cv_bytes, most_parts=PARTS_MOST
    ) as posted:
        expect_small_form(request)
        fields = posted.fields
        cv = CvUpload(services, tenant.slug, form_id="", carried=fields.get("upload", ""))
        page = RecordPage(services, tenant, None, RecordForm(fields), cv, fields.get("base", ""))
        page.replaces = fields.get("replaces", "")
        page.notice, page.token = _too_many(seconds), fields.get("token", "")
        page.whose = fields.get("whose", "")
        if posted.file:
            cv.error = _choose_again()
        response = page.edit(429)
        response.headers["Retry-After"] = str(seconds)
        return response


class Editing:
    """GET and POST of /{slug}/profile/edit for one candidate."""

    def __init__(self, services: AccountServices, tenant: Tenant, session: Session) -> None:
        self._services = services
        self._tenant = tenant
        self._session = session

    def open(self, *, again: str = "", notice: str = "") -> Response:
        """GET: return the form of the current record. again: the reference of an unsent change to continue from."""
        own = read_own_record(self._services, self._tenant, self._session)
        if isinstance(own, Response):
            return own
        page = self._new_page(own, RecordForm(None, obj=own.now.record))
        if PUBLIC_ID.fullmatch(again):
            self._go_on_from(own, page, again)
        page.notice = notice or page.notice
        return page.edit(409 if notice else 200)

    def resume(self, typed: Draft) -> Response:
        """Return the form with what was typed before the session ended, for a candidate who has signed in again."""
        page = self._page(RecordForm(typed.fields), typed.form_id, typed.fields.get("base", ""))
        page.replaces = typed.fields.get("replaces", "")
        page.cv.find(typed.fields.get("upload", ""))
        if typed.had_file:
            page.cv.error = _choose_again()
        own = read_own_record(self._services, self._tenant, self._session)
        if isinstance(own, Response):
            return self._unread(page, own)
        page.form.take_untouched(own.now.record)
        page.notice = gettext("You are signed in again, and what you entered is still here. Nothing has been sent yet.")
        return page.edit(200)

    def post(self, request: Request) -> Response:
        """POST: return the next step, or the same step with what is wrong."""
        services, limit = self._services, self._services.max_cv_bytes
        with request_body.received(request, file_field="cv", max_file=limit, most_parts=PARTS_MOST) as posted:
            expect_small_form(request)
            if not draft.belongs_to_session(services.seal, self._session, posted.fields):
                notice = gettext(
                    "You are now signed in with another address, so that form was not sent. This is the profile of "
                    "that address."
                )
                return self.open(notice=notice)
            form, fields = RecordForm(posted.fields), posted.fields
            form_id = form_id_in(services, self._tenant, self._session, fields.get("token", ""))
            if form_id is None or posted.broken or posted.too_large:
                return self._start_again(form)
            page = self._page(form, form_id, fields.get("base", ""))
            page.replaces = fields.get("replaces", "")
            page.cv.find(fields.get("upload", ""))
            self._take_cv(page.cv, posted.file, request.remote_addr)
            return self._step(page, fields, request.remote_addr)

    def _page(self, form: RecordForm, form_id: str, base: str) -> RecordPage:
        cv = CvUpload(self._services, self._tenant.slug, form_id)
        return RecordPage(self._services, self._tenant, self._session, form, cv, base)

    def _new_page(self, own: OwnRecord, form: RecordForm) -> RecordPage:
        page = self._page(form, new_form_id(), fingerprint(self._services.seal, own.now.record)[0])
        page.note_pending(self._pending(own))
        return page

    def _pending(self, own: OwnRecord) -> PendingChange | None:
        with self._services.database.read() as connection:
            return change.pending(connection, self._tenant.slug, own.who.keys)

    def _go_on_from(self, own: OwnRecord, page: RecordPage, again: str) -> None:
        database, seal, slug = self._services.database, self._services.seal, self._tenant.slug
        wanted = change.wanted_of(database, seal, tenant=slug, keys=own.who.keys, reference=again)
        found = receipt.find(database, tenant=slug, kind=CHANGE.name, reference=again)
        if wanted is None or found is None or found.state is ReceiptState.SENT:
            return
        page.form = RecordForm(None, obj=record_of(wanted.payload.update))
        page.current = own.now.record
        if found.state is ReceiptState.OVERTAKEN:
            page.show_beside(own.now.record)

    def _start_again(self, form: RecordForm) -> Response:
        own = read_own_record(self._services, self._tenant, self._session)
        if isinstance(own, Response):
            return own
        form.take_untouched(own.now.record)
        page = self._new_page(own, form)
        page.notice = gettext("The form did not arrive correctly, or the page was open for too long. Nothing was sent.")
        return page.edit(422)

    def _take_cv(self, cv: CvUpload, file: PostedFile | None, remote_address: str | None) -> None:
        """Store the posted CV even if other fields are wrong. If that fails, nothing else that was typed is lost."""
        slug, address = self._tenant.slug, self._session.address
        if file and hit_candidate_file_limit(self._services.throttle, tenant=slug, address=address) is not None:
            cv.error = gettext("You have sent too many files. Choose yours again in an hour.")
            return
        try:
            cv.take(file, remote_address)
        except TooManyInspections:
            cv.error = str(cv_words.TOO_MANY_INSPECTIONS)
        except StoreError:
            cv.error = str(cv_words.NOT_STORED)

    def _step(self, page: RecordPage, fields: MultiDict[str, str], remote_address: str | None) -> Response:
        wanted = fields.get("do", "")
        focus = page.form.act(wanted)
        acted = focus is not None or wanted == "edit"
        page.focus = focus or ""
        if acted and not page.form.untouched:
            return page.edit(200)
        own = read_own_record(self._services, self._tenant, self._session)
        if isinstance(own, Response):
            return self._unread(page, own)
        page.form.take_untouched(own.now.record)
        return page.edit(200) if acted else self._check(page, own, fields, remote_address)

    def _unread(self, page: RecordPage, answer: Response) -> Response:
        """Return the response in place of the record; for 503 (service unavailable), the form with its entries."""
        if answer.status_code != 503:
            return answer
        page.notice = gettext("Your profile cannot be reached right now, so nothing was sent. Try again in a minute.")
        return page.edit(503)

    def _check(
        self, page: RecordPage, own: OwnRecord, fields: MultiDict[str, str], remote_address: str | None
    ) -> Response:
        before = own.now.record
        stands = fingerprint(self._services.seal, before)
        if page.base not in stands:
            page.base = stands[0]
            page.show_beside(before)
            return page.edit(409)
        after = page.form.record(before, self._tenant)
        if after is None or page.cv.error:
            return page.edit(422)
        if after == before and page.cv.handle is None and not page.replaces:
            page.notice = gettext("You have not changed anything, so there is nothing to send.")
            return page.edit(200)
        if fields.get("step") not in {"send", "prove"}:
            return page.review(before, after)
        added = new_addresses(before, after)
        try:
            proving = AddressProof(self._services)
            pending_proof = proving.next(self._tenant, self._session, added, fields, remote_address)
            if pending_proof is None and not same_addresses(before, after):
                # Last, because a fresh code is valid only for minutes (codes.PROOF_MAX_AGE).
                pending_proof = proving.own(self._tenant, self._session, fields, remote_address)
            return page.prove(pending_proof) if pending_proof else self._send(page, own, after)
        except SessionOver:
            return redirect_to(self._services, self._tenant, "/profile")

    def _send(self, page: RecordPage, own: OwnRecord, after: Record) -> Response:
        services, tenant, cv = self._services, self._tenant, page.cv
        new = NewChange(cv.form_id, after, cv.handle, language(tenant), page.replaces)
        wanted = Change(tenant, self._session, own.who, own.now, new)
        try:
            reference = change.accept(
                services.database, services.seal, wanted, clock=services.clock, scan_required=services.scanner_enabled
            )
        except UploadGone:
            cv.discard_missing()
            return page.edit(422)
        except EarlierChangePending as earlier:
            page.note_pending(earlier.waiting)
            return page.edit(409)
        except DifferentContent:
            self._start_another(page, own)
            return page.edit(409)
        return redirect_to(services, tenant, f"/profile/changes/{reference}")

    def _start_another(self, page: RecordPage, own: OwnRecord) -> None:
        """Continue with the same content as a new form: the change that this form sent stays valid until the new one
        replaces it.
        """
        page.notice = gettext("You already sent this form with different content. To send this version, send it again.")
        page.note_pending(self._pending(own))
        try:
            page.cv.continue_as_new_form()
        except StoreError:
            page.cv = CvUpload(self._services, self._tenant.slug, new_form_id(), error=str(cv_words.NOT_STORED))


def _too_many(seconds: int) -> str:
    return str(
        ngettext(
            "Too many forms came from your network, so nothing was sent. Everything you entered is still here. Send "
            "it again in %(num)s minute.",
            "Too many forms came from your network, so nothing was sent. Everything you entered is still here. Send "
            "it again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )


def _choose_again() -> str:
    return str(gettext("Choose this file again when you send the form."))
