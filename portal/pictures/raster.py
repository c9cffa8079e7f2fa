"""PNG, JPEG, WebP and GIF, drawn anew: pixels alone are taken over, and so many as a page has use for."""

from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

from portal.errors import PictureUnusable

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
_MOST_PIXELS = 25_000_000
"""What a camera takes. A file of a few bytes can promise far more, so it is asked before a pixel is read."""
_QUALITIES = (82, 65, 45)


def redrawn(data: bytes, *, largest: tuple[int, int], lossless: bool, most_bytes: int) -> tuple[int, int, bytes]:
    """Width, height and a WebP of it, scaled down into `largest`. Raises PictureUnusable."""
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as found:
            return _redrawn(found, largest, lossless=lossless, most_bytes=most_bytes)
    except PictureUnusable:
        raise
    except UnidentifiedImageError as exc:
        raise PictureUnusable("it is none of SVG, PNG, JPEG, WebP and GIF") from exc
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as exc:
        raise PictureUnusable(_TOO_MANY) from exc
    except Exception as exc:  # a decoder that is fed with anything raises anything
        raise PictureUnusable("the file is damaged") from exc


_TOO_MANY = f"it has more than {_MOST_PIXELS // 1_000_000} million pixels"


def _redrawn(
    found: Image.Image, largest: tuple[int, int], *, lossless: bool, most_bytes: int
) -> tuple[int, int, bytes]:
    if found.width * found.height > _MOST_PIXELS:
        raise PictureUnusable(_TOO_MANY)
    found.draft("RGB", (2 * largest[0], 2 * largest[1]))  # a JPEG is read no larger than it is needed
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
