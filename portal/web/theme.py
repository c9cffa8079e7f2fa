"""A tenant's colours as a stylesheet of its own, because no page may carry styles inline."""

from functools import lru_cache

from flask import Blueprint, Response, request

from portal.front.coding import coded_once
from portal.front.kept import FOR_EVER, Kept
from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.web import accent
from portal.web.access import public
from portal.web.page_cache import Ready, keepable
from portal.web.tenant import for_tenant


def blueprint(parts: Parts) -> Blueprint:
    """GET /{slug}/theme.css"""
    pages = Blueprint("theme", __name__)

    @lru_cache(1_000)
    def kept(colour: str, slug: str) -> Kept:  # noqa: ARG001  headers are the tenant's
        response = Response(accent.stylesheet(colour), mimetype="text/css")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return keepable(response, FOR_EVER, code=coded_once)

    @pages.get("/<slug>/theme.css")
    @public
    @for_tenant(parts.tenants)
    def stylesheet(tenant: Tenant) -> Response:
        colour = tenant.site.accent
        if request.args.get("v") == colour.lstrip("#"):
            return Ready(kept(colour, tenant.slug))
        response = Response(accent.stylesheet(colour), mimetype="text/css")
        response.headers["Cache-Control"] = "public, no-cache"
        response.add_etag()
        response.make_conditional(request)
        return response

    return pages
