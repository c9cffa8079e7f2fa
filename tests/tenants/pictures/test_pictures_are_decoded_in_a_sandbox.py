"""Pillow decodes fetched pictures only in a process without access to database, files or network."""

import io
import time

import pytest
from PIL import Image

from portal.platform.errors import PictureUnusable
from portal.tenants.pictures import drawing
from portal.tenants.pictures.checking import checked
from portal.tenants.pictures.tables import PictureKind


def picture(kind: str, size: tuple[int, int] = (3_000, 3_000)) -> bytes:
    out = io.BytesIO()
    Image.effect_noise(size, 60).convert("RGB").save(out, kind)
    return out.getvalue()


def test_the_decoding_process_has_no_forbidden_capabilities() -> None:
    assert drawing._helper.forbidden_capabilities() == []


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_every_format_is_decoded_in_the_sandbox_only(kind: str) -> None:
    data = picture(kind, (1_500, 600))
    taken: list[float] = []
    run = drawing._helper.run
    before = time.thread_time()
    found = checked(data, PictureKind.COVER)
    here = time.thread_time() - before
    run(io.BytesIO(drawing._ASKED.pack(1_920, 1_280, False, 1_000_000) + data), report_cpu=taken.append)
    until = time.monotonic() + 20
    while not taken and time.monotonic() < until:
        time.sleep(0.01)
    assert (found.media_type, found.width, found.height) == ("image/webp", 1_500, 600)
    assert here < taken[0] / 2


def test_a_picture_that_crashes_the_process_is_unusable_and_the_next_is_decoded() -> None:
    head = bytearray(picture("PNG", (64, 64)))
    head[len(head) // 2 :] = b"\0" * 40
    with pytest.raises(PictureUnusable):
        checked(bytes(head), PictureKind.LOGO)
    assert checked(picture("PNG", (64, 64)), PictureKind.LOGO).width == 64


def test_the_largest_accepted_photo_is_decoded_within_the_limits() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (5_000, 5_000), (1, 2, 3, 4)).save(out, "PNG")
    assert checked(out.getvalue(), PictureKind.COVER).height == 1_280
