"""The routes of self-service."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from portal.delivery.record_changes.kind import CHANGE
from portal.people.signin.sessions import Session
from portal.services import Services
from portal.site.account import applications, own_data, signing_in, undo_change
from portal.site.account.editing import Editing, pause
from portal.site.account.guard import say_who_is_signed_in, session_of, signed_in
from portal.site.forms import rate_limits
from portal.site.forms.refusals import told
from portal.site.routing.access import private, with_cv_field, with_file
from portal.site.routing.tenant import for_tenant
from portal.tenants.model import Tenant


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of everything below /{slug}/profile."""
    pages = Blueprint("profile", __name__)
    say_who_is_signed_in(pages)
    signing_in.add_to(pages, services)
    applications.add_to(pages, services)
    own_data.add_to(pages, services)
    undo_change.add_to(pages, services)

    @pages.get("/<slug>/profile/edit")
    @private
    @with_cv_field
    @for_tenant(services.tenants)
    @signed_in(services)
    def edit(tenant: Tenant, session: Session) -> Response:
        return Editing(services, tenant, session).open(again=request.args.get("again", ""))

    @pages.post("/<slug>/profile/edit")
    @private
    @with_cv_field
    @with_file
    @for_tenant(services.tenants)
    def send(tenant: Tenant) -> ResponseReturnValue:
        # Count the post before anything is read, including the session.
        seconds = rate_limits.posting(services.throttle, "record", remote_address=request.remote_addr)
        if seconds is not None:
            return pause(services, tenant, request, seconds)
        if session_of(services, tenant, request) is None:
            return signing_in.ask_again(services, tenant, request)
        return send_one(tenant)

    @signed_in(services)
    def send_one(tenant: Tenant, session: Session) -> Response:
        return told(tenant, CHANGE.name, lambda: Editing(services, tenant, session).post(request))

    return pages
