"""The frame has the colour scheme of its page, and its language if the company supports it."""

import pytest
from playwright.sync_api import expect

from tests.site.embed.company_site import LINE, CompanySite, frame_of

pytestmark = pytest.mark.browser
BY_PREFERENCE = "@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }"


INK = {False: "rgb(22, 24, 29)", True: "rgb(236, 238, 241)"}
"""Of text in the frame: the page around shows through."""


@pytest.mark.parametrize(
    ("style", "option", "prefers", "dark"),
    [
        ("", "", "light", False),
        ("", "", "dark", False),  # the page itself stays white
        (":root { color-scheme: light dark }", "", "dark", True),
        ("body { background: #111; color: #eee }", "", "light", True),
        ("body { background: #111; color: oklch(.95 0 0) }", "", "light", True),
        ("body { background: #eee; color: color(srgb none none none) }", "", "dark", False),
        (BY_PREFERENCE, "", "dark", True),
        (BY_PREFERENCE, "", "light", False),
        ("body { color: #eee }", 'data-theme="light"', "dark", False),
        ("", 'data-theme="dark"', "light", True),
    ],
)
def test_the_frame_is_light_or_dark_like_its_page(
    company: CompanySite, style: str, option: str, prefers: str, dark: bool
):
    company.style, company.body = style, LINE.replace("async", f"{option} async")
    page = company.open(color_scheme=prefers)
    expect(frame_of(page).locator(".card")).to_have_count(8)
    expect(frame_of(page).locator("body")).to_have_css("color", INK[dark])
    frame_of(page).get_by_role("link", name="Welder 3", exact=True).click()
    expect(frame_of(page).locator("h1")).to_have_text("Welder 3")
    expect(frame_of(page).locator("body")).to_have_css("color", INK[dark])


@pytest.mark.parametrize("switch", ["documentElement", "body"])
def test_a_page_that_turns_dark_turns_the_frame_dark(company: CompanySite, switch: str):
    company.style = "html.dark body, body.dark { background: #111; color: #eee }"
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    expect(frame_of(page).locator("body")).to_have_css("color", INK[False])
    page.evaluate(f"document.{switch}.className = 'dark'")
    expect(frame_of(page).locator("body")).to_have_css("color", INK[True])


@pytest.mark.parametrize(
    ("lang", "option", "spoken"),
    [
        ("de-AT", "", "de"),
        ("de", "", "de"),
        ("en", "", "en"),
        ("fr", "", "en"),
        ("", "", "en"),
        ("en", 'data-lang="de"', "de"),
    ],
)
def test_the_frame_is_in_the_language_of_its_page(company: CompanySite, lang: str, option: str, spoken: str):
    company.lang, company.body = lang, LINE.replace("async", f"{option} async")
    page = company.open()
    expect(frame_of(page).locator("html")).to_have_attribute("lang", spoken)
    frame_of(page).get_by_role("link", name="Welder 3", exact=True).click()
    expect(frame_of(page).locator("h1")).to_have_text("Welder 3")
    expect(frame_of(page).locator("html")).to_have_attribute("lang", spoken)
