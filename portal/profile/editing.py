"""The record: see it, change it, compare before and after, prove a new address, send it. One address, three steps.

Each post carries the whole form, so that nothing of it is kept here between the steps. `base` is a fingerprint of the
record that the form was made from: where the service has another by now, both are shown and nothing is sent.
"""

from flask import Request, Response
from flask_babel import gettext, ngettext
from werkzeug.datastructures import MultiDict

from portal.deliveries import receipt
from portal.deliveries.accept import DifferentContent
from portal.deliveries.receipt import ReceiptState
from portal.errors import StoreError
from portal.parts import Parts
from portal.profile import asking_limit, typed_before
from portal.profile.guard import form_id_in, refuse_elsewhere, see
from portal.profile.own_record import OwnRecord, read_own_record
from portal.profile.proving import Proving
from portal.profile.recordform import RecordForm
from portal.profile.recordpage import RecordPage
from portal.profile.typed_before import TypedBefore
from portal.records import change
from portal.records.change import Change, NewChange, SessionOver, StillOnItsWay, Waiting
from portal.records.kind import CHANGE
from portal.records.model import Record, fingerprint, new_addresses, record_of
from portal.signin.sessions import Session
from portal.signing import new_form_id
from portal.tenants.model import Tenant
from portal.tenants.values import PUBLIC_ID
from portal.uploads.claims import UploadGone
from portal.web import body
from portal.web.body import PostedFile
from portal.web.cv_upload import CvUpload
from portal.web.fields import cv as cv_words
from portal.web.locale import language

PARTS_MOST = 700
"""Fields that a record of many entries has; beyond that it is no record."""


def pause(parts: Parts, tenant: Tenant, request: Request, seconds: int) -> Response:
    """429 with the form as it came, whoever sent it: neither its token nor any database is looked at."""
    with body.received(request, file_field="cv", max_file=parts.settings.max_cv_bytes, most_parts=PARTS_MOST) as posted:
        refuse_elsewhere(parts, request)
        fields = posted.fields
        cv = CvUpload(parts, tenant.slug, form_id="", carried=fields.get("upload", ""))
        page = RecordPage(parts, tenant, None, RecordForm(fields), cv, fields.get("base", ""))
        page.replaces = fields.get("replaces", "")
        page.notice, page.token = _too_many(seconds), fields.get("token", "")
        page.whose = fields.get("whose", "")
        if posted.file:
            cv.error = _choose_again()
        response = page.edit(429)
        response.headers["Retry-After"] = str(seconds)
        return response


class Editing:
    """What GET and POST of /{slug}/profile/edit answer to one person."""

    def __init__(self, parts: Parts, tenant: Tenant, session: Session) -> None:
        self._parts = parts
        self._tenant = tenant
        self._session = session

    def open(self, *, again: str = "", notice: str = "") -> Response:
        """GET: the record as it is now. again: the reference of a change that was not sent, to go on from its text."""
        own = read_own_record(self._parts, self._tenant, self._session)
        if isinstance(own, Response):
            return own
        page = self._new_page(own, RecordForm(None, obj=own.now.record))
        if PUBLIC_ID.fullmatch(again):
            self._go_on_from(own, page, again)
        page.notice = notice or page.notice
        return page.edit(409 if notice else 200)

    def resume(self, typed: TypedBefore) -> Response:
        """The form with what was typed before its session ended, for who is signed in again."""
        page = self._page(RecordForm(typed.fields), typed.form_id, typed.fields.get("base", ""))
        page.replaces = typed.fields.get("replaces", "")
        page.cv.find(typed.fields.get("upload", ""))
        if typed.had_file:
            page.cv.error = _choose_again()
        own = read_own_record(self._parts, self._tenant, self._session)
        if isinstance(own, Response):
            return self._unread(page, own)
        page.form.take_untouched(own.now.record)
        page.notice = gettext("You are signed in again, and what you typed is here. Nothing was sent yet.")
        return page.edit(200)

    def post(self, request: Request) -> Response:
        """POST: the next step, or the same one with what is wrong."""
        parts, limit = self._parts, self._parts.settings.max_cv_bytes
        with body.received(request, file_field="cv", max_file=limit, most_parts=PARTS_MOST) as posted:
            refuse_elsewhere(parts, request)
            if not typed_before.is_hers(parts.seal, self._session, posted.fields):
                notice = gettext(
                    "You are signed in as somebody else now, so nothing of that form was sent. This is your record."
                )
                return self.open(notice=notice)
            form, fields = RecordForm(posted.fields), posted.fields
            form_id = form_id_in(parts, self._tenant, self._session, fields.get("token", ""))
            if form_id is None or posted.broken or posted.too_large:
                return self._start_again(form)
            page = self._page(form, form_id, fields.get("base", ""))
            page.replaces = fields.get("replaces", "")
            page.cv.find(fields.get("upload", ""))
            self._take_cv(page.cv, posted.file)
            return self._step(page, fields, request.remote_addr)

    def _page(self, form: RecordForm, form_id: str, base: str) -> RecordPage:
        cv = CvUpload(self._parts, self._tenant.slug, form_id)
        return RecordPage(self._parts, self._tenant, self._session, form, cv, base)

    def _new_page(self, own: OwnRecord, form: RecordForm) -> RecordPage:
        page = self._page(form, new_form_id(), fingerprint(self._parts.seal, own.now.record)[0])
        page.note_pending(self._pending(own))
        return page

    def _pending(self, own: OwnRecord) -> Waiting | None:
        with self._parts.database.read() as connection:
            return change.pending(connection, self._tenant.slug, own.who.keys)

    def _go_on_from(self, own: OwnRecord, page: RecordPage, again: str) -> None:
        database, seal, slug = self._parts.database, self._parts.seal, self._tenant.slug
        wanted = change.wanted_of(database, seal, tenant=slug, keys=own.who.keys, reference=again)
        found = receipt.find(database, tenant=slug, kind=CHANGE.name, reference=again)
        if wanted is None or found is None or found.state is ReceiptState.SENT:
            return
        page.form = RecordForm(None, obj=record_of(wanted.payload.update))
        page.current = own.now.record
        if found.state is ReceiptState.OVERTAKEN:
            page.show_beside(own.now.record)

    def _start_again(self, form: RecordForm) -> Response:
        own = read_own_record(self._parts, self._tenant, self._session)
        if isinstance(own, Response):
            return own
        form.take_untouched(own.now.record)
        page = self._new_page(own, form)
        page.notice = gettext("This did not arrive as it should, or the page was open for too long. Nothing was sent.")
        return page.edit(422)

    def _take_cv(self, cv: CvUpload, file: PostedFile | None) -> None:
        """Store the CV that came, whatever else is wrong. Trouble with it loses nothing of what was typed."""
        slug, address = self._tenant.slug, self._session.address
        if file and asking_limit.storing(self._parts.throttle, tenant=slug, address=address) is not None:
            cv.error = gettext("You have sent very many files. Please choose yours again in an hour.")
            return
        try:
            cv.take(file)
        except StoreError:
            cv.error = cv_words.not_stored()

    def _step(self, page: RecordPage, fields: MultiDict[str, str], remote_address: str | None) -> Response:
        wanted = fields.get("do", "")
        focus = page.form.act(wanted)
        acted = focus is not None or wanted == "edit"
        page.focus = focus or ""
        if acted and not page.form.untouched:
            return page.edit(200)
        own = read_own_record(self._parts, self._tenant, self._session)
        if isinstance(own, Response):
            return self._unread(page, own)
        page.form.take_untouched(own.now.record)
        return page.edit(200) if acted else self._check(page, own, fields, remote_address)

    def _unread(self, page: RecordPage, answer: Response) -> Response:
        """What is said instead of the record; where it is only away, with the form as it is."""
        if answer.status_code != 503:
            return answer
        page.notice = gettext("Your record cannot be reached just now, so nothing was sent. Try again in a minute.")
        return page.edit(503)

    def _check(
        self, page: RecordPage, own: OwnRecord, fields: MultiDict[str, str], remote_address: str | None
    ) -> Response:
        before = own.now.record
        stands = fingerprint(self._parts.seal, before)
        if page.base not in stands:
            page.base = stands[0]
            page.show_beside(before)
            return page.edit(409)
        after = page.form.record(before, self._tenant)
        if after is None or page.cv.error:
            return page.edit(422)
        if after == before and page.cv.handle is None and not page.replaces:
            page.notice = gettext("Nothing is different from your record, so there is nothing to send.")
            return page.edit(200)
        if fields.get("step") not in {"send", "prove"}:
            return page.review(before, after)
        added = new_addresses(before, after)
        try:
            unproven = Proving(self._parts).next(self._tenant, self._session, added, fields, remote_address)
            return page.prove(unproven) if unproven else self._send(page, own, after)
        except SessionOver:
            return see(self._parts, self._tenant, "/profile")

    def _send(self, page: RecordPage, own: OwnRecord, after: Record) -> Response:
        parts, tenant, cv = self._parts, self._tenant, page.cv
        new = NewChange(cv.form_id, after, cv.handle, language(tenant), page.replaces)
        wanted = Change(tenant, self._session, own.who, own.now, new)
        try:
            reference = change.accept(parts.database, parts.seal, wanted, clock=parts.clock, scanned=not parts.scans)
        except UploadGone:
            cv.lose()
            return page.edit(422)
        except StillOnItsWay as earlier:
            page.note_pending(earlier.waiting)
            return page.edit(409)
        except DifferentContent:
            self._start_another(page, own)
            return page.edit(409)
        return see(parts, tenant, f"/profile/changes/{reference}")

    def _start_another(self, page: RecordPage, own: OwnRecord) -> None:
        """The same text as a form of its own: what this form sent before stands, until this takes its place."""
        page.notice = gettext("You already sent this form with other content. To send what is here, send it again.")
        page.note_pending(self._pending(own))
        try:
            page.cv.start_another()
        except StoreError:
            page.cv = CvUpload(self._parts, self._tenant.slug, new_form_id(), error=cv_words.not_stored())


def _too_many(seconds: int) -> str:
    return str(
        ngettext(
            "Very many forms came from your network, so nothing was sent. Everything you typed is still here. Please "
            "send it again in %(num)s minute.",
            "Very many forms came from your network, so nothing was sent. Everything you typed is still here. Please "
            "send it again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )


def _choose_again() -> str:
    return str(gettext("Please choose this file again when you send the form."))
