"""The design of a company's emails: its colours, made readable, and its logo as an inline image."""

from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import Protocol

from PIL import Image

from portal.adapters.mail.message import InlineImage
from portal.platform.database.db import Database
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.tables import PictureKind

_LOGO_HEIGHT = 80
"""Pixels: twice the height in an email."""


class Colours(Protocol):
    """The colours of one scheme, each as #rrggbb.

    on_fill is for text on fill; text is for links; soft is the background of what is emphasised.
    """

    @property
    def fill(self) -> str: ...  # noqa: D102  see the class
    @property
    def on_fill(self) -> str: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def soft(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Shades:
    """Colours that belong to no company."""

    fill: str
    on_fill: str
    text: str
    soft: str


@dataclass(frozen=True, slots=True)
class MailDesign:
    """The colours for readers' light and dark mode. logo: None shows the company's name instead."""

    light: Colours
    dark: Colours
    logo: InlineImage | None = None


PLAIN = MailDesign(
    Shades("#33383f", "#ffffff", "#33383f", "#eeeeec"),
    Shades("#d5d8dd", "#14161a", "#d5d8dd", "#2a2e35"),
)
"""The design of an email that concerns several companies."""


def plain(tenant: Tenant) -> MailDesign:  # noqa: ARG001  one design for every company
    """Return the default design, where no company's colours are configured."""
    return PLAIN


def logo_of(db: Database, tenant: Tenant) -> InlineImage | None:
    """Return the logo as a PNG, which every mail program shows; None for an SVG, which few mail programs show."""
    shown = stored_pictures.shown(db, tenant).get(PictureKind.LOGO)
    if shown is None:
        return None
    found = stored_pictures.served(db, tenant.slug, shown.digest)
    if found is None or found[0] == "image/svg+xml":
        return None
    return _as_png(shown.digest, found[1])


@lru_cache(200)
def _as_png(digest: str, body: bytes) -> InlineImage:
    """Return the logo on white, for which it was most likely drawn: a dark logo would vanish on a dark background."""
    with Image.open(BytesIO(body)) as picture:
        drawn = picture.convert("RGBA")
    drawn.thumbnail((4 * _LOGO_HEIGHT, _LOGO_HEIGHT), Image.Resampling.LANCZOS)
    paper = Image.new("RGB", drawn.size, "white")
    paper.paste(drawn, mask=drawn.getchannel("A"))
    out = BytesIO()
    paper.save(out, "PNG", optimize=True)
    return InlineImage(f"{digest}@logo", out.getvalue(), drawn.width, drawn.height)
