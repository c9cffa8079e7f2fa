"""The preview picture of a job, or of a company's jobs, when somebody shares a link: 1,200 × 630, PNG.

Text of any direction is shaped by Raqm, which needs the system's FriBiDi for text from right to left. Text that cannot
be drawn correctly, because FriBiDi is missing or the font lacks the letters, is left out: a picture of the company
alone is better than one with empty boxes or reversed words.
"""

import threading
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont, ImageOps, features

from portal.site.design import accent
from portal.tenants.pictures.stored_pictures import ShownPicture

WIDTH, HEIGHT = 1200, 630
LINES_MOST = 4
_MARGIN = 80
_SIZES = (84, 72, 60, 52)
_SMALL = 38
_NAME_TOP, _TITLE_BOTTOM = 80, 500
_COVER_HEIGHT = 200
_LOGO_BOX = (420, 84)
_PLATE = 24
"""The colour of the plate behind a logo, which was most likely drawn for a white background."""
_DRAWING_VERSION = 2
"""Increase it when the same card is drawn differently, so that its address changes."""
_FONT = Path(__file__).parent / "fonts" / "share.ttf"
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_NO_CHARACTER = "\U0010ffff"
_drawing = threading.Lock()
"""A font object may be used by one thread at a time; and so drawing uses no more than one CPU core of a process."""


@dataclass(frozen=True, slots=True)
class Card:
    """The content of a picture. accent: #rrggbb. place: in one line. from_right: the title is read from right to left.

    logo: shown instead of the company's name. cover: above everything. slug: of the tenant whose pictures these are.
    """

    company: str
    title: str
    place: str
    accent: str
    from_right: bool = False
    logo: ShownPicture | None = None
    cover: ShownPicture | None = None
    slug: str = ""

    @property
    def version(self) -> str:
        """A hash that changes with anything visible."""
        return blake2b(repr((_DRAWING_VERSION, self)).encode("utf-8", "backslashreplace"), digest_size=6).hexdigest()


Read = Callable[[str, ShownPicture, tuple[int, int]], bytes | None]
"""(tenant's slug, picture, largest width and height of an SVG) → WebP; None if it cannot be drawn."""


@lru_cache(maxsize=128)
def png(card: Card, read: Read) -> bytes:
    """Return the picture as PNG."""
    logo = read(card.slug, card.logo, _LOGO_BOX) if card.logo else None
    cover = read(card.slug, card.cover, (WIDTH, HEIGHT)) if card.cover else None
    with _drawing:
        picture = _drawn(card, logo, cover)
    out = BytesIO()
    picture.save(out, "PNG", compress_level=6)
    return out.getvalue()


def title_lines(title: str, size: int, *, most: int = LINES_MOST) -> tuple[list[str], bool]:
    """Return the title's lines, broken between words to fit the width, and whether they hold all of it.

    If they do not, the last one ends with "…".
    """
    lines: list[str] = []
    left = title.split()
    while left and len(lines) < most:
        line, left = _one_line(left, size)
        lines.append(line)
    if left:
        lines[-1] = _shortened(lines[-1], size)
    return lines, not left


def can_draw(text: str) -> bool:
    """Return whether the font has every letter of the text, and it can be drawn in its direction."""
    return all(map(_has, set(text))) and (_shapes() or not any(map(_runs_left, text)))


def _drawn(card: Card, logo: bytes | None, cover: bytes | None) -> Image.Image:
    colours = accent.light(card.accent)
    picture = Image.new("RGB", (WIDTH, HEIGHT), colours.fill)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, HEIGHT - 16, WIDTH, HEIGHT), fill=colours.fill_hover)
    write = _Pen(draw, colours.on_fill, from_right=card.from_right)
    top = _NAME_TOP
    if cover:
        with Image.open(BytesIO(cover)) as opened:
            picture.paste(ImageOps.fit(opened.convert("RGB"), (WIDTH, _COVER_HEIGHT)))
        top = _COVER_HEIGHT + 40
    if logo:
        top = _put_logo(picture, logo, top - (100 if cover else 40), from_right=card.from_right)
    else:
        write.line(_without_signs(card.company), top, _SMALL)
        top += 70
    title = _without_signs(card.title)
    if can_draw(title):
        room = _TITLE_BOTTOM - top
        size, lines = _fitting(title, room)
        top += (room - _height(size, len(lines))) // 2
        for number, line in enumerate(lines):
            write.line(line, top + number * _step(size), size)
    write.line(card.place, HEIGHT - 105, _SMALL)
    return picture


@dataclass(frozen=True, slots=True)
class _Pen:
    draw: ImageDraw.ImageDraw
    ink: str
    from_right: bool

    def line(self, text: str, top: int, size: int) -> None:
        if not can_draw(text):
            return
        if _length(text, size) > _room():
            text = _shortened(text, size)
        x, anchor = (WIDTH - _MARGIN, "ra") if self.from_right else (_MARGIN, "la")
        direction = ("rtl" if self.from_right else "ltr") if _shapes() else None
        self.draw.text((x, top), text, font=_font(size), fill=self.ink, anchor=anchor, direction=direction)


def _put_logo(picture: Image.Image, logo: bytes, top: int, *, from_right: bool) -> int:
    """Draw the logo on a white plate; return the vertical position below the plate and a gap."""
    with Image.open(BytesIO(logo)) as opened:
        mark = opened.convert("RGBA")
    mark.thumbnail(_LOGO_BOX)
    width, height = mark.width + 2 * _PLATE, mark.height + 2 * _PLATE
    left = WIDTH - _MARGIN - width if from_right else _MARGIN
    ImageDraw.Draw(picture).rounded_rectangle((left, top, left + width, top + height), 16, fill="white")
    picture.paste(mark, (left + _PLATE, top + _PLATE), mark)
    return top + height + 20


def _fitting(title: str, room: int) -> tuple[int, list[str]]:
    """Return the largest size at which the whole title fits, with its lines; else the smallest, with what fits.

    room: pixels from its top to its bottom.
    """
    for size in _SIZES:
        lines, whole = title_lines(title, size, most=min(LINES_MOST, room // _step(size)))
        if whole:
            break
    return size, lines


def _one_line(words: list[str], size: int) -> tuple[str, list[str]]:
    """Return one line of as many words as fit, at least a part of one; and the words that are left."""
    count = 1
    while count < len(words) and _length(" ".join(words[: count + 1]), size) <= _room():
        count += 1
    first = words[0]
    if count > 1 or _length(first, size) <= _room():
        return " ".join(words[:count]), words[count:]
    end = len(first)
    while end > 1 and _length(first[:end], size) > _room():
        end -= 1
    return first[:end], [first[end:], *words[1:]]


def _shortened(line: str, size: int) -> str:
    while line and _length(f"{line}…", size) > _room():
        line = line[:-1]
    return f"{line.rstrip(' ,;:.–-')}…"


def _room() -> int:
    return WIDTH - 2 * _MARGIN


def _step(size: int) -> int:
    return round(size * 1.25)


def _height(size: int, lines: int) -> int:
    return _step(size) * lines


def _length(text: str, size: int) -> float:
    return _font(size).getlength(text)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    engine = ImageFont.Layout.RAQM if _shapes() else ImageFont.Layout.BASIC
    return ImageFont.truetype(str(_FONT), size, layout_engine=engine)


@cache
def _shapes() -> bool:
    """Return whether text from right to left can be drawn correctly."""
    return bool(features.check("raqm") and features.check("fribidi"))


def _without_signs(text: str) -> str:
    """Remove symbols and the like that the font lacks, such as emoji."""
    return "".join(each for each in text if _has(each) or unicodedata.category(each)[0] not in "SCM")


def _runs_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in _RIGHT_TO_LEFT


@lru_cache(maxsize=4_000)
def _has(character: str) -> bool:
    """Return whether the font has the character: it is drawn differently from one that no font has."""
    if unicodedata.category(character) in {"Cf", "Zs"}:
        return True
    return _bare(character) != _bare(_NO_CHARACTER)


@lru_cache(maxsize=4_000)
def _bare(character: str) -> bytes:
    font = _plain_font()
    return bytes(font.getmask(character))


@cache
def _plain_font() -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(_FONT), 24, layout_engine=ImageFont.Layout.BASIC)
