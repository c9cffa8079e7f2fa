"""A job page shows the company below the job, on phone and desktop, in both schemes and text directions."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SEEN = "one => one.complete && one.naturalWidth > 0"


def open_job(page: Page, demo: RunningDemo, company: str, language: str) -> None:
    page.goto(f"{demo.portal}/{company}/?lang={language}")
    page.goto(page.locator(".card-title a").first.evaluate("one => one.href"))


def walk(page: Page) -> None:
    """Scroll through the page until all of its pictures are loaded."""
    for place in page.locator(".company img").all():
        place.scroll_into_view_if_needed()
        handle = place.element_handle()
        page.wait_for_function(f"one => ({SEEN})(one)", arg=handle)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("company", "language", "width"),
    [("acme", "en", 360), ("acme", "ar", 390), ("acme", "ar", 1280), ("acme", "de", 1440), ("globex", "fr", 390)],
)
def test_the_company_is_below_the_apply_button_and_fits(
    chromium: Browser, demo: RunningDemo, company: str, language: str, width: int, scheme: str
):
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    open_job(page, demo, company, language)
    expect(page.locator(".job-end .button").first).to_be_in_viewport() if width < 864 else None
    walk(page)
    assert page.evaluate(WIDER) <= 0
    ends, art = page.locator(".job-end").bounding_box(), page.locator(".company").bounding_box()
    assert ends["y"] + ends["height"] <= art["y"] + 1
    assert page.locator(".company .portrait").count() == 3
    about = page.locator(".company-about")
    lines = about.evaluate("one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)")
    assert 1 <= round(lines, 1) <= 3
    mark, intro = page.locator(".company-mark").bounding_box(), page.locator(".company-intro").bounding_box()
    from_start = mark["x"] - intro["x"] if language != "ar" else intro["x"] + intro["width"] - mark["x"] - mark["width"]
    assert 0 <= from_start < 40
    assert mark["y"] + mark["height"] < intro["y"]
    context.close()


def test_dark_pictures_are_shown_in_dark_mode(chromium: Browser, demo: RunningDemo):
    shown = {}
    for scheme in ("light", "dark"):
        context = chromium.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(f"{demo.portal}/acme/?lang=en")
        hero = page.locator(".hero .cover").evaluate("one => one.currentSrc")
        open_job(page, demo, "acme", "en")
        walk(page)
        strip = page.locator(".company .cover").evaluate("one => one.currentSrc")
        assert strip == hero
        logos = {
            page.locator(css).evaluate("one => one.currentSrc") for css in (".company-logo", ".site-header .brand-logo")
        }
        assert len(logos) == 1
        shown[scheme] = {strip, *logos}
        assert page.locator(".company .cover").evaluate("one => getComputedStyle(one).filter") == "none"
        context.close()
    assert shown["light"].isdisjoint(shown["dark"])


def test_without_dark_pictures_the_cover_is_dimmed_and_a_dark_logo_stays_visible(chromium: Browser, demo: RunningDemo):
    plate = {}
    for scheme in ("light", "dark"):
        context = chromium.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(f"{demo.portal}/globex/?lang=en")
        dimmed = [page.locator(".hero .cover").evaluate("one => getComputedStyle(one).filter") != "none"]
        open_job(page, demo, "globex", "en")
        walk(page)
        dimmed.append(page.locator(".company .cover").evaluate("one => getComputedStyle(one).filter") != "none")
        assert dimmed == [scheme == "dark"] * 2
        plate[scheme] = [
            page.locator(css).evaluate("one => getComputedStyle(one).backgroundColor")
            for css in (".company-mark", ".site-header .brand-logo")
        ]
        context.close()
    for colour in plate["dark"]:
        assert min(map(int, re.findall(r"\d+", colour)[:3])) > 220
    assert plate["light"][1] == "rgba(0, 0, 0, 0)"


def test_the_first_load_is_small(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context(viewport={"width": 390, "height": 600})
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/?lang=de")
    job = page.locator(".card-title a").first.evaluate("one => one.href")
    context.close()
    context = chromium.new_context(viewport={"width": 390, "height": 600})
    page = context.new_page()
    sent: dict[str, int] = {}
    page.on("requestfinished", lambda one: sent.update({one.url: one.sizes()["responseBodySize"]}))
    page.goto(job, wait_until="networkidle")
    assert 10_000 < sum(sent.values()) <= 50_000
    context.close()


def shared(chromium: Browser, demo: RunningDemo, script: str, width: int = 1280) -> tuple[Page, str]:
    context = chromium.new_context(viewport={"width": width, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.add_init_script(script)
    page = context.new_page()
    open_job(page, demo, "acme", "en")
    page.locator("[data-share]").click()
    return page, page.locator("link[rel=canonical]").get_attribute("href")


def test_the_share_button_copies_the_address_without_a_share_function(chromium: Browser, demo: RunningDemo):
    for width in (1280, 390):
        page, address = shared(chromium, demo, "delete Navigator.prototype.share", width)
        expect(page.locator("#shared")).to_have_text("Link copied")
        expect(page.locator("#shared")).to_be_in_viewport()
        assert page.evaluate("navigator.clipboard.readText()") == address
        assert page.evaluate(WIDER) <= 0
        page.context.close()


def test_the_share_button_uses_the_devices_share_function(chromium: Browser, demo: RunningDemo):
    device = "navigator.share = async told => { window.told = told }"
    page, address = shared(chromium, demo, device)
    page.wait_for_function("window.told")
    assert page.evaluate("window.told") == {"title": page.title(), "url": address}
    expect(page.locator("#shared")).to_have_text("")
    page.context.close()


def test_cancelled_sharing_shows_no_message(chromium: Browser, demo: RunningDemo):
    device = "navigator.share = async () => { window.asked = true; throw new DOMException('', 'AbortError') }"
    page, _ = shared(chromium, demo, device)
    page.wait_for_function("window.asked")
    expect(page.locator("#shared")).to_have_text("")
    page.context.close()


def test_an_address_that_cannot_be_copied_is_shown(chromium: Browser, demo: RunningDemo):
    plain = "delete Navigator.prototype.share; delete Navigator.prototype.clipboard"  # as on a site without https
    page, address = shared(chromium, demo, plain, 390)
    expect(page.locator("#shared")).to_have_text(f"Copy this link: {address}")
    assert page.evaluate(WIDER) <= 0
    page.context.close()


def test_without_scripts_there_is_no_share_button(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/")
    page.goto(demo.portal + page.locator(".card-title a").first.get_attribute("href"))
    expect(page.locator("[data-share]")).to_be_hidden()
    expect(page.locator(".company")).to_be_visible()
    context.close()


def test_only_the_job_is_printed(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context()
    page = context.new_page()
    open_job(page, demo, "acme", "en")
    page.emulate_media(media="print")
    for css in (".company", ".similar", "[data-share]"):
        expect(page.locator(css)).to_be_hidden()
    expect(page.locator(".prose")).to_be_visible()
    context.close()
