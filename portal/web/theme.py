"""A tenant's colours as a stylesheet of its own, because no page may carry styles inline."""

from flask import Blueprint, Response, request

from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.web import accent
from portal.web.access import public
from portal.web.tenant import for_tenant


def blueprint(parts: Parts) -> Blueprint:
    """GET /{slug}/theme.css"""
    pages = Blueprint("theme", __name__)

    @pages.get("/<slug>/theme.css")
    @public
    @for_tenant(parts.tenants)
    def stylesheet(tenant: Tenant) -> Response:
        response = Response(accent.stylesheet(tenant.site.accent), mimetype="text/css")
        fixed = request.args.get("v") == tenant.site.accent.lstrip("#")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if fixed else "public, no-cache"
        response.add_etag()
        response.make_conditional(request)
        return response

    return pages
