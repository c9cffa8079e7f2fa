"""How a tenant's pages look, as a stylesheet of its own, because no page may carry styles inline."""

from functools import lru_cache
from hashlib import sha256

from flask import Blueprint, Response, request

from portal.front.coding import coded_once
from portal.front.kept import FOR_EVER, Kept
from portal.parts import Parts
from portal.tenants.model import Font, Site, Tenant
from portal.web import accent
from portal.web.access import public
from portal.web.page_cache import Ready, keepable
from portal.web.tenant import for_tenant

_FONTS = {
    Font.SYSTEM: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", '
    "Arial, sans-serif",
    Font.HUMANIST: 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, Candara, "Noto Sans", "DejaVu Sans", sans-serif',
    Font.GEOMETRIC: 'Avenir, "Avenir Next", "Century Gothic", Futura, Montserrat, "URW Gothic", Questrial, sans-serif',
    Font.ROUNDED: 'ui-rounded, "SF Pro Rounded", "Hiragino Maru Gothic ProN", Nunito, Quicksand, Comfortaa, '
    '"Arial Rounded MT Bold", Calibri, sans-serif',
    Font.SERIF: '"Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", "Noto Serif", Georgia, serif',
    Font.SLAB: 'Rockwell, "Rockwell Nova", "Roboto Slab", "Roboto Serif", "American Typewriter", "DejaVu Serif", '
    '"Sitka Small", Cambria, serif',
}
"""Each begins with what the larger systems have, and ends with what every one has. Nothing is loaded for them."""


def blueprint(parts: Parts) -> Blueprint:
    """GET /{slug}/theme.css"""
    pages = Blueprint("theme", __name__)

    @lru_cache(1_000)
    def kept(site: Site, slug: str) -> Kept:  # noqa: ARG001  headers are the tenant's
        response = Response(stylesheet(site), mimetype="text/css")
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return keepable(response, FOR_EVER, code=coded_once)

    @pages.get("/<slug>/theme.css")
    @public
    @for_tenant(parts.tenants)
    def theme(tenant: Tenant) -> Response:
        if request.args.get("v") == tag(tenant.site):
            return Ready(kept(tenant.site, tenant.slug))
        response = Response(stylesheet(tenant.site), mimetype="text/css")
        response.headers["Cache-Control"] = "public, no-cache"
        response.add_etag()
        response.make_conditional(request)
        return response

    return pages


@lru_cache(1_000)
def stylesheet(site: Site) -> str:
    """Custom properties: colours of both schemes, letters, corners, and what of the cover stays in sight."""
    return (
        f":root{{--font:{_FONTS[site.font]};--radius:{site.radius}px;--cover-focus:{site.cover_focus}}}"
        f"{accent.stylesheet(site.accent)}"
    )


@lru_cache(1_000)
def tag(site: Site) -> str:
    """Of the stylesheet: another look, or another release's idea of it, has another address and is kept for ever."""
    return sha256(stylesheet(site).encode()).hexdigest()[:12]
