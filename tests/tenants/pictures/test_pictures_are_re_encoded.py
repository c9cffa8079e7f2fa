"""Only the pixels of a fetched picture are used, within limits."""

import struct
import zlib
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from portal.platform.errors import PictureUnusable
from portal.tenants.pictures.checking import MOST_FETCHED, checked
from portal.tenants.pictures.tables import PictureKind
from tests.tenants.pictures.internet import photo


def opened(body: bytes) -> Image.Image:
    return Image.open(BytesIO(body))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_each_format_becomes_one_that_every_browser_shows(kind: str):
    made = checked(photo(400, 300, kind), PictureKind.COVER)
    assert (made.media_type, made.width, made.height) == ("image/webp", 400, 300)
    assert opened(made.body).size == (400, 300)


def test_metadata_is_removed():
    exif = Image.Exif()
    exif[0x010E] = "taken at the home of jane@people.example"
    made = checked(photo(kind="JPEG", exif=exif, comment=b"jane"), PictureKind.COVER)
    assert b"jane" not in made.body
    assert not opened(made.body).getexif()


def test_pictures_are_rotated_upright():
    exif = Image.Exif()
    exif[0x0112] = 6
    made = checked(photo(400, 300, "JPEG", exif=exif), PictureKind.COVER)
    assert (made.width, made.height) == (300, 400)


def test_transparency_is_kept():
    assert opened(checked(photo(mode="RGBA"), PictureKind.LOGO).body).mode == "RGBA"


def test_pictures_are_scaled_to_the_displayed_size():
    logo, cover = checked(photo(2000, 2000), PictureKind.LOGO), checked(photo(4000, 1000), PictureKind.COVER)
    assert (logo.width, logo.height) == (160, 160)
    assert (cover.width, cover.height) == (1920, 480)


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_that_promises(width: int, height: int) -> bytes:
    """Return a PNG of a few hundred bytes with any declared size."""
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize(("width", "height"), [(5_000, 5_001), (12_000, 9_000), (60_000, 60_000)])
def test_a_file_that_declares_too_many_pixels_is_not_decoded(width: int, height: int):
    with pytest.raises(PictureUnusable, match="25 million pixels"):
        checked(png_that_promises(width, height), PictureKind.COVER)


def test_the_maximum_number_of_pixels_is_accepted():
    assert checked(photo(5_000, 5_000, mode="1"), PictureKind.COVER).width == 1280


@pytest.mark.parametrize("kind", PictureKind)
def test_the_size_limit_is_exact(kind: PictureKind):
    inside = photo(64, 64)
    checked(inside + b"\0" * (MOST_FETCHED[kind] - len(inside)), kind)
    with pytest.raises(PictureUnusable, match="more than"):
        checked(inside + b"\0" * (MOST_FETCHED[kind] - len(inside) + 1), kind)


def test_a_picture_too_small_to_see_is_rejected():
    assert checked(photo(8, 8), PictureKind.LOGO).width == 8
    with pytest.raises(PictureUnusable, match="8 at least"):
        checked(photo(7, 8), PictureKind.LOGO)


@pytest.mark.parametrize("data", [b"", b"<html>not found</html>", b"%PDF-1.7", b"BM" + b"\0" * 60, b"II*\0" * 20])
def test_other_formats_are_rejected_with_the_accepted_ones(data: bytes):
    with pytest.raises(PictureUnusable, match="none of SVG, PNG, JPEG, WebP and GIF"):
        checked(data, PictureKind.LOGO)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_is_rejected_or_shown(data: st.DataObject):
    whole = bytearray(photo(64, 48, data.draw(st.sampled_from(["PNG", "JPEG", "WEBP", "GIF"]))))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        made = checked(bytes(whole[: data.draw(st.integers(1, len(whole)))]), PictureKind.LOGO)
    except PictureUnusable:
        return
    assert opened(made.body).format == "WEBP"
