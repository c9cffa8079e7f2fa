"""Photos become one PDF in the browser: a page for each, upright, in the order in which they were chosen."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from pypdf import PdfReader

from tests.site.apply.photos import MODEL, choose, go_on, photo, shown
from tests.site.apply.upload_ahead import SEND, Ahead, ahead, fill

pytestmark = pytest.mark.browser

MOST = 3 * 1024 * 1024


@pytest.fixture
def site(tmp_path: Path, chromium: Browser) -> Iterator[Ahead]:
    with ahead(tmp_path, chromium) as made:
        yield made


def test_photos_become_pages_of_a_pdf_without_camera_metadata(site: Ahead) -> None:
    with site.window() as page:
        fill(page)
        assert page.locator("#cv").get_attribute("multiple") is not None
        assert "image/jpeg" in str(page.locator("#cv").get_attribute("accept"))
        expect(page.locator("#cv-hint")).to_contain_text("photos of its pages (JPEG, PNG, WebP)")
        chosen = [photo("IMG_1.jpg", (1200, 1600), "red", turned=True), photo("IMG_2.jpg", (1600, 1200), "blue")]
        assert all(MODEL.encode() in one["buffer"] for one in chosen)
        choose(page, *chosen)
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url(re.compile("/applications/"))
    (content,) = site.files()
    first, second = PdfReader(io.BytesIO(content), strict=True).pages
    assert (first.mediabox.width, first.mediabox.height) == (595, 842)
    assert (second.mediabox.width, second.mediabox.height) == (842, 595)
    assert shown(content) == [("red", "bottom"), ("blue", "bottom")]
    assert MODEL.encode() not in content
    assert b"Exif" not in content


@pytest.mark.verify
def test_large_photos_result_in_at_most_3_mb(site: Ahead) -> None:
    with site.window() as page:
        chosen = [photo(f"IMG_{n}.jpg", (2400, 3200), "", noisy=True) for n in range(3)]
        assert sum(len(one["buffer"]) for one in chosen) > 2 * MOST
        choose(page, *chosen)
        fill(page)
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url(re.compile("/applications/"))
    (content,) = site.files()
    assert MOST // 2 < len(content) <= MOST
    assert len(PdfReader(io.BytesIO(content), strict=True).pages) == 3


def test_pages_that_are_too_large_together_are_kept_until_one_is_removed(tmp_path: Path, chromium: Browser) -> None:
    with ahead(tmp_path, chromium, max_cv_bytes=100_000) as site, site.window() as page:
        choose(page, photo("IMG_1.jpg", (1200, 1600), "", noisy=True), photo("IMG_2.jpg", (120, 160), "blue"))
        fill(page)
        expect(page.locator("#cv-error")).to_have_text(
            "These pages are too large together, even at low quality. The limit is 98 kB. Remove a page."
        )
        expect(page.locator(".cv-page")).to_have_count(2)
        page.get_by_role("button", name=SEND).click()
        expect(page.locator("#cv")).to_be_focused()
        page.get_by_role("button", name="Remove page 1").click()
        expect(page.locator("#cv-error")).to_have_count(0)
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url(re.compile("/applications/"))
        (content,) = site.files()
        assert shown(content) == [("blue", "bottom")]


def test_an_unreadable_photo_is_named_and_the_others_become_pages(site: Ahead) -> None:
    heic = {"name": "IMG_1.HEIC", "mimeType": "image/heic", "buffer": b"\0\0\0\x18ftypheic"}
    said = "“IMG_1.HEIC” cannot be opened in this browser. Save it as a JPEG or PDF and choose it again."
    with site.window() as page:
        page.set_input_files("#cv", heic)
        expect(page.locator("#cv-error")).to_have_text(said)
        expect(page.locator(".cv-page")).to_have_count(0)
        choose(page, photo("IMG_2.jpg", (120, 160), "blue"))
        expect(page.locator("#cv-error")).to_have_count(0)
        page.set_input_files("#cv", heic)
        expect(page.locator("#cv-error")).to_have_text(said)
        go_on(page)
        expect(page.locator(".field-stored")).to_contain_text("1 page")


def test_a_cv_has_at_most_20_photographed_pages(site: Ahead) -> None:
    with site.window() as page:
        page.set_input_files("#cv", [photo(f"IMG_{n}.jpg", (15, 20), "blue") for n in range(21)])
        expect(page.locator("#cv-error")).to_contain_text("A CV can have up to 20 photographed pages.")
        expect(page.locator(".cv-page")).to_have_count(20)


def test_a_cv_is_either_one_file_or_photos(site: Ahead) -> None:
    with site.window() as page:
        text = {"name": "cv.txt", "mimeType": "text/plain", "buffer": b"Ada Lovelace " * 30}
        one = photo("IMG_2.jpg", (120, 160), "blue")
        page.set_input_files("#cv", [text, one])
        expect(page.locator("#cv-error")).to_have_text("Choose either one file or only photos of its pages.")
        choose(page, one)
        page.set_input_files("#cv", text)
        expect(page.locator("#cv-error")).to_contain_text("Your CV consists of photos now.")
        expect(page.locator(".cv-page")).to_have_count(1)
        page.get_by_role("button", name="Remove all pages").click()
        expect(page.locator(".cv-page")).to_have_count(0)
        page.set_input_files("#cv", text)
        expect(page.locator(".field-stored")).to_contain_text("cv.txt")


def test_the_scripts_for_photos_are_loaded_only_when_needed(site: Ahead) -> None:
    with site.window() as page:
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url))
        page.set_input_files("#cv", {"name": "cv.txt", "mimeType": "text/plain", "buffer": b"Ada Lovelace " * 30})
        expect(page.locator(".field-stored")).to_be_visible()
        assert not [one for one in asked if "cv-photos" in one or "cv-pages" in one]
        choose(page, photo("IMG_2.jpg", (120, 160), "blue"))
        assert [one for one in asked if "cv-photos" in one]
        assert [one for one in asked if "cv-pages" in one]
