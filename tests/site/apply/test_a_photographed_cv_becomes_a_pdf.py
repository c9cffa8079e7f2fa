"""Pictures of a CV's pages become one PDF in the browser: a page each, upright, in the order they were chosen in."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect
from pypdf import PdfReader

from tests.site.apply.ahead import SEND, Ahead, ahead, fill

pytestmark = pytest.mark.browser

MOST = 3 * 1024 * 1024
ORIENTATION = 0x0112
RED, BLUE = 0, 2


@pytest.fixture
def site(tmp_path: Path, chromium: Browser) -> Iterator[Ahead]:
    with ahead(tmp_path, chromium) as made:
        yield made


def photo(name: str, size: tuple[int, int], colour: str, *, turned: bool = False, noisy: bool = False) -> dict:
    """As a camera takes it. turned: it was held upright, and says so in its EXIF alone."""
    picture = Image.effect_noise(size, 90).convert("RGB") if noisy else Image.new("RGB", size, colour)
    out, exif = io.BytesIO(), Image.Exif()
    if turned:
        exif[ORIENTATION] = 6
    picture.save(out, "JPEG", exif=exif, quality=95)
    return {"name": name, "mimeType": "image/jpeg", "buffer": out.getvalue()}


def is_mostly(colour: int, page) -> bool:
    (picture,) = page.images
    levels = picture.image.convert("RGB").resize((1, 1)).getpixel((0, 0))
    return levels[colour] > 200 and sum(levels) < 300


def test_two_photos_become_two_pages_that_the_portal_takes(site: Ahead) -> None:
    with site.window() as page:
        fill(page)
        assert page.locator("#cv").get_attribute("multiple") is not None
        assert "image/jpeg" in str(page.locator("#cv").get_attribute("accept"))
        chosen = [photo("IMG_1.jpg", (1600, 1200), "red", turned=True), photo("IMG_2.jpg", (1600, 1200), "blue")]
        page.set_input_files("#cv", chosen)
        expect(page.locator(".field-stored")).to_contain_text("IMG_1.pdf")
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url(re.compile("/applications/"))
    (content,) = site.files()
    first, second = PdfReader(io.BytesIO(content), strict=True).pages
    assert (first.mediabox.width, first.mediabox.height) == (595, 842)
    assert (second.mediabox.width, second.mediabox.height) == (842, 595)
    assert is_mostly(RED, first)
    assert is_mostly(BLUE, second)


def test_photos_that_are_large_leave_3_mb_at_most(site: Ahead) -> None:
    with site.window() as page:
        chosen = [photo(f"IMG_{n}.jpg", (2400, 3200), "", noisy=True) for n in range(3)]
        assert sum(len(one["buffer"]) for one in chosen) > 2 * MOST
        page.set_input_files("#cv", chosen)
        expect(page.locator(".field-stored")).to_contain_text("IMG_0.pdf")
        fill(page)
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url(re.compile("/applications/"))
    (content,) = site.files()
    assert MOST // 2 < len(content) <= MOST
    assert len(PdfReader(io.BytesIO(content), strict=True).pages) == 3


def test_a_picture_that_the_browser_cannot_open_is_named(site: Ahead) -> None:
    with site.window() as page:
        page.set_input_files("#cv", {"name": "IMG_1.HEIC", "mimeType": "image/heic", "buffer": b"\0\0\0\x18ftypheic"})
        said = "“IMG_1.HEIC” cannot be opened in this browser. Save it as a JPEG or PDF and choose it again."
        expect(page.locator("#cv-error")).to_have_text(said)


def test_several_files_that_are_no_pictures_are_too_many(site: Ahead) -> None:
    with site.window() as page:
        one = {"name": "cv.txt", "mimeType": "text/plain", "buffer": b"Ada"}
        page.set_input_files("#cv", [one, photo("IMG_2.jpg", (16, 12), "blue")])
        expect(page.locator("#cv-error")).to_have_text("Choose either one file or only photos of its pages.")


def test_the_script_for_pictures_is_read_when_somebody_chooses_one(site: Ahead) -> None:
    with site.window() as page:
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url))
        page.set_input_files("#cv", {"name": "cv.txt", "mimeType": "text/plain", "buffer": b"Ada Lovelace " * 30})
        expect(page.locator(".field-stored")).to_be_visible()
        assert not [one for one in asked if "cv-photos" in one]
        page.set_input_files("#cv", photo("IMG_2.jpg", (16, 12), "blue"))
        expect(page.locator(".field-stored")).to_contain_text("IMG_2.pdf")
        assert [one for one in asked if "cv-photos" in one]
