"""Re-encodes PNG, JPEG, WebP and GIF: only pixels are kept, and no more of them than a page needs."""

from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

from portal.platform.errors import PictureUnusable

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
_MOST_PIXELS = 25_000_000
"""A camera's resolution. A file of a few bytes can declare far more, so this is checked before pixels are decoded."""
MOST_BYTES = 1024 * 1024
"""Of a stored picture."""
_QUALITIES = (82, 65, 45)


def redrawn(data: bytes, *, largest: tuple[int, int], lossless: bool, most_bytes: int) -> tuple[int, int, bytes]:
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
