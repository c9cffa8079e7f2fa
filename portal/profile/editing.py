"""The record: see it, change it, compare before and after, prove a new address, send it. One address, three steps.

Each post carries the whole form, so that nothing of it is kept here between the steps. `base` is a fingerprint of the
record that the form was made from: where the service has another by now, both are shown and nothing is sent.
"""

from dataclasses import dataclass, field

from flask import Request, Response, make_response, render_template
from flask_babel import gettext

from portal.candidates import history
from portal.deliveries import receipt
from portal.deliveries.accept import DifferentContent
from portal.deliveries.receipt import ReceiptState
from portal.errors import StoreError, UploadReason, UploadRefused
from portal.parts import Parts
from portal.profile import asking_limit
from portal.profile.guard import form_id_in, refuse_elsewhere, see, sign_form
from portal.profile.own_record import OwnRecord, keys_of, read_own_record
from portal.profile.proving import Proving
from portal.profile.recordform import KIND, SAMPLE, VALUE, RecordForm
from portal.profile.words import happened, kind_named
from portal.records import change
from portal.records.change import Change, NewChange, SessionOver, StillOnItsWay, Waiting
from portal.records.kind import CHANGE
from portal.records.model import LISTS, Record, fingerprint, new_addresses, record_of
from portal.signin.sessions import Session
from portal.signing import new_form_id
from portal.tenants.model import PUBLIC_ID, Tenant
from portal.uploads import storing
from portal.uploads.claims import UploadGone
from portal.uploads.storing import StoredUpload
from portal.web import body
from portal.web.body import Posted, PostedFile
from portal.web.fields import cv
from portal.web.locale import language

_PARTS_MOST = 700
"""Fields that a record of many entries has; beyond that it is no record."""


@dataclass(slots=True)
class Page:
    """One form of one person. base: the record's fingerprint that it was made from."""

    form: RecordForm
    form_id: str
    base: str
    handle: str | None = None
    upload: StoredUpload | None = None
    cv_error: str = ""
    notice: str = ""
    focus: str = ""
    current: Record | None = field(default=None, repr=False)
    """Shown beside the form where the record changed meanwhile."""
    waiting: str | None = None
    """The reference of a change that is still on its way, so that no other can be sent."""
    replaces: str = ""
    """The reference of a change that was not sent yet, as its owner was told: this one takes its place."""

    def note_pending(self, waiting: Waiting | None) -> None:
        """Say what is on its way, if anything is."""
        self.waiting = waiting.reference if waiting and not waiting.gives_way else None
        self.replaces = waiting.reference if waiting and waiting.gives_way else ""


class Editing:
    """What GET and POST of /{slug}/profile/edit answer."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._proving = Proving(parts)

    def open(self, tenant: Tenant, session: Session, *, again: str = "") -> Response:
        """GET: the record as it is now. again: the reference of a change that was not sent, to go on from its text."""
        own = read_own_record(self._parts, tenant, session)
        if isinstance(own, Response):
            return own
        page = self._page(tenant, own, RecordForm.of(own.now.record))
        if PUBLIC_ID.fullmatch(again):
            self._go_on_from(tenant, own, page, again)
        return self._edit(tenant, session, page, 200)

    def _go_on_from(self, tenant: Tenant, own: OwnRecord, page: Page, again: str) -> None:
        database = self._parts.database
        wanted = change.wanted_of(database, self._parts.seal, tenant=tenant.slug, keys=own.who.keys, reference=again)
        found = receipt.find(database, tenant=tenant.slug, kind=CHANGE.name, reference=again)
        if wanted is None or found is None or found.state is ReceiptState.SENT:
            return
        page.form, page.current = RecordForm.of(record_of(wanted.payload.update)), own.now.record
        page.notice = _changed_meanwhile() if found.state is ReceiptState.OVERTAKEN else ""

    def post(self, tenant: Tenant, session: Session, request: Request) -> Response:
        """POST: the next step, or the same one with what is wrong."""
        parts = self._parts
        limit = parts.settings.max_cv_bytes
        with body.received(request, file_field="cv", max_file=limit, most_parts=_PARTS_MOST) as posted:
            refuse_elsewhere(parts, request)
            form = RecordForm.posted(posted.fields)
            form_id = form_id_in(parts, tenant, session, posted.fields.get("token", ""))
            if form_id is None or posted.broken or posted.too_large:
                own = read_own_record(parts, tenant, session)
                return own if isinstance(own, Response) else self._start_again(tenant, session, own, form)
            page = Page(form, form_id, posted.fields.get("base", ""))
            page.replaces = posted.fields.get("replaces", "")
            self._take_cv(tenant, session, page, posted)
            return self._step(tenant, session, page, posted, request)

    def _step(self, tenant: Tenant, session: Session, page: Page, posted: Posted, request: Request) -> Response:
        wanted = posted.fields.get("do", "")
        focus = page.form.act(wanted)
        acted = focus is not None or wanted == "edit"
        page.focus = focus or ""
        if acted and not page.form.untouched:
            return self._edit(tenant, session, page, 200)
        own = read_own_record(self._parts, tenant, session)
        if isinstance(own, Response):
            if own.status_code != 503:
                return own
            page.notice = gettext("Your record cannot be reached just now, so nothing was sent. Try again in a minute.")
            return self._edit(tenant, session, page, 503)
        page.form.take_untouched(own.now.record)
        if acted:
            return self._edit(tenant, session, page, 200)
        return self._check(tenant, session, page, own, posted, request)

    def _check(
        self, tenant: Tenant, session: Session, page: Page, own: OwnRecord, posted: Posted, request: Request
    ) -> Response:
        before = own.now.record
        stands = fingerprint(self._parts.seal, before)
        if page.base not in stands:
            page.base, page.current, page.notice = stands[0], before, _changed_meanwhile()
            return self._edit(tenant, session, page, 409)
        after = page.form.record(before, tenant)
        if after is None or page.cv_error:
            return self._edit(tenant, session, page, 422)
        if after == before and page.handle is None and not page.replaces:
            page.notice = gettext("Nothing is different from your record, so there is nothing to send.")
            return self._edit(tenant, session, page, 200)
        if posted.fields.get("step") not in {"send", "prove"}:
            return self._review(tenant, session, page, before, after)
        return self._send(tenant, session, page, own, after, posted, request)

    def _send(
        self,
        tenant: Tenant,
        session: Session,
        page: Page,
        own: OwnRecord,
        after: Record,
        posted: Posted,
        request: Request,
    ) -> Response:
        parts, added = self._parts, new_addresses(own.now.record, after)
        new = NewChange(page.form_id, after, page.handle, language(tenant), page.replaces)
        try:
            unproven = self._proving.next(tenant, session, added, posted.fields, request.remote_addr)
            if unproven is not None:
                return self._between(tenant, session, page, "profile/prove.html", unproven.status, unproven=unproven)
            reference = change.accept(
                parts.database,
                parts.seal,
                Change(tenant, session, own.who, own.now, new),
                clock=parts.clock,
                scanned=not parts.scans,
            )
        except SessionOver:
            return see(parts, tenant, "/profile")
        except UploadGone:
            page.handle, page.upload, page.cv_error = None, None, cv.gone()
            return self._edit(tenant, session, page, 422)
        except StillOnItsWay as earlier:
            page.note_pending(earlier.waiting)
            return self._edit(tenant, session, page, 409)
        except DifferentContent:
            self._start_another(tenant, own, page)
            return self._edit(tenant, session, page, 409)
        return see(parts, tenant, f"/profile/changes/{reference}")

    def _start_another(self, tenant: Tenant, own: OwnRecord, page: Page) -> None:
        """The same text as a form of its own: what this form sent before stands, until this takes its place."""
        page.notice = gettext("You already sent this form with other content. To send what is here, send it again.")
        page.note_pending(self._pending(tenant, own))
        another = new_form_id()
        if page.handle:
            self._carry_cv(tenant, page, another)
        page.form_id = another

    def _carry_cv(self, tenant: Tenant, page: Page, another: str) -> None:
        parts = self._parts
        try:
            page.handle = storing.carry_over(
                parts.database,
                parts.store,
                parts.seal,
                tenant=tenant.slug,
                handle=page.handle or "",
                form_id=page.form_id,
                to_form=another,
                clock=parts.clock,
            )
            page.cv_error = "" if page.handle else cv.gone()
        except StoreError:
            page.handle, page.cv_error = None, _not_stored()
        if page.handle is None:
            page.upload = None

    def _pending(self, tenant: Tenant, own: OwnRecord) -> Waiting | None:
        with self._parts.database.read() as connection:
            return change.pending(connection, tenant.slug, own.who.keys)

    def _page(self, tenant: Tenant, own: OwnRecord, form: RecordForm) -> Page:
        parts = self._parts
        page = Page(form, new_form_id(), fingerprint(parts.seal, own.now.record)[0])
        page.note_pending(self._pending(tenant, own))
        return page

    def _start_again(self, tenant: Tenant, session: Session, own: OwnRecord, form: RecordForm) -> Response:
        form.take_untouched(own.now.record)
        page = self._page(tenant, own, form)
        page.notice = gettext("This did not arrive as it should, or the page was open for too long. Nothing was sent.")
        return self._edit(tenant, session, page, 422)

    def _take_cv(self, tenant: Tenant, session: Session, page: Page, posted: Posted) -> None:
        signed = posted.fields.get("upload", "")
        handle = self._parts.signer.read_upload(signed, tenant=tenant.slug, form_id=page.form_id)
        if handle:
            page.upload = storing.find(
                self._parts.database, self._parts.seal, tenant=tenant.slug, form_id=page.form_id, handle=handle
            )
            page.handle = page.upload.handle if page.upload else None
            page.cv_error = "" if page.upload else cv.gone()
        if posted.file is not None:
            self._store_cv(tenant, session, page, posted.file)

    def _store_cv(self, tenant: Tenant, session: Session, page: Page, file: PostedFile) -> None:
        parts = self._parts
        if asking_limit.storing(self._parts.throttle, tenant=tenant.slug, address=session.address) is not None:
            page.cv_error = gettext("You have sent very many files. Please choose yours again in an hour.")
            return
        limit = parts.settings.max_cv_bytes
        try:
            if file.size > limit:
                raise UploadRefused(UploadReason.TOO_LARGE)
            page.upload = storing.store_file(
                parts.database,
                parts.store,
                parts.seal,
                tenant=tenant.slug,
                form_id=page.form_id,
                file=file.content(),
                filename=file.name,
                max_bytes=limit,
                clock=parts.clock,
            )
            page.handle, page.cv_error = page.upload.handle, ""
        except UploadRefused as refused:
            page.cv_error = cv.refused(refused.reason, size=cv.size_in_words(limit))
        except StoreError:
            page.cv_error = _not_stored()

    def _edit(self, tenant: Tenant, session: Session, page: Page, status: int) -> Response:
        parts, limit = self._parts, self._parts.settings.max_cv_bytes
        problems = page.form.problems()
        events = history.lately(parts.database, tenant=tenant.slug, keys=keys_of(parts, session))
        return self._between(
            tenant,
            session,
            page,
            "profile/edit.html",
            status,
            problems=[*problems, *([("cv", page.cv_error)] if page.cv_error else [])],
            accept=cv.ACCEPTED_FILES,
            max_bytes=limit,
            max_size=cv.size_in_words(limit),
            value_of=VALUE,
            kind_of=KIND,
            samples=SAMPLE,
            events=[(event, happened(event.what)) for event in events],
        )

    def _review(self, tenant: Tenant, session: Session, page: Page, before: Record, after: Record) -> Response:
        added = new_addresses(before, after)
        return self._between(tenant, session, page, "profile/review.html", 200, before=before, after=after, added=added)

    def _between(
        self, tenant: Tenant, session: Session, page: Page, template: str, status: int, **more: object
    ) -> Response:
        """A page of this form, with everything it needs to go on."""
        signer, upload_token = self._parts.signer, None
        if page.handle:
            upload_token = signer.sign_upload(tenant=tenant.slug, form_id=page.form_id, handle=page.handle)
        token = sign_form(self._parts, tenant, session, page.form_id)
        rendered = render_template(
            template,
            page=page,
            form=page.form,
            token=token,
            upload_token=upload_token,
            lists=LISTS,
            kind_named=kind_named,
            **more,
        )
        return make_response(rendered, status)


def _not_stored() -> str:
    return str(gettext("We could not store this file just now. Please choose it again in a minute."))


def _changed_meanwhile() -> str:
    return str(
        gettext(
            "Your record was changed by someone else meanwhile, so nothing was sent. What it says now stands beside "
            "what you typed: check it, and send it again if it is still right."
        )
    )
