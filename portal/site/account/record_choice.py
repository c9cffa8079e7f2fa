"""The page after sign-in: the profile, or the choice among several profiles with the address."""

import logging
from dataclasses import replace

from flask import Blueprint, Response, g, make_response, render_template, request

from portal.adapters.tracker_client.errors import TrackerError
from portal.delivery.record_changes import model
from portal.delivery.record_changes.model import CurrentRecord
from portal.people.index import index
from portal.people.signin import sessions
from portal.people.signin.sessions import Session
from portal.platform.crypto.sealing import Seal
from portal.site.account import draft
from portal.site.account.editing import Editing
from portal.site.account.guard import (
    AccountServices,
    expect_small_form,
    form_id_in,
    masked,
    own_page,
    redirect_to,
    sign_form,
)
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)


def add_routes(pages: Blueprint, services: AccountServices) -> None:
    """Add GET, POST /{slug}/profile/record."""

    @pages.get("/<slug>/profile/record")
    @own_page(services)
    def choose(tenant: Tenant, session: Session) -> Response:
        return _choose_page(services, tenant, session, 200)

    @pages.post("/<slug>/profile/record")
    @own_page(services)
    def chosen(tenant: Tenant, session: Session) -> Response:
        expect_small_form(request)
        ours = form_id_in(services, tenant, session, request.form.get("token", ""))
        theirs = index.with_address(services.database, services.seal, tenant.slug, session.email)
        for one in theirs:
            if ours and _choice(services.seal, session, one.key) == request.form.get("record"):
                return _with_record(services, tenant, session, one.key)
        return _choose_page(services, tenant, session, 422)


def first_page(services: AccountServices, tenant: Tenant, session: Session) -> Response:
    """Return the first page after sign-in, depending on earlier entries and on how many profiles have the address."""
    theirs = index.with_address(services.database, services.seal, tenant.slug, session.email)
    if len(theirs) == 1:
        return _with_record(services, tenant, session, theirs[0].key)
    if len(theirs) > 1 and draft.opened(services.seal, session, request.form.get("typed", "")):
        return _choose_page(services, tenant, session, 200)
    return redirect_to(services, tenant, "/profile/record" if theirs else "/profile/applications")


def _with_record(services: AccountServices, tenant: Tenant, session: Session, key: str) -> Response:
    """Choose the profile for this session; return the form with the earlier entries, or the applications."""
    sessions.choose(services.database, session, key, clock=services.clock)
    before = draft.opened(services.seal, session, request.form.get("typed", ""))
    if before is None:
        return redirect_to(services, tenant, "/profile/applications")
    g.signed_in_as = masked(session.email)
    return Editing(services, tenant, replace(session, candidate=key)).resume(before)


def _choice(seal: Seal, session: Session, key: str) -> str:
    """Return the value that stands for a profile on the choice page; it is meaningless in any other session."""
    return seal.hash("choice", session.holder, key)[:20]


def _choose_page(services: AccountServices, tenant: Tenant, session: Session, status: int) -> Response:
    several = index.with_address(services.database, services.seal, tenant.slug, session.email)
    read: dict[str, CurrentRecord | None] = {}
    try:
        with services.client_for_page(tenant) as service:
            for one in several:
                read[one.key] = model.fetch(service, one)
    except TrackerError as error:
        log.warning("records of %s: %s", tenant.slug, error)
    records = [(_choice(services.seal, session, one.key), read.get(one.key)) for one in several]
    token = sign_form(services, tenant, session)
    typed = draft.posted(services.seal, request)
    page = render_template(
        "account/choose.html",
        records=records,
        token=token,
        status=status,
        typed_before=typed,
    )
    return make_response(page, status)
