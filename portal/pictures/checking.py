"""What was fetched → a picture that is safe to show. What it is, its content says, and not its name or header."""

import re
from dataclasses import dataclass
from hashlib import sha256

from portal.errors import PictureUnusable
from portal.pictures import raster, svg
from portal.pictures.tables import Kind

MOST_FETCHED = {Kind.LOGO: 2 * 1024 * 1024, Kind.COVER: 5 * 1024 * 1024}
"""Bytes of a file as it is fetched."""
_MOST_KEPT = 1024 * 1024
_LARGEST = {Kind.LOGO: (640, 160), Kind.COVER: (1920, 1280)}
"""Pixels: three times what a page gives a logo, and a header picture for a wide screen."""
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
        """Of its content: another picture has another address."""
        return sha256(self.body).hexdigest()[:32]


def checked(data: bytes, kind: Kind) -> Picture:
    """The picture, made anew from what is harmless in `data`. Raises PictureUnusable."""
    if len(data) > MOST_FETCHED[kind]:
        raise PictureUnusable(f"the file has more than {MOST_FETCHED[kind] // 1024 // 1024} MB")
    if _SVG.match(data):
        drawing = svg.cleaned(data)
        made = Picture("image/svg+xml", drawing.width, drawing.height, drawing.body)
    else:
        width, height, body = raster.redrawn(
            data, largest=_LARGEST[kind], lossless=kind is Kind.LOGO, most_bytes=_MOST_KEPT
        )
        made = Picture("image/webp", width, height, body)
    if min(made.width, made.height) < _SMALLEST:
        raise PictureUnusable(f"it is {made.width} by {made.height} px; expected {_SMALLEST} at least each way")
    return made
