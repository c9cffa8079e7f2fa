"""Re-encodes a fetched picture in a sandboxed process; `python -m portal.tenants.pictures.drawing` is that process.

Image decoders are written in C, and the author of a tenant file is not always the operator of this machine. The result
is not trusted either: it must be a WebP of the requested size, or it is rejected. SVG for pages is not processed here:
checking.py rewrites its text, and its output has to be trusted. For emails the rewritten text is drawn here.
"""

import io
import re
import struct
import warnings
from io import BytesIO
from typing import BinaryIO

import resvg_py
from PIL import Image, ImageOps, UnidentifiedImageError

from portal.platform.errors import PictureUnusable
from portal.platform.sandbox.fork_server import serve
from portal.platform.sandbox.helper_process import Helper, HelperUnavailable, ProcessEnded
from portal.platform.sandbox.restrictions import Limits

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
_MOST_PIXELS = 25_000_000
"""A camera's resolution. A file of a few bytes can declare far more, so this is checked before pixels are decoded."""
MOST_BYTES = 1024 * 1024
"""Of a stored picture."""
_QUALITIES = (82, 65, 45)


def reencoded(data: bytes, *, largest: tuple[int, int], lossless: bool, most_bytes: int) -> tuple[int, int, bytes]:
    """Return width, height and a WebP of the picture, scaled down to fit `largest`. Raises PictureUnusable."""
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as found:
            return _redrawn(found, largest, lossless=lossless, most_bytes=most_bytes)
    except PictureUnusable:
        raise
    except UnidentifiedImageError as exc:
        raise PictureUnusable("it is none of SVG, PNG, JPEG, WebP and GIF") from exc
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as exc:
        raise PictureUnusable(_TOO_MANY) from exc
    except Exception as exc:  # decoders raise anything on invalid input
        raise PictureUnusable("the file is damaged") from exc


_LETTERS = re.compile(rb"<(?:\w+:)?text[\s>]")


def drawn_svg(svg: bytes, *, largest: tuple[int, int], most_bytes: int) -> tuple[int, int, bytes]:
    """Return the same of a cleaned SVG, as large as fits. Raises PictureUnusable, also for text: it needs fonts."""
    if _LETTERS.search(svg):
        raise PictureUnusable("it has text, which is drawn in fonts that are not at hand")
    try:
        png = resvg_py.svg_to_bytes(svg_string=svg.decode(), skip_system_fonts=True, width=largest[0])
    except ValueError as exc:
        raise PictureUnusable("the SVG cannot be drawn") from exc
    return reencoded(png, largest=largest, lossless=True, most_bytes=most_bytes)


_TOO_MANY = f"it has more than {_MOST_PIXELS // 1_000_000} million pixels"


def _redrawn(
    found: Image.Image, largest: tuple[int, int], *, lossless: bool, most_bytes: int
) -> tuple[int, int, bytes]:
    if found.width * found.height > _MOST_PIXELS:
        raise PictureUnusable(_TOO_MANY)
    found.draft("RGB", (2 * largest[0], 2 * largest[1]))  # decode a JPEG no larger than needed
    turned = ImageOps.exif_transpose(found)
    clear = "A" in turned.getbands() or "transparency" in turned.info
    drawn = turned.convert("RGBA" if clear else "RGB")
    drawn.thumbnail(largest, Image.Resampling.LANCZOS)
    for quality in _QUALITIES:
        body = _written(drawn, quality=quality, lossless=lossless and quality == _QUALITIES[0])
        if len(body) <= most_bytes:
            return drawn.width, drawn.height, body
    raise PictureUnusable("it has too much detail to be shown on a page")


def _written(drawn: Image.Image, *, quality: int, lossless: bool) -> bytes:
    out = BytesIO()
    drawn.save(out, "WEBP", quality=quality, lossless=lossless, method=4, exif=b"", icc_profile=b"", xmp=b"")
    return out.getvalue()


_LIMITS = Limits(memory=1_000_000_000, cpu=20, timeout=60)
"""25 million pixels need 100 MB several times over, and seconds of CPU time."""
_AT_ONCE = 2
_PIXELS, _VECTORS = 0, 1
"""What a request is for: a picture of pixels, or a cleaned SVG."""
_REFUSED, _DRAWN = b"R", b"D"
_SIZE = struct.Struct("!II")
_ASKED = struct.Struct("!II?I")
"""The request before the file: largest width and height, whether lossless, and the maximum number of bytes."""

_helper = Helper(
    "portal.tenants.pictures.drawing", (), _LIMITS, max_concurrent=_AT_ONCE, max_result_bytes=MOST_BYTES + 1_024
)


def redrawn(data: bytes, *, largest: tuple[int, int], lossless: bool) -> tuple[int, int, bytes]:
    """Run reencoded in the sandboxed process. Raises PictureUnusable."""
    return _run_in_sandbox(_PIXELS, data, largest, lossless=lossless)


def rasterised(svg: bytes, *, size: tuple[int, int]) -> tuple[int, int, bytes]:
    """Run drawn_svg in the sandboxed process. size: of the result, in the SVG's proportions. Raises PictureUnusable."""
    return _run_in_sandbox(_VECTORS, svg, size, lossless=True)


def _run_in_sandbox(task: int, data: bytes, largest: tuple[int, int], *, lossless: bool) -> tuple[int, int, bytes]:
    asked = _ASKED.pack(*largest, lossless, MOST_BYTES)
    try:
        answer = _helper.run(io.BytesIO(asked + data), task)
    except ProcessEnded:
        raise PictureUnusable("it is too large or too damaged to be decoded") from None
    except HelperUnavailable as error:
        raise PictureUnusable(f"it cannot be decoded now: {error}") from error
    kind, content = answer[:1], answer[1:]
    if kind == _REFUSED:
        raise PictureUnusable(content[:200].decode("utf-8", "replace"))
    if kind != _DRAWN or len(content) < _SIZE.size:
        raise PictureUnusable("the file is damaged")
    width, height = _SIZE.unpack_from(content)
    body = content[_SIZE.size :]
    fits = 0 < width <= largest[0] and 0 < height <= largest[1]
    if not fits or body[:4] != b"RIFF" or body[8:12] != b"WEBP" or len(body) > MOST_BYTES:
        raise PictureUnusable("the file is damaged")
    return width, height, body


def _draw(file: BinaryIO, task: int) -> bytes:
    *sides, lossless, most_bytes = _ASKED.unpack(file.read(_ASKED.size))
    largest = (sides[0], sides[1])
    try:
        if task == _VECTORS:
            width, height, body = drawn_svg(file.read(), largest=largest, most_bytes=most_bytes)
        else:
            width, height, body = reencoded(file.read(), largest=largest, lossless=lossless, most_bytes=most_bytes)
    except PictureUnusable as refused:
        return _REFUSED + str(refused).encode()
    return _DRAWN + _SIZE.pack(width, height) + body


if __name__ == "__main__":
    warnings.simplefilter("error", Image.DecompressionBombWarning)  # showing a warning would open the source file
    Image.init()  # load all plugins now: the sandbox allows no imports later
    serve(_draw, _LIMITS)
