"""Addresses of self-service."""

from collections.abc import Callable

from flask import Blueprint, Response, request

from portal.profile import own, signing_in
from portal.profile.editing import Editing
from portal.profile.guard import signed_in
from portal.profile.kit import Kit
from portal.signin.sessions import Session
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream
from portal.web.access import private
from portal.web.services import Services
from portal.web.tenant import for_tenant


def blueprint(services: Services, upstream: Callable[[Tenant], Upstream]) -> Blueprint:
    """Everything below /{slug}/profile. upstream: the client of a tenant's service."""
    pages = Blueprint("profile", __name__)
    kit = Kit.of(services, upstream)
    signing_in.add_to(pages, kit)
    own.add_to(pages, kit)
    editing = Editing(kit)

    @pages.get("/<slug>/profile/edit")
    @private
    @for_tenant(services.tenants)
    @signed_in(kit)
    def edit(tenant: Tenant, session: Session) -> Response:
        return editing.open(tenant, session, again=request.args.get("again", ""))

    @pages.post("/<slug>/profile/edit")
    @private
    @for_tenant(services.tenants)
    @signed_in(kit)
    def send(tenant: Tenant, session: Session) -> Response:
        return editing.post(tenant, session, request)

    return pages
