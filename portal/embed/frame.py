"""What a web master's one line fetches, and what it is told where it cannot work. The frame shows pages of others."""

from pathlib import Path

from flask import Blueprint, Response, current_app, make_response, render_template, request

from portal.embed.loader import in_language
from portal.front.coding import coded_once
from portal.front.kept import FOR_EVER, Kept
from portal.parts import Parts
from portal.tenants.addresses import addresses
from portal.web.access import framable_anywhere, public
from portal.web.browser_language import LOADER, language_of
from portal.web.framing import origin_of
from portal.web.page_cache import Ready, keepable

_FOR_AN_HOUR = "public, max-age=3600, stale-while-revalidate=86400"
"""Its address is in other sites' pages for years, so it cannot change with its content."""


def blueprint(parts: Parts) -> Blueprint:
    """GET /embed.js; GET /{slug}/embed/refused, which takes the place of a frame (portal/web/framing.py)."""
    pages = Blueprint("frame", __name__)
    loaders: dict[str, Kept] = {}

    @pages.get(LOADER)
    @public
    def loader() -> Response:
        tag = language_of(request.environ)
        if tag not in loaders:
            loaders[tag] = _loader(tag)
        return Ready(loaders[tag])

    @pages.get("/<slug>/embed/refused")
    @public
    @framable_anywhere
    def refused(slug: str) -> Response:
        tenant = parts.tenants.get(slug)
        site = addresses(tenant, base_url=parts.settings.base_url).outside() if tenant else None
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
    response = Response(in_language(source, tag), mimetype="text/javascript")
    response.vary.add("Accept-Language")
    response.headers["Cache-Control"] = _FOR_AN_HOUR
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return keepable(response, FOR_EVER, code=coded_once)
