"""The record's form as a page, and the pages between it and sending: compare before and after, prove a new address."""

from dataclasses import dataclass

from flask import Response, make_response, render_template
from flask_babel import gettext

from portal.candidates import history
from portal.parts import Parts
from portal.profile import typed_before
from portal.profile.guard import sign_form
from portal.profile.own_record import keys_of
from portal.profile.proving import Unproven
from portal.profile.recordform import RecordForm
from portal.profile.words import happened, kind_named
from portal.records.change import Waiting
from portal.records.model import LISTS, Record, new_addresses
from portal.signin.sessions import Session
from portal.tenants.model import Tenant
from portal.web.cv_upload import CvUpload


@dataclass(slots=True, repr=False)
class RecordPage:
    """One form of one person. base: the record's fingerprint that it was made from."""

    parts: Parts
    tenant: Tenant
    session: Session | None
    form: RecordForm
    cv: CvUpload
    base: str
    notice: str = ""
    focus: str = ""
    current: Record | None = None
    """Shown beside the form where the record changed meanwhile."""
    waiting: str | None = None
    """The reference of a change that is still on its way, so that no other can be sent."""
    replaces: str = ""
    """The reference of a change that was not sent yet, as its owner was told: this one takes its place."""
    token: str = ""
    """One that goes back as it came, where neither it nor a session was looked at."""
    whose: str = ""
    """Whose form it is, sealed: what is typed into it outlives its session."""

    def note_pending(self, waiting: Waiting | None) -> None:
        """Say what is on its way, if anything is."""
        self.waiting = waiting.reference if waiting and not waiting.gives_way else None
        self.replaces = waiting.reference if waiting and waiting.gives_way else ""

    def show_beside(self, current: Record) -> None:
        """Show what the record says now, because somebody else changed it."""
        self.current = current
        self.notice = gettext(
            "Your record was changed by someone else meanwhile, so nothing was sent. What it says now stands beside "
            "what you typed: check it, and send it again if it is still right."
        )

    def edit(self, status: int) -> Response:
        """The form."""
        self.form.cv.errors = [self.cv.error] if self.cv.error else []
        keys = keys_of(self.parts, self.session) if self.session else ()
        events = history.lately(self.parts.database, tenant=self.tenant.slug, keys=keys) if keys else []
        told = [(event, happened(event.what)) for event in events]
        return self._answer("profile/edit.html", status, problems=self.form.problems(), events=told)

    def review(self, before: Record, after: Record) -> Response:
        """Both, before anything is sent."""
        added = new_addresses(before, after)
        return self._answer("profile/review.html", 200, before=before, after=after, added=added)

    def prove(self, unproven: Unproven) -> Response:
        """Ask for the code that went to a new address."""
        return self._answer("profile/prove.html", unproven.status, unproven=unproven)

    def _answer(self, template: str, status: int, **more: object) -> Response:
        """A page of this form, with everything it needs to go on."""
        token = self.token or sign_form(self.parts, self.tenant, self.session, self.cv.form_id)
        if self.session is not None:
            self.whose = typed_before.whose(self.parts.seal, self.session, self.cv.form_id)
        page = render_template(template, page=self, token=token, lists=LISTS, kind_named=kind_named, **more)
        return make_response(page, status)
