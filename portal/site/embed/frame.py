"""The loader script that a website includes, and the page shown where a frame is refused.

What a frame shows are the pages of the other features.
"""

from pathlib import Path

from flask import Blueprint, Response, current_app, make_response, render_template, request

from portal.gateway.compression import coded_once
from portal.gateway.response_cache import FOR_EVER, Kept
from portal.services import Services
from portal.site.embed import loader as script
from portal.site.page_cache import CachedPage, keepable
from portal.site.routing.access import framable_anywhere, public
from portal.site.routing.framing import origin_of
from portal.tenants.addresses import addresses

_FOR_AN_HOUR = "public, max-age=3600, stale-while-revalidate=86400"
"""Its address is in other sites' pages for years, so it cannot change with its content."""


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of GET /embed.js, /{slug}/embed/refused, which replaces a frame (routing/framing.py)."""
    pages = Blueprint("frame", __name__)
    loaders: dict[str, Kept] = {}

    @pages.get(script.PATH)
    @public
    def loader() -> Response:
        tag = script.language_of(request.args.get("lang"))
        if tag not in loaders:
            loaders[tag] = _loader(tag)
        return CachedPage(loaders[tag])

    @pages.get("/<slug>/embed/refused")
    @public
    @framable_anywhere
    def refused(slug: str) -> Response:
        tenant = services.tenants.get(slug)
        site = addresses(tenant, base_url=services.settings.base_url).outside() if tenant else None
        page = render_template(
            "embed/refused.html",
            slug=slug,
            company=tenant.name if tenant else None,
            jobs=site.jobs() if site else None,
            asking=origin_of(request.headers.get("Referer", "")),
        )
        response = make_response(page, 403 if tenant else 404)
        response.headers["Cache-Control"] = "no-store"
        return response

    return pages


def _loader(tag: str) -> Kept:
    source = (Path(current_app.static_folder or "") / "js" / "embed.js").read_text(encoding="utf-8")
    response = Response(script.in_language(source, tag), mimetype="text/javascript")
    response.headers["Cache-Control"] = _FOR_AN_HOUR
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return keepable(response, FOR_EVER, code=coded_once)
