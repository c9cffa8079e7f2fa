"""The styles of a tenant's pages: one stylesheet with everything, because each further file delays the first text.

It is a file because pages may not carry inline styles. In a frame it is the same stylesheet, followed by framed.css.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256

from flask import Blueprint, Response, request

from portal.gateway.compression import coded_once
from portal.gateway.response_cache import FOR_EVER, Kept
from portal.services import Services
from portal.site.design import accent, fonts
from portal.site.design.assets import FOR_A_YEAR, Assets
from portal.site.page_cache import CachedPage, keepable
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.model import Site, Tenant

_SHEETS = ("css/site.css", "css/filters.css", "css/job.css")
_KEPT = 300
"""Stylesheets in memory; each is about 25 KB."""


class Theme:
    """The stylesheets of every tenant, made from static/ and the tenant's file."""

    def __init__(self, assets: Assets) -> None:
        self._ours = "\n".join(assets.text(name) for name in _SHEETS)
        self._in_a_frame = assets.text("css/framed.css")
        self._on_paper = f"@media print{{{assets.text('css/print.css')}}}"
        self._address = assets.address
        self.stylesheet = lru_cache(_KEPT)(self._stylesheet)
        self.framed = lru_cache(_KEPT)(self._framed)

    def tag(self, site: Site) -> str:
        """Return a hash of the stylesheet for its address, which changes with the tenant file and with releases."""
        return _tag(self.stylesheet(site))

    def in_a_frame(self, tenant: Tenant) -> str:
        """Return the address of the stylesheet for framed pages; it is the same on every host."""
        return f"/{tenant.slug}/embed/style.css?v={_tag(self.framed(tenant.site))}"

    def early_letters(self, site: Site, language: str) -> list[str]:
        """Return the addresses of fonts to preload."""
        return [self._address(name) for name in fonts.early(site.font, language)]

    def blueprint(self, services: Services) -> Blueprint:
        """Return the blueprint of GET /{slug}/theme.css, /{slug}/embed/style.css."""
        pages = Blueprint("theme", __name__)

        @pages.get("/<slug>/theme.css")
        @public
        @for_tenant(services.tenants)
        def theme(tenant: Tenant) -> Response:
            return _answer(tenant, self.stylesheet)

        @pages.get("/<slug>/embed/style.css")
        @public
        @for_tenant(services.tenants)
        def framed(tenant: Tenant) -> Response:
            return _answer(tenant, self.framed)

        return pages

    def _stylesheet(self, site: Site) -> str:
        return f"{self._ours}\n{looks(site, self._address)}\n{self._on_paper}"

    def _framed(self, site: Site) -> str:
        return f"{self._ours}\n{looks(site, self._address)}\n{self._in_a_frame}\n{self._on_paper}"


def looks(site: Site, address: fonts.Address) -> str:
    """Return CSS custom properties: colours of both schemes, fonts, corner radius, visible part of the cover."""
    return (
        f"{fonts.faces(site.font, address)}"
        f":root{{--font:{fonts.stack(site.font)};--radius:{site.radius}px;--cover-focus:{site.cover_focus}}}"
        f"{accent.stylesheet(site.accent)}"
    )


def _answer(tenant: Tenant, made: Callable[[Site], str]) -> Response:
    text = made(tenant.site)
    if request.args.get("v") == _tag(text):
        return CachedPage(_kept(text, tenant.slug))
    response = Response(text, mimetype="text/css")
    response.headers["Cache-Control"] = "public, no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


@lru_cache(_KEPT)
def _kept(text: str, slug: str) -> Kept:  # noqa: ARG001  a key of the cache: headers depend on the tenant
    response = Response(text, mimetype="text/css")
    response.headers["Cache-Control"] = FOR_A_YEAR
    return keepable(response, FOR_EVER, code=coded_once)


@lru_cache(_KEPT)
def _tag(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
