"""How a tenant's pages look: one stylesheet of everything, because each file more is a wait before the first words.

A file and not the page itself, because no page may carry styles inline. In a frame the same with framed.css behind it.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256

from flask import Blueprint, Response, request

from portal.front.coding import coded_once
from portal.front.kept import FOR_EVER, Kept
from portal.parts import Parts
from portal.tenants.model import Site, Tenant
from portal.web import accent, fonts
from portal.web.access import public
from portal.web.assets import FOR_A_YEAR, Assets
from portal.web.page_cache import Ready, keepable
from portal.web.tenant import for_tenant

_SHEETS = ("css/site.css", "css/filters.css", "css/job.css")
_KEPT = 300
"""Stylesheets in memory; each is about 25 KB."""


class Theme:
    """The stylesheets of every tenant, made from static/ and what its file says."""

    def __init__(self, assets: Assets) -> None:
        self._ours = "\n".join(assets.text(name) for name in _SHEETS)
        self._in_a_frame = assets.text("css/framed.css")
        self._on_paper = f"@media print{{{assets.text('css/print.css')}}}"
        self._address = assets.address
        self.stylesheet = lru_cache(_KEPT)(self._stylesheet)
        self.framed = lru_cache(_KEPT)(self._framed)

    def tag(self, site: Site) -> str:
        """Of the stylesheet: another look, or another release's idea of it, has another address."""
        return _tag(self.stylesheet(site))

    def in_a_frame(self, tenant: Tenant) -> str:
        """Where the styles of its framed pages are; on every host the same."""
        return f"/{tenant.slug}/embed/style.css?v={_tag(self.framed(tenant.site))}"

    def early_letters(self, site: Site, language: str) -> list[str]:
        """Addresses of fonts that are worth asking for before the styles say so."""
        return [self._address(name) for name in fonts.early(site.font, language)]

    def blueprint(self, parts: Parts) -> Blueprint:
        """GET /{slug}/theme.css, /{slug}/embed/style.css"""
        pages = Blueprint("theme", __name__)

        @pages.get("/<slug>/theme.css")
        @public
        @for_tenant(parts.tenants)
        def theme(tenant: Tenant) -> Response:
            return _answer(tenant, self.stylesheet)

        @pages.get("/<slug>/embed/style.css")
        @public
        @for_tenant(parts.tenants)
        def framed(tenant: Tenant) -> Response:
            return _answer(tenant, self.framed)

        return pages

    def _stylesheet(self, site: Site) -> str:
        return f"{self._ours}\n{looks(site, self._address)}\n{self._on_paper}"

    def _framed(self, site: Site) -> str:
        return f"{self._ours}\n{looks(site, self._address)}\n{self._in_a_frame}\n{self._on_paper}"


def looks(site: Site, address: fonts.Address) -> str:
    """Custom properties: colours of both schemes, letters, corners, and what of the cover stays in sight."""
    return (
        f"{fonts.faces(site.font, address)}"
        f":root{{--font:{fonts.stack(site.font)};--radius:{site.radius}px;--cover-focus:{site.cover_focus}}}"
        f"{accent.stylesheet(site.accent)}"
    )


def _answer(tenant: Tenant, made: Callable[[Site], str]) -> Response:
    text = made(tenant.site)
    if request.args.get("v") == _tag(text):
        return Ready(_kept(text, tenant.slug))
    response = Response(text, mimetype="text/css")
    response.headers["Cache-Control"] = "public, no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


@lru_cache(_KEPT)
def _kept(text: str, slug: str) -> Kept:  # noqa: ARG001  headers are the tenant's
    response = Response(text, mimetype="text/css")
    response.headers["Cache-Control"] = FOR_A_YEAR
    return keepable(response, FOR_EVER, code=coded_once)


@lru_cache(_KEPT)
def _tag(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
