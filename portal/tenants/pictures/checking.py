"""Fetched bytes → a picture that is safe to show. Its content determines the format, not its name or header."""

import re
from dataclasses import dataclass
from hashlib import sha256

from portal.platform.errors import PictureUnusable
from portal.tenants.pictures import drawing, svg
from portal.tenants.pictures.tables import PictureKind

MOST_FETCHED = {PictureKind.LOGO: 2 * 1024 * 1024, PictureKind.COVER: 5 * 1024 * 1024}
"""Maximum bytes of a file as fetched."""
_LARGEST = {PictureKind.LOGO: (640, 160), PictureKind.COVER: (1920, 1280)}
"""Pixels: three times the space that pages give a logo, and a header picture for a wide screen."""
_SMALLEST = 8
_SVG = re.compile(rb"(\xef\xbb\xbf)?\s*<(\?xml|!--|!DOCTYPE|svg|[a-z]+:svg)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is served. width, height: its proportions, in px."""

    media_type: str
    width: int
    height: int
    body: bytes

    @property
    def digest(self) -> str:
        """A hash of its content, so that another picture has another URL."""
        return sha256(self.body).hexdigest()[:32]


def checked(data: bytes, kind: PictureKind) -> Picture:
    """Return a picture rebuilt from the harmless content of `data`. Raises PictureUnusable."""
    if len(data) > MOST_FETCHED[kind]:
        raise PictureUnusable(f"the file has more than {MOST_FETCHED[kind] // 1024 // 1024} MB")
    if _SVG.match(data):
        cleaned = svg.cleaned(data)
        made = Picture("image/svg+xml", cleaned.width, cleaned.height, cleaned.body)
    else:
        width, height, body = drawing.redrawn(data, largest=_LARGEST[kind], lossless=kind is PictureKind.LOGO)
        made = Picture("image/webp", width, height, body)
    if min(made.width, made.height) < _SMALLEST:
        raise PictureUnusable(f"it is {made.width} by {made.height} px; expected {_SMALLEST} at least each way")
    return made
