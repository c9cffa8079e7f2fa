"""A site's icon in tabs and on home screens: its logo if that is roughly square, else its first letter.

A wide wordmark would be a mere line at 32 px, so it is not shrunk: a letter on the tenant's colour is legible.
"""

from html import escape
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont, ImageOps

_WIDEST = 1.35
"""Largest ratio of the sides of a logo that is still recognisable at icon size."""
_CORNER = 0.22
"""Corner radius as a fraction of the icon's side, as operating systems round theirs."""
_FINER = 4
"""Supersampling factor: letters are drawn this much larger, then scaled down."""


def fits(width: int, height: int) -> bool:
    """Return whether a logo of these proportions can be the icon."""
    return max(width, height) <= _WIDEST * min(width, height)


def of_logo(picture: bytes, size: int) -> bytes:
    """Return a PNG of size by size px from a stored logo, WebP; one that is not square gets transparent margins."""
    with Image.open(BytesIO(picture), formats=("WEBP",)) as found:
        drawn = ImageOps.contain(found.convert("RGBA"), (size, size), Image.Resampling.LANCZOS)
    icon = Image.new("RGBA", (size, size))
    icon.paste(drawn, ((size - drawn.width) // 2, (size - drawn.height) // 2))
    return _png(icon)


def letter_png(letter: str, *, fill: str, ink: str, size: int) -> bytes:
    """Return a PNG of the letter on the colour, or of the colour alone if the letter cannot be drawn."""
    side = _FINER * size
    icon = Image.new("RGBA", (side, side))
    draw = ImageDraw.Draw(icon)
    draw.rounded_rectangle((0, 0, side - 1, side - 1), radius=_CORNER * side, fill=fill)
    if letter.isascii() and letter.isalnum():  # characters that Pillow's own font has for certain
        font = ImageFont.load_default(0.62 * side)
        draw.text((side / 2, side / 2), letter, font=font, fill=ink, anchor="mm", stroke_width=side // 40)
    return _png(icon.resize((size, size), Image.Resampling.LANCZOS))


def letter_svg(letter: str, *, fill: str, ink: str) -> bytes:
    """Return the same as SVG, in a system font."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
        f'<rect width="64" height="64" rx="14" fill="{fill}"/>'
        f'<text x="32" y="33" fill="{ink}" font-family="system-ui,sans-serif" font-size="38" font-weight="700" '
        f'text-anchor="middle" dominant-baseline="central">{escape(letter)}</text></svg>'
    ).encode()


def _png(icon: Image.Image) -> bytes:
    out = BytesIO()
    icon.save(out, "PNG", optimize=True)
    return out.getvalue()
