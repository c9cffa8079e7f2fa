"""Addresses of self-service."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from portal.parts import Parts
from portal.profile import asking_limit, own, signing_in
from portal.profile.editing import Editing, pause
from portal.profile.guard import say_who_is_signed_in, session_of, signed_in
from portal.records.kind import CHANGE
from portal.signin.sessions import Session
from portal.tenants.model import Tenant
from portal.web.access import private, with_cv_field, with_file
from portal.web.refusals import told
from portal.web.tenant import for_tenant


def blueprint(parts: Parts) -> Blueprint:
    """Everything below /{slug}/profile."""
    pages = Blueprint("profile", __name__)
    say_who_is_signed_in(pages)
    signing_in.add_to(pages, parts)
    own.add_to(pages, parts)

    @pages.get("/<slug>/profile/edit")
    @private
    @with_cv_field
    @for_tenant(parts.tenants)
    @signed_in(parts)
    def edit(tenant: Tenant, session: Session) -> Response:
        return Editing(parts, tenant, session).open(again=request.args.get("again", ""))

    @pages.post("/<slug>/profile/edit")
    @private
    @with_cv_field
    @with_file
    @for_tenant(parts.tenants)
    def send(tenant: Tenant) -> ResponseReturnValue:
        # Counted before anything is looked at, the session too.
        seconds = asking_limit.posting(parts.throttle, "record", remote_address=request.remote_addr)
        if seconds is not None:
            return pause(parts, tenant, request, seconds)
        if session_of(parts, tenant, request) is None:
            return signing_in.ask_again(parts, tenant, request)
        return send_one(tenant)

    @signed_in(parts)
    def send_one(tenant: Tenant, session: Session) -> Response:
        return told(tenant, CHANGE.name, lambda: Editing(parts, tenant, session).post(request))

    return pages
