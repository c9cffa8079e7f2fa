"""How a company's letters look: its colours, made readable, and its logo, which goes with the letter."""

from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Protocol

from PIL import Image

from portal.db import Database
from portal.mail.message import Picture
from portal.pictures import keeping
from portal.pictures.tables import Kind
from portal.tenants.model import Tenant

_LOGO_HEIGHT = 80
"""Pixels: twice what a letter shows."""


class Colours(Protocol):
    """Of one scheme, each #rrggbb. on_fill is for text on fill; text is for links; soft is behind what stands out."""

    @property
    def fill(self) -> str: ...  # noqa: D102  said above
    @property
    def on_fill(self) -> str: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def soft(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Shades:
    """Colours that are nobody's."""

    fill: str
    on_fill: str
    text: str
    soft: str


@dataclass(frozen=True, slots=True)
class Look:
    """light, dark: by what the reader's program asks for. logo: None, and the company's name stands there."""

    light: Colours
    dark: Colours
    logo: Picture | None = None


PLAIN = Look(
    Shades("#33383f", "#ffffff", "#33383f", "#eeeeec"),
    Shades("#d5d8dd", "#14161a", "#d5d8dd", "#2a2e35"),
)
"""Of a letter that speaks for several companies."""


def plain(tenant: Tenant) -> Look:  # noqa: ARG001  one look for every company
    """Of a letter whose company's colours nobody asked for."""
    return PLAIN


def logo_of(db: Database, tenant: Tenant) -> Picture | None:
    """The logo as a PNG, which every mail program shows; None for a drawing (SVG), which hardly one does."""
    shown = keeping.shown(db, tenant).get(Kind.LOGO)
    if shown is None:
        return None
    found = keeping.served(db, tenant.slug, shown.digest)
    if found is None or found[0] == "image/svg+xml":
        return None
    return _as_png(shown.digest, found[1])


@lru_cache(200)
def _as_png(digest: str, body: bytes) -> Picture:
    """On the white that it was most likely drawn for: a dark logo on a dark page would be gone."""
    with Image.open(BytesIO(body)) as picture:
        drawn = picture.convert("RGBA")
    drawn.thumbnail((4 * _LOGO_HEIGHT, _LOGO_HEIGHT), Image.Resampling.LANCZOS)
    paper = Image.new("RGB", drawn.size, "white")
    paper.paste(drawn, mask=drawn.getchannel("A"))
    out = BytesIO()
    paper.save(out, "PNG", optimize=True)
    return Picture(f"{digest}@logo", out.getvalue(), drawn.width, drawn.height)
