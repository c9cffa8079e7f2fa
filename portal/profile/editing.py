"""The record: see it, change it, compare before and after, prove a new address, send it. One address, three steps.

Each post carries the whole form, so that nothing of it is kept here between the steps. `base` is a fingerprint of the
record that the form was made from: where the service has another by now, both are shown and nothing is sent.
"""

from dataclasses import dataclass, field

from flask import Request, Response, make_response, render_template
from flask_babel import get_locale, gettext

from portal.applications import uploads
from portal.applications.accept import UploadGone
from portal.applications.model import StoredUpload
from portal.errors import StoreError, UploadReason, UploadRefused
from portal.profile.formtoken import new_form_id
from portal.profile.guard import refuse_elsewhere, see
from portal.profile.kit import Kit
from portal.profile.proving import Proving
from portal.profile.recordform import KIND, SAMPLE, VALUE, RecordForm
from portal.profile.theirs import Theirs, find_theirs
from portal.profile.words import happened, kind_named
from portal.records import change, history, receipt
from portal.records.change import NewChange, StillOnItsWay, Waiting
from portal.records.model import LISTS, ChangeState, Record, fingerprint, new_addresses
from portal.signin.sessions import Session
from portal.tenants.model import PUBLIC_ID, Tenant
from portal.web import body
from portal.web.body import Posted, PostedFile
from portal.web.fields import cv

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

    def stands_behind(self, waiting: Waiting | None) -> None:
        """Say what is on its way, if anything is."""
        self.waiting = waiting.reference if waiting and not waiting.gives_way else None
        self.replaces = waiting.reference if waiting and waiting.gives_way else ""


class Editing:
    """What GET and POST of /{slug}/profile/edit answer."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._proving = Proving(kit)

    def open(self, tenant: Tenant, session: Session, *, again: str = "") -> Response:
        """GET: the record as it is now. again: the reference of a change that was not sent, to go on from its text."""
        theirs = find_theirs(self._kit, tenant, session)
        if isinstance(theirs, Response):
            return theirs
        page = self._page(theirs, RecordForm.of(theirs.now.record))
        found = (
            receipt.find(
                self._kit.services.database,
                self._kit.seal,
                tenant=tenant.slug,
                candidate=theirs.who.key,
                reference=again,
            )
            if PUBLIC_ID.fullmatch(again)
            else None
        )
        if found is not None and found.state is not ChangeState.SENT and found.wanted is not None:
            page.form, page.current = RecordForm.of(found.wanted), theirs.now.record
            page.notice = _changed_meanwhile() if found.state is ChangeState.OVERTAKEN else ""
        return self._edit(tenant, session, page, 200)

    def post(self, tenant: Tenant, session: Session, request: Request) -> Response:
        """POST: the next step, or the same one with what is wrong."""
        kit = self._kit
        limit = kit.services.settings.max_cv_bytes
        with body.received(request, file_field="cv", max_file=limit, most_parts=_PARTS_MOST) as posted:
            refuse_elsewhere(kit, request)
            form = RecordForm.posted(posted.fields)
            token = kit.signer.read(
                posted.fields.get("token", ""),
                tenant=tenant.slug,
                session=session.holder,
                now=kit.services.clock.now(),
            )
            if token is None or posted.broken or posted.too_large:
                theirs = find_theirs(kit, tenant, session)
                return theirs if isinstance(theirs, Response) else self._start_again(tenant, session, theirs, form)
            page = Page(form, token.form_id, posted.fields.get("base", ""))
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
        theirs = find_theirs(self._kit, tenant, session)
        if isinstance(theirs, Response):
            if theirs.status_code != 503:
                return theirs
            page.notice = gettext("Your record cannot be reached just now, so nothing was sent. Try again in a minute.")
            return self._edit(tenant, session, page, 503)
        page.form.take_untouched(theirs.now.record)
        if acted:
            return self._edit(tenant, session, page, 200)
        return self._check(tenant, session, page, theirs, posted, request)

    def _check(
        self, tenant: Tenant, session: Session, page: Page, theirs: Theirs, posted: Posted, request: Request
    ) -> Response:
        before = theirs.now.record
        stands = fingerprint(self._kit.seal, before)
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
        return self._send(tenant, session, page, theirs, after, posted, request)

    def _send(
        self,
        tenant: Tenant,
        session: Session,
        page: Page,
        theirs: Theirs,
        after: Record,
        posted: Posted,
        request: Request,
    ) -> Response:
        kit = self._kit
        unproven = self._proving.next(
            tenant, session, new_addresses(theirs.now.record, after), posted.fields, request.remote_addr
        )
        if unproven is not None:
            return self._between(tenant, session, page, "profile/prove.html", unproven.status, unproven=unproven)
        try:
            reference = change.accept(
                kit.services.database,
                kit.seal,
                tenant=tenant,
                session=session,
                who=theirs.who,
                before=theirs.now,
                change=NewChange(page.form_id, after, page.handle, str(get_locale()), page.replaces),
                clock=kit.services.clock,
                scanned=kit.services.settings.scanner == "off",
            )
        except UploadGone:
            page.handle, page.upload, page.cv_error = None, None, cv.gone()
            return self._edit(tenant, session, page, 422)
        except StillOnItsWay as earlier:
            page.stands_behind(earlier.waiting)
            return self._edit(tenant, session, page, 409)
        return see(kit, tenant, f"/profile/changes/{reference}")

    def _page(self, theirs: Theirs, form: RecordForm) -> Page:
        kit = self._kit
        with kit.services.database.read() as connection:
            waiting = change.pending(connection, theirs.tenant, theirs.who.key)
        page = Page(form, new_form_id(), fingerprint(kit.seal, theirs.now.record)[0])
        page.stands_behind(waiting)
        return page

    def _start_again(self, tenant: Tenant, session: Session, theirs: Theirs, form: RecordForm) -> Response:
        form.take_untouched(theirs.now.record)
        page = self._page(theirs, form)
        page.notice = gettext("This did not arrive as it should, or the page was open for too long. Nothing was sent.")
        return self._edit(tenant, session, page, 422)

    def _take_cv(self, tenant: Tenant, session: Session, page: Page, posted: Posted) -> None:
        signed = posted.fields.get("upload", "")
        handle = self._kit.signer.read_upload(signed, tenant=tenant.slug, form_id=page.form_id)
        if handle:
            page.upload = uploads.find(
                self._kit.services.database, tenant=tenant.slug, form_id=page.form_id, handle=handle
            )
            page.handle = page.upload.handle if page.upload else None
            page.cv_error = "" if page.upload else cv.gone()
        if posted.file is not None:
            self._keep_cv(tenant, session, page, posted.file)

    def _keep_cv(self, tenant: Tenant, session: Session, page: Page, file: PostedFile) -> None:
        services = self._kit.services
        if self._kit.limit.storing(tenant=tenant.slug, address=session.address) is not None:
            page.cv_error = gettext("You have sent very many files. Please choose yours again in an hour.")
            return
        limit = services.settings.max_cv_bytes
        try:
            if file.size > limit:
                raise UploadRefused(UploadReason.TOO_LARGE)
            page.upload = uploads.keep(
                services.database,
                services.store,
                tenant=tenant.slug,
                form_id=page.form_id,
                file=file.content(),
                filename=file.name,
                max_bytes=limit,
                clock=services.clock,
            )
            page.handle, page.cv_error = page.upload.handle, ""
        except UploadRefused as refused:
            page.cv_error = cv.refused(refused.reason, size=cv.size_in_words(limit))
        except StoreError:
            page.cv_error = gettext("We could not store this file just now. Please choose it again in a minute.")

    def _edit(self, tenant: Tenant, session: Session, page: Page, status: int) -> Response:
        kit, limit = self._kit, self._kit.services.settings.max_cv_bytes
        problems = page.form.problems()
        events = history.lately(kit.services.database, tenant=tenant.slug, candidate=session.candidate or "")
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
        signer, upload_token = self._kit.signer, None
        if page.handle:
            upload_token = signer.sign_upload(tenant=tenant.slug, form_id=page.form_id, handle=page.handle)
        token = signer.sign(
            tenant=tenant.slug, session=session.holder, form_id=page.form_id, now=self._kit.services.clock.now()
        )
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


def _changed_meanwhile() -> str:
    return str(
        gettext(
            "Your record was changed by someone else meanwhile, so nothing was sent. What it says now stands beside "
            "what you typed: check it, and send it again if it is still right."
        )
    )
