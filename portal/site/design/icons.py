"""A tenant's icon: for browser tabs, bookmarks and home screens."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from io import BytesIO

from flask import Blueprint, Response, request
from PIL import Image, ImageDraw, ImageFont, ImageOps

from portal.jobs.mirror.version import Version
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.site.design import accent
from portal.site.design.assets import FOR_A_YEAR
from portal.site.design.pictures import shown
from portal.site.page_cache import PageCache
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.addresses import Addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.stored_pictures import ShownPicture
from portal.tenants.pictures.tables import PictureKind

_DRAWING_VERSION = "1"
"""Increase it when the same icon is drawn differently, so that its address changes."""
_SMALL, _LARGE = 32, 180
_SVG = "image/svg+xml"
_WIDEST = 1.35
"""Largest ratio of the sides of a logo that is still recognisable at icon size."""
_CORNER = 0.22
"""Corner radius as a fraction of the icon's side, as operating systems round theirs."""
_FINER = 4
"""Supersampling factor: letters are drawn this much larger, then scaled down."""


@dataclass(frozen=True, slots=True)
class Icon:
    """A link in a page's head. sizes: as in HTML."""

    rel: str
    address: str
    media_type: str
    sizes: str


def blueprint(database: Database, tenants: Tenants, clock: Clock, own: str) -> Blueprint:
    """Return the blueprint: GET /{slug}/icon.svg, /{slug}/icon-32.png, /{slug}/icon-180.png; and /favicon.ico, which
    browsers request without a link.

    On a tenant's own host that address has the tenant's icon; browsers go by the media type, not by the name. own: the
    portal's icon, as SVG.
    """
    pages = Blueprint("icons", __name__)
    cache = PageCache(clock, lambda _slug, _now: Version("", None), max_bytes=4 * 1024 * 1024)

    @pages.get("/<slug>/icon.svg")
    @public
    @for_tenant(tenants)
    def drawing(tenant: Tenant) -> Response:
        colours = accent.light(tenant.site.accent)
        made = letter_svg(_letter(tenant), fill=colours.fill, ink=colours.on_fill)
        return _response(made, _SVG, is_fixed=request.args.get("v") == _tag(tenant, None))

    @pages.get("/<slug>/icon-32.png")
    @public
    @for_tenant(tenants)
    def small(tenant: Tenant) -> Response:
        return png(tenant, _SMALL)

    @pages.get("/<slug>/icon-180.png")
    @public
    @for_tenant(tenants)
    def large(tenant: Tenant) -> Response:
        return png(tenant, _LARGE)

    @pages.get("/<slug>/favicon.ico")
    @public
    @for_tenant(tenants)
    def of_host(tenant: Tenant) -> Response:
        return png(tenant, _SMALL)

    @pages.get("/favicon.ico")
    @public
    def of_portal() -> Response:
        return _response(own.encode(), _SVG, is_fixed=False)

    def png(tenant: Tenant, size: int) -> Response:
        logo = _logo(shown(database, tenant))
        tag = _tag(tenant, logo)
        is_fixed = request.args.get("v") == tag
        return cache.answer(
            tenant, (size, tag, is_fixed), lambda: _png(database, tenant, logo, size, is_fixed=is_fixed)
        )

    return pages


def links(site: Addresses, tenant: Tenant, pictures: Mapping[str, ShownPicture]) -> tuple[Icon, ...]:
    """Return the icon links of a page."""
    logo = _logo(pictures)
    tag = _tag(tenant, logo)
    if logo and logo.media_type == _SVG:
        scalable = [Icon("icon", site.picture(logo.digest), _SVG, "any")]
    else:
        scalable = [] if logo else [Icon("icon", site.icon("icon.svg", tag), _SVG, "any")]
    return (
        Icon("icon", site.icon(f"icon-{_SMALL}.png", tag), "image/png", f"{_SMALL}x{_SMALL}"),
        *scalable,
        Icon("apple-touch-icon", site.icon(f"icon-{_LARGE}.png", tag), "image/png", f"{_LARGE}x{_LARGE}"),
    )


def _logo(pictures: Mapping[str, ShownPicture]) -> ShownPicture | None:
    logo = pictures.get(PictureKind.LOGO)
    return logo if logo and fits(logo.width, logo.height) else None


def _letter(tenant: Tenant) -> str:
    return tenant.name[:1].upper()


def _tag(tenant: Tenant, logo: ShownPicture | None) -> str:
    seen = (_DRAWING_VERSION, _letter(tenant), tenant.site.accent, logo.digest if logo else "")
    return sha256(repr(seen).encode()).hexdigest()[:12]


def _png(database: Database, tenant: Tenant, logo: ShownPicture | None, size: int, *, is_fixed: bool) -> Response:
    found = stored_pictures.served(database, tenant.slug, logo.digest) if logo else None
    if found and found[0] != _SVG:
        made = of_logo(found[1], size)
    else:  # SVG logos are not rasterised here, so browsers without support for SVG icons get the letter
        colours = accent.light(tenant.site.accent)
        made = letter_png(_letter(tenant), fill=colours.fill, ink=colours.on_fill, size=size)
    return _response(made, "image/png", is_fixed=is_fixed)


def _response(body: bytes, media_type: str, *, is_fixed: bool) -> Response:
    response = Response(body, mimetype=media_type)
    response.headers["Cache-Control"] = FOR_A_YEAR if is_fixed else "public, no-cache"
    return response


def fits(width: int, height: int) -> bool:
    """Return whether a logo of these proportions can be the icon."""
    return max(width, height) <= _WIDEST * min(width, height)


def of_logo(picture: bytes, size: int) -> bytes:
    """Return a PNG of size by size px from a stored logo, WebP; one that is not square gets transparent margins."""
    with Image.open(BytesIO(picture), formats=("WEBP",)) as found:
        drawn = ImageOps.contain(found.convert("RGBA"), (size, size), Image.Resampling.LANCZOS)
    icon = Image.new("RGBA", (size, size))
    icon.paste(drawn, ((size - drawn.width) // 2, (size - drawn.height) // 2))
    return _encoded(icon)


def letter_png(letter: str, *, fill: str, ink: str, size: int) -> bytes:
    """Return a PNG of the letter on the colour, or of the colour alone if the letter cannot be drawn."""
    side = _FINER * size
    icon = Image.new("RGBA", (side, side))
    draw = ImageDraw.Draw(icon)
    draw.rounded_rectangle((0, 0, side - 1, side - 1), radius=_CORNER * side, fill=fill)
    if letter.isascii() and letter.isalnum():  # characters that Pillow's own font certainly contains
        font = ImageFont.load_default(0.62 * side)
        draw.text((side / 2, side / 2), letter, font=font, fill=ink, anchor="mm", stroke_width=side // 40)
    return _encoded(icon.resize((size, size), Image.Resampling.LANCZOS))


def letter_svg(letter: str, *, fill: str, ink: str) -> bytes:
    """Return the same as SVG, in a system font."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
        f'<rect width="64" height="64" rx="14" fill="{fill}"/>'
        f'<text x="32" y="33" fill="{ink}" font-family="system-ui,sans-serif" font-size="38" font-weight="700" '
        f'text-anchor="middle" dominant-baseline="central">{escape(letter)}</text></svg>'
    ).encode()


def _encoded(icon: Image.Image) -> bytes:
    out = BytesIO()
    icon.save(out, "PNG", optimize=True)
    return out.getvalue()
