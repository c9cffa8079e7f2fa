"""The fonts of a tenant's pages: of the visitor's system, or of the portal if the tenant chose one of those.

The portal's fonts delay nothing and cause no layout shift: a font that does not arrive almost immediately is not used
until the next page (`font-display: optional`).
"""

from collections.abc import Callable

from portal.tenants.model import Font

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
