"""The styles of a framed page in one piece: its site waits for what stands in the frame, and each request is a wait."""

import hashlib
from functools import lru_cache

from flask import Blueprint, Response, request

from portal.front.coding import coded_once
from portal.front.kept import FOR_EVER, Kept
from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.web import theme
from portal.web.access import public
from portal.web.assets import FOR_A_YEAR, Assets
from portal.web.page_cache import Ready, keepable
from portal.web.tenant import for_tenant

_SHEETS = ("css/site.css", "css/filters.css", "css/framed.css")


class FrameStyles:
    """The styles that every framed page has, then the tenant's colours."""

    def __init__(self, assets: Assets) -> None:
        *first, self._last = (assets.text(name) for name in _SHEETS)
        self._first = "\n".join(first)

    def address(self, tenant: Tenant) -> str:
        """Where a tenant's are, for ever the same content; on every host the same."""
        return f"/{tenant.slug}/embed/style.css?v={_tag(self._text(tenant))}"

    def blueprint(self, parts: Parts) -> Blueprint:
        """GET /{slug}/embed/style.css"""
        pages = Blueprint("frame_styles", __name__)

        @lru_cache(1_000)
        def kept(text: str, slug: str) -> Kept:  # noqa: ARG001  headers are the tenant's
            response = Response(text, mimetype="text/css")
            response.headers["Cache-Control"] = FOR_A_YEAR
            return keepable(response, FOR_EVER, code=coded_once)

        @pages.get("/<slug>/embed/style.css")
        @public
        @for_tenant(parts.tenants)
        def stylesheet(tenant: Tenant) -> Response:
            text = self._text(tenant)
            if request.args.get("v") == _tag(text):
                return Ready(kept(text, tenant.slug))
            return Response(text, mimetype="text/css")

        return pages

    def _text(self, tenant: Tenant) -> str:
        return f"{self._first}\n{theme.stylesheet(tenant.site)}\n{self._last}"


@lru_cache(1_000)
def _tag(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
