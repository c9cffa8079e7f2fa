"""A tenant's accent colour → colours that are readable on the portal's pages.

A brand colour was chosen for a logo, not for text on white or near-black. Its hue is preserved; its lightness moves, in
a colour space in which equal steps look equal (OKLCH), just as far as WCAG 2.2 AA requires: 4.5:1 for text, 3:1 for the
shape of buttons and ticks.
"""

import math
from dataclasses import dataclass

LIGHT_PAPER = "#ffffff"
LIGHT_CANVAS = "#f7f7f5"
DARK_PAPER = "#1b1e24"
DARK_CANVAS = "#131519"
LIGHT_GROUNDS = (LIGHT_CANVAS, LIGHT_PAPER)
DARK_GROUNDS = (DARK_CANVAS, DARK_PAPER)
_INK_ON_LIGHT_FILL = "#14161a"
_WHITE = "#ffffff"
_TEXT = 4.5
_SHAPE = 3.0
_STEP = 0.005
_AMBER = math.radians(70)

Rgb = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one colour scheme, each #rrggbb.

    on_fill is for text on fill; text is for links on canvas, paper and soft. edge: the outline of filled areas, and
    ticks, so that a fill as pale as the page still has a visible shape. tones: for the drawing that replaces a cover,
    on soft; no text is on them.
    """

    fill: str
    fill_hover: str
    on_fill: str
    edge: str
    text: str
    soft: str
    tones: tuple[str, str, str, str]


def light(accent: str) -> Palette:
    """Return the palette for light pages."""
    lightness, chroma, hue = _to_oklch(accent)
    soft = _hex(0.965, min(chroma, 0.022), hue)
    grounds = (*LIGHT_GROUNDS, soft)
    fill, on_fill = _fill(lightness, chroma, hue, darken=True)
    edge = _readable(*_to_oklch(fill), grounds, darker=True, least=_SHAPE)
    text = _readable(lightness, chroma, hue, grounds, darker=True)
    tones = (fill, _hex(0.82, min(chroma, 0.09), hue), _spark(0.84, chroma, hue), _hex(0.34, min(chroma, 0.1), hue))
    return Palette(fill, _hover(fill, on_fill), on_fill, edge, text, soft, tones)


def dark(accent: str) -> Palette:
    """Return the palette for dark pages."""
    lightness, chroma, hue = _to_oklch(accent)
    soft = _hex(0.255, min(chroma, 0.035), hue)
    grounds = (*DARK_GROUNDS, soft)
    fill, on_fill = _fill(max(lightness, 0.52), chroma, hue, darken=False)
    edge = _readable(*_to_oklch(fill), grounds, darker=False, least=_SHAPE)
    text = _readable(max(lightness, 0.7), min(chroma, 0.16), hue, grounds, darker=False)
    tones = (fill, _hex(0.42, min(chroma, 0.1), hue), _spark(0.76, chroma, hue), _hex(0.58, min(chroma, 0.12), hue))
    return Palette(fill, _hover(fill, on_fill), on_fill, edge, text, soft, tones)


def stylesheet(accent: str) -> str:
    """Return CSS custom properties for both schemes."""
    by_day, by_night = _properties(light(accent)), _properties(dark(accent))
    return f":root{{{by_day}}}@media (prefers-color-scheme:dark){{:root{{{by_night}}}}}"


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast ratio of two colours, 1 to 21."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _properties(palette: Palette) -> str:
    return (
        f"--accent-fill:{palette.fill};--accent-fill-hover:{palette.fill_hover};--accent-on:{palette.on_fill};"
        f"--accent-edge:{palette.edge};--accent-text:{palette.text};--accent-soft:{palette.soft};"
        + ";".join(f"--tone-{number}:{tone}" for number, tone in enumerate(palette.tones, 1))
    )


def _spark(lightness: float, chroma: float, hue: float) -> str:
    """Return a warm tone for a cool accent, a cool one for a warm accent, a grey for one without chroma, like black."""
    is_warm = abs((hue - _AMBER + math.pi) % math.tau - math.pi) < math.radians(70)
    return _hex(lightness, min(chroma, 0.13), math.radians(235) if is_warm else _AMBER)


def _fill(lightness: float, chroma: float, hue: float, *, darken: bool) -> tuple[str, str]:
    """Return (the accent as a fill colour, as near to the brand as possible; the readable text colour on it)."""
    colour = _hex(lightness, chroma, hue)
    if contrast(colour, _WHITE) >= _TEXT:
        return colour, _WHITE
    if contrast(colour, _INK_ON_LIGHT_FILL) >= _TEXT + (2 if darken else 0):
        return colour, _INK_ON_LIGHT_FILL  # yellow, lime: dark text suits them better than turning them brown
    return _readable(lightness, chroma, hue, (_WHITE,), darker=True), _WHITE


def _hover(fill: str, on_fill: str) -> str:
    """Return a fill one step away from the text colour, for more contrast; near black and white, two steps back."""
    lightness, chroma, hue = _to_oklch(fill)
    step = -0.05 if on_fill == _WHITE else 0.05
    if not 0.1 <= lightness + step <= 1:
        step = -2 * step
    return _hex(lightness + step, chroma, hue)


def _readable(
    lightness: float,
    chroma: float,
    hue: float,
    backgrounds: tuple[str, ...],
    *,
    darker: bool,
    least: float = _TEXT,
) -> str:
    step = -_STEP if darker else _STEP
    while 0 <= lightness <= 1:
        colour = _hex(lightness, chroma, hue)
        if all(contrast(colour, background) >= least for background in backgrounds):
            return colour
        lightness += step
    return "#000000" if darker else "#ffffff"


def _luminance(colour: str) -> float:
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(colour: str) -> Rgb:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return _to_linear(red), _to_linear(green), _to_linear(blue)


def _to_linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _to_oklch(colour: str) -> tuple[float, float, float]:
    """Return lightness 0 to 1, chroma, hue in radians (Björn Ottosson's Oklab matrices)."""
    red, green, blue = _linear(colour)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return lightness, math.hypot(a, b), math.atan2(b, a)


def _hex(lightness: float, chroma: float, hue: float) -> str:
    """Return the nearest sRGB colour: chroma is reduced, hue and lightness stay."""
    while True:
        red, green, blue = _from_oklch(lightness, chroma, hue)
        if chroma <= 0 or all(-0.0005 <= channel <= 1.0005 for channel in (red, green, blue)):
            return "#" + "".join(f"{_to_byte(channel):02x}" for channel in (red, green, blue))
        chroma = max(0.0, chroma - 0.004)


def _from_oklch(lightness: float, chroma: float, hue: float) -> Rgb:
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _to_byte(channel: float) -> int:
    channel = min(max(channel, 0.0), 1.0)
    curved = 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055
    return round(curved * 255)
