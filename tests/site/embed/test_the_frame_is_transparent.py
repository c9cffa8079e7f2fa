"""The frame has a transparent background and no margin, on pages of any design."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.site.embed.company_site import LINE, CompanySite, frame_of
from tests.site.embed.test_a_frame_is_as_tall_as_its_page import expect_to_fit

pytestmark = pytest.mark.browser

DOTS = "repeating-linear-gradient(45deg, #e9eef5 0 12px, #fdfdfb 12px 24px)"
HOSTS = {
    "light": "background: #fff; color: #222",
    "dark": "background: #16181d; color: #eee",
    "navy": "background: #0b1f4b; color: #fff",
    "patterned": f"background: {DOTS}; color: #222",
}
CLEAR = "rgba(0, 0, 0, 0)"


@pytest.mark.parametrize(
    ("host", "width", "lang"),
    [("light", 1280, "en"), ("dark", 390, "en"), ("navy", 1280, "en"), ("navy", 390, "ar"), ("patterned", 390, "en")],
)
def test_the_background_of_any_page_is_visible(company: CompanySite, tmp_path: Path, host: str, width: int, lang: str):
    company.style, company.lang = f"body {{ font-family: sans-serif; margin: 24px; {HOSTS[host]} }}", lang
    direction = ' dir="rtl"' if lang == "ar" else ""
    company.body = f"<section{direction}>{LINE}</section>".replace("async", f'data-lang="{lang}" async')
    page = company.open(viewport={"width": width, "height": 800}, color_scheme="dark" if host == "light" else "light")
    expect(frame_of(page).locator(".card")).to_have_count(8)
    expect_to_fit(page)
    for place in ("html", "body"):
        expect(frame_of(page).locator(place)).to_have_css("background-color", CLEAR)
    search = frame_of(page).locator(".search").bounding_box()
    assert (search["x"], search["x"] + search["width"]) == (24, width - 24)
    folder = Path(os.environ.get("PORTAL_PICTURES", tmp_path))
    page.screenshot(path=folder / f"embed-{host}-{width}-{lang}-list.png")
    frame_of(page).get_by_role("link", name="Welder 3", exact=True).click()
    expect(frame_of(page).locator("h1")).to_have_text("Welder 3")
    expect_to_fit(page)
    page.screenshot(path=folder / f"embed-{host}-{width}-{lang}-job.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("name", "is_clear"), [("", False), ('name="careers-portal"', True)])
def test_a_plain_frame_is_transparent_if_its_page_says_so(company: CompanySite, name: str, is_clear: bool):
    company.body = f'<iframe src="{{portal}}/acme/embed" width="900" height="700" {name}></iframe>'
    page = company.open()
    place = page.frame_locator("iframe")
    expect(place.locator(".card")).to_have_count(8)
    expect(place.locator("body")).to_have_css("background-color", CLEAR if is_clear else "rgb(255, 255, 255)")
    assert page.evaluate("document.querySelector('iframe').offsetWidth") > 890
