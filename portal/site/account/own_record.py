"""The signed-in candidate's record: read from the service now, or the page that says why there is none; as a form; and
the pages before the form is sent: compare before and after, prove a new address.
"""

import logging
from dataclasses import dataclass

from flask import Response, make_response, render_template
from flask_babel import gettext

from portal.adapters.tracker_client.errors import TrackerError
from portal.delivery.record_changes.change import PendingChange
from portal.delivery.record_changes.model import LISTS, CurrentRecord, Record, fetch, new_addresses
from portal.people.index import history, index
from portal.people.index.index import IndexedCandidate
from portal.people.signin.sessions import Session
from portal.platform.crypto.sealing import Seal, folded
from portal.platform.database.db import Database
from portal.site.account import draft
from portal.site.account.address_proof import PendingProof
from portal.site.account.guard import AccountServices, redirect_to, sign_form
from portal.site.account.record_form import RecordForm, event_in_words, kind_in_words
from portal.site.forms.cv_upload import CvUpload
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

_RETRY_AFTER = 60


@dataclass(frozen=True, slots=True)
class OwnRecord:
    """Whose record it is, and its current content."""

    who: IndexedCandidate
    now: CurrentRecord


def read_own_record(services: AccountServices, tenant: Tenant, session: Session) -> OwnRecord | Response:
    """Return the record if the index and the service have the session's address in it; else the page that says
    why not.
    """
    who = _indexed(services, tenant, session)
    if isinstance(who, Response):
        return who
    try:
        with services.client_for_page(tenant) as service:
            found = fetch(service, who)
    except TrackerError as error:
        log.warning("record of %s: %s", tenant.slug, error)
        response = make_response(render_template("account/unavailable.html"), 503)
        response.headers["Retry-After"] = str(_RETRY_AFTER)
        return response
    proven = folded(session.email)
    if found is None or all(folded(entry.value) != proven for entry in found.record.emails):
        return _gone()
    return OwnRecord(who, found)


def address_gone_page(services: AccountServices, tenant: Tenant, session: Session) -> Response | None:
    """Return the page for a session whose address its record no longer has, else None.

    While the service is unavailable, the index alone decides.
    """
    if session.candidate is None:
        return None
    own = read_own_record(services, tenant, session)
    return own if isinstance(own, Response) and own.status_code != 503 else None


def keys_of(db: Database, seal: Seal, session: Session) -> tuple[str, ...]:
    """Return the keys of the session's record in the portal, one for each secret key; () without a record."""
    if session.candidate is None:
        return ()
    who = index.one(db, seal, session.tenant, session.email, session.candidate)
    return who.keys if who else (session.candidate,)


def _indexed(services: AccountServices, tenant: Tenant, session: Session) -> IndexedCandidate | Response:
    if session.candidate is not None:
        who = index.one(services.database, services.seal, tenant.slug, session.email, session.candidate)
        return who or _gone()
    several = index.with_address(services.database, services.seal, tenant.slug, session.email)
    return redirect_to(services, tenant, "/profile/record") if several else _gone()


def _gone() -> Response:
    return make_response(render_template("account/gone.html"), 404)


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

    def note_pending(self, waiting: PendingChange | None) -> None:
        """Set the notice about a change that is still being delivered or will be replaced, if there is one."""
        self.waiting = waiting.reference if waiting and not waiting.replaceable else None
        self.replaces = waiting.reference if waiting and waiting.replaceable else ""

    def show_beside(self, current: Record) -> None:
        """Show the current record beside the form, because it was changed elsewhere."""
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
        described = [(event, event_in_words(event.what)) for event in events]
        return self._answer("account/edit.html", status, problems=self.form.problems(), events=described)

    def review(self, before: Record, after: Record) -> Response:
        """Return the page that compares both before anything is sent."""
        added = new_addresses(before, after)
        return self._answer("account/review.html", 200, before=before, after=after, added=added)

    def prove(self, pending_proof: PendingProof) -> Response:
        """Return the page that asks for the code sent to a new address."""
        return self._answer("account/prove.html", pending_proof.status, pending_proof=pending_proof)

    def _answer(self, template: str, status: int, **more: object) -> Response:
        """Return a page of this form with everything that the next step needs."""
        token = self.token or sign_form(self.services, self.tenant, self.session, self.cv.form_id)
        if self.session is not None:
            self.whose = draft.owner_field(self.services.seal, self.session, self.cv.form_id)
        page = render_template(template, page=self, token=token, lists=LISTS, kind_named=kind_in_words, **more)
        return make_response(page, status)
