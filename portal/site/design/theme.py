"""The styles of a tenant's pages: one stylesheet with everything, because each further file delays the first text.

It is a file because pages may not carry inline styles. In a frame it is the same stylesheet, followed by framed.css.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256, shake_256

from flask import Blueprint, Response, request

from portal.gateway.compression import coded_once
from portal.gateway.response_cache import FOR_EVER, CachedResponse
from portal.site.design import accent
from portal.site.design.assets import FOR_A_YEAR, Assets
from portal.site.page_cache import CachedPage, cacheable
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.folder import Tenants
from portal.tenants.model import Font, Site, Tenant

_SYSTEM = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif'
)
_BOOKISH = '"Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", "Noto Serif", Georgia, serif'
_STACKS = {
    Font.SYSTEM: _SYSTEM,
    Font.HUMANIST: 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, Candara, "Noto Sans", "DejaVu Sans", sans-serif',
    Font.GEOMETRIC: 'Avenir, "Avenir Next", "Century Gothic", Futura, Montserrat, "URW Gothic", Questrial, sans-serif',
    Font.ROUNDED: 'ui-rounded, "SF Pro Rounded", "Hiragino Maru Gothic ProN", Nunito, Quicksand, Comfortaa, '
    '"Arial Rounded MT Bold", Calibri, sans-serif',
    Font.SERIF: _BOOKISH,
    Font.SLAB: 'Rockwell, "Rockwell Nova", "Roboto Slab", "Roboto Serif", "American Typewriter", "DejaVu Serif", '
    '"Sitka Small", Cambria, serif',
    Font.INTER: f"Inter, {_SYSTEM}",
    Font.FIGTREE: f"Figtree, {_SYSTEM}",
    Font.SOURCE_SERIF: f'"Careers Serif", {_BOOKISH}',
}
"""Each begins with fonts of the larger systems or the portal's, and ends with one that every system has.

The name "Source Serif" is reserved for the complete font; the portal's subset has a name of its own.
"""

_OURS = {
    Font.INTER: ("Inter", ("latin", "latin-ext", "greek", "cyrillic")),
    Font.FIGTREE: ("Figtree", ("latin", "latin-ext")),
    Font.SOURCE_SERIF: ("Careers Serif", ("latin", "latin-ext", "greek", "cyrillic")),
}
_LETTERS = {
    "latin": "U+0-FF,U+131,U+152-153,U+1E9E,U+2C6,U+2DA,U+2DC,U+2010-2044,U+20AC,U+2122,U+2212",
    "latin-ext": "U+100-130,U+132-151,U+154-17F,U+218-21B",
    "greek": "U+370-3FF",
    "cyrillic": "U+400-45F",
}
"""Unicode ranges of the files in static/fonts/ (tools/site_fonts.py): a browser fetches those that a page needs."""
_SPOKEN_WITH = {
    "latin-ext": {"pl", "cs", "sk", "hu", "ro", "hr", "sl", "lt", "lv", "et", "tr", "mt"},
    "greek": {"el"},
    "cyrillic": {"bg", "ru", "uk", "sr", "mk"},
}
_WITHOUT_LATIN = {"ar", "fa", "he", "ur"}

Address = Callable[[str], str]
"""The name of a file in static/ → its address."""


def stack(font: Font) -> str:
    """Return the value of font-family."""
    return _STACKS[font]


def faces(font: Font, address: Address) -> str:
    """Return the @font-face rules of the portal's font files; "" for a system font."""
    family, scripts = _OURS.get(font, ("", ()))
    return "".join(
        f'@font-face{{font-family:"{family}";font-weight:400 700;font-display:optional;'
        f'src:url("{address(_file(font, script))}")format("woff2");unicode-range:{_LETTERS[script]}}}'
        for script in scripts
    )


def early(font: Font, language: str) -> tuple[str, ...]:
    """Return the files in static/ that a page in that language needs for its first words, to be preloaded."""
    base = language.partition("-")[0]
    _, scripts = _OURS.get(font, ("", ()))
    wanted = [s for s in scripts if base in _SPOKEN_WITH.get(s, ()) or (s == "latin" and base not in _WITHOUT_LATIN)]
    return tuple(_file(font, script) for script in wanted)


def _file(font: Font, script: str) -> str:
    return f"fonts/{font.value}-{script}.woff2"


_SHEETS = ("css/site.css", "css/filters.css", "css/job.css")
_KEPT = 300
"""Stylesheets in memory; each is about 25 KB."""


class Theme:
    """The stylesheets of every tenant, made from static/ and the tenant's file."""

    def __init__(self, assets: Assets) -> None:
        self._ours = "\n".join(_bare(assets.text(name)) for name in _SHEETS)
        self._in_a_frame = _bare(assets.text("css/framed.css"))
        self._on_paper = f"@media print{{{_bare(assets.text('css/print.css'))}}}"
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
        return [self._address(name) for name in early(site.font, language)]

    def blueprint(self, tenants: Tenants) -> Blueprint:
        """Return the blueprint of GET /{slug}/theme.css, /{slug}/embed/style.css."""
        pages = Blueprint("theme", __name__)

        @pages.get("/<slug>/theme.css")
        @public
        @for_tenant(tenants)
        def theme(tenant: Tenant) -> Response:
            return _answer(tenant, self.stylesheet)

        @pages.get("/<slug>/embed/style.css")
        @public
        @for_tenant(tenants)
        def framed(tenant: Tenant) -> Response:
            return _answer(tenant, self.framed)

        return pages

    def _stylesheet(self, site: Site) -> str:
        return f"{self._ours}\n{css_properties(site, self._address)}\n{self._on_paper}"

    def _framed(self, site: Site) -> str:
        return f"{self._ours}\n{css_properties(site, self._address)}\n{self._in_a_frame}\n{self._on_paper}"


def _bare(sheet: str) -> str:
    """Return the stylesheet without its comments, which are a tenth of what is sent."""
    return re.sub(r"/\*.*?\*/\s*", "", sheet, flags=re.DOTALL)


def css_properties(site: Site, address: Address) -> str:
    """Return CSS custom properties: colours of both schemes, fonts, corner radius, visible part of the cover."""
    return (
        f"{faces(site.font, address)}"
        f":root{{--font:{stack(site.font)};--radius:{site.radius}px;--cover-focus:{site.cover_focus}}}"
        f"{accent.stylesheet(site.accent)}"
    )


def _answer(tenant: Tenant, made: Callable[[Site], str]) -> Response:
    text = made(tenant.site)
    if request.args.get("v") == _tag(text):
        return CachedPage(_cached(text, tenant.slug))
    response = Response(text, mimetype="text/css")
    response.headers["Cache-Control"] = "public, no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


@lru_cache(_KEPT)
def _cached(text: str, slug: str) -> CachedResponse:  # noqa: ARG001  a key of the cache: headers depend on the tenant
    response = Response(text, mimetype="text/css")
    response.headers["Cache-Control"] = FOR_A_YEAR
    return cacheable(response, FOR_EVER, code=coded_once)


@lru_cache(_KEPT)
def _tag(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


TILE = 80
COLUMNS, ROWS = 10, 5
_TONES = 4
_FEW = 3
"""Different shapes in one drawing: few, so that drawings of different tenants look different."""


@lru_cache(1_000)
def motif(slug: str) -> tuple[str, ...]:
    """Return for each of four tones the path data of its shapes, on COLUMNS by ROWS tiles of TILE units."""
    drawn = iter(shake_256(slug.encode()).digest(3 * COLUMNS * ROWS + _FEW))
    names = list(_SHAPES)
    hand = [_SHAPES[names.pop(next(drawn) % len(names))] for _ in range(_FEW)]
    paths: list[list[str]] = [[] for _ in range(_TONES)]
    above: list[int | None] = [None] * COLUMNS
    for row in range(ROWS):
        left: int | None = None
        for column in range(COLUMNS):
            kind, turn, tone = next(drawn), next(drawn) % 4, next(drawn) % _TONES
            if kind < 48:  # an empty tile, so that the drawing is not crowded
                left = above[column] = None
                continue
            free = [one for one in range(_TONES) if one not in {left, above[column]}]
            left = above[column] = tone = free[tone % len(free)]
            paths[tone].append(hand[kind % _FEW](column * TILE, row * TILE, turn))
    return tuple("".join(path) for path in paths)


def _corners(x: int, y: int, turn: int) -> list[str]:
    around = [f"{x} {y}", f"{x + TILE} {y}", f"{x + TILE} {y + TILE}", f"{x} {y + TILE}"]
    return around[turn:] + around[:turn]


def _quarter(x: int, y: int, turn: int) -> str:
    here, after, _, before = _corners(x, y, turn)
    return f"M{here}L{after}A{TILE} {TILE} 0 0 1 {before}z"


def _half(x: int, y: int, turn: int) -> str:
    here, after, *_ = _corners(x, y, turn)
    return f"M{here}A{TILE // 2} {TILE // 2} 0 0 0 {after}z"


def _petal(x: int, y: int, turn: int) -> str:
    here, _, there, _ = _corners(x, y, turn)
    return f"M{here}A{TILE} {TILE} 0 0 1 {there}A{TILE} {TILE} 0 0 1 {here}z"


def _corner(x: int, y: int, turn: int) -> str:
    here, after, _, before = _corners(x, y, turn)
    return f"M{here}L{after}L{before}z"


def _disc(x: int, y: int, turn: int) -> str:
    radius = (40, 28, 40, 16)[turn]
    return (
        f"M{x + 40 - radius} {y + 40}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 {-2 * radius} 0z"
    )


def _square(x: int, y: int, turn: int) -> str:  # noqa: ARG001  a square looks the same in any rotation
    return f"M{x} {y}h{TILE}v{TILE}h-{TILE}z"


_SHAPES = {
    "quarter": _quarter,
    "half": _half,
    "petal": _petal,
    "corner": _corner,
    "disc": _disc,
    "square": _square,
}
