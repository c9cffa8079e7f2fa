"""The profile form as a page, and the pages before it is sent: compare before and after, prove a new address."""

from dataclasses import dataclass

from flask import Response, make_response, render_template
from flask_babel import gettext

from portal.delivery.record_changes.change import Waiting
from portal.delivery.record_changes.model import LISTS, Record, new_addresses
from portal.people.index import history
from portal.people.signin.sessions import Session
from portal.site.account import draft
from portal.site.account.address_proof import PendingProof
from portal.site.account.guard import AccountServices, sign_form
from portal.site.account.own_record import keys_of
from portal.site.account.record_form import RecordForm, happened, kind_named
from portal.site.forms.cv_upload import CvUpload
from portal.tenants.model import Tenant


@dataclass(slots=True, repr=False)
class RecordPage:
    """One form of one candidate. base: the fingerprint of the record that it was made from."""

    services: AccountServices
    tenant: Tenant
    session: Session | None
    form: RecordForm
    cv: CvUpload
    base: str
    notice: str = ""
    focus: str = ""
    current: Record | None = None
    """The current record, shown beside the form if it changed in the meantime."""
    waiting: str | None = None
    """The reference of a change that is still being delivered; until it is settled no other can be sent."""
    replaces: str = ""
    """The reference of a change that was not sent yet, which the page says is replaced by this one."""
    token: str = ""
    """A form token to return as it came, where neither it nor a session was checked."""
    whose: str = ""
    """The form's owner, sealed, so that what is typed survives the end of the session (draft.py)."""

    def note_pending(self, waiting: Waiting | None) -> None:
        """Say which change is still being delivered or will be replaced, if there is one."""
        self.waiting = waiting.reference if waiting and not waiting.gives_way else None
        self.replaces = waiting.reference if waiting and waiting.gives_way else ""

    def show_beside(self, current: Record) -> None:
        """Show the current record beside the form, because somebody else changed it."""
        self.current = current
        self.notice = gettext(
            "Someone else has changed your profile in the meantime, so nothing was sent. The current version is shown "
            "next to what you entered. Check it, and send your changes again if they are still right."
        )

    def edit(self, status: int) -> Response:
        """Return the page with the form."""
        self.form.cv.errors = [self.cv.error] if self.cv.error else []
        db, seal = self.services.database, self.services.seal
        keys = keys_of(db, seal, self.session) if self.session else ()
        events = history.lately(db, tenant=self.tenant.slug, keys=keys) if keys else []
        told = [(event, happened(event.what)) for event in events]
        return self._answer("account/edit.html", status, problems=self.form.problems(), events=told)

    def review(self, before: Record, after: Record) -> Response:
        """Return the page that compares both before anything is sent."""
        added = new_addresses(before, after)
        return self._answer("account/review.html", 200, before=before, after=after, added=added)

    def prove(self, unproven: PendingProof) -> Response:
        """Return the page that asks for the code sent to a new address."""
        return self._answer("account/prove.html", unproven.status, unproven=unproven)

    def _answer(self, template: str, status: int, **more: object) -> Response:
        """Return a page of this form with everything that the next step needs."""
        token = self.token or sign_form(self.services, self.tenant, self.session, self.cv.form_id)
        if self.session is not None:
            self.whose = draft.whose(self.services.seal, self.session, self.cv.form_id)
        page = render_template(template, page=self, token=token, lists=LISTS, kind_named=kind_named, **more)
        return make_response(page, status)
