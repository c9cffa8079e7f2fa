"""Receipt and self-service in a real browser fit the screen, and the address is stored in its own tab only."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_a_candidate_maintains_her_record import code_for, enter_at_service
from tests.browser.test_public_pages_are_valid_and_accessible import AXE, RULES, RUN
from tests.judged.visit import application
from tests.parts.demo import RunningDemo
from tests.parts.missing import file

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]
LOOKS = [("en", 1280, "light"), ("ar", 360, "dark")]


def look_at(page: Page) -> None:
    """Check that there is no violation, and nothing wider than the screen."""
    page.evaluate(file(AXE, how="make test installs axe-core").read_text(encoding="utf-8"))
    assert page.evaluate(RUN, RULES) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def opened(chromium: Browser, width: int, scheme: str) -> Page:
    return chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme).new_page()


@pytest.mark.parametrize(("lang", "width", "scheme"), LOOKS)
def test_only_the_tab_that_sent_the_form_shows_the_address_on_the_receipt(
    chromium: Browser, demo: RunningDemo, files: Path, lang: str, width: int, scheme: str
):
    page, address = opened(chromium, width, scheme), f"ada.{lang}.glance@people.example"
    assert list(application(page, demo, lang, files / "cv.pdf", address))[-1] == "receipt"
    assert address not in page.context.request.get(page.url).text()
    expect(page.locator("[data-sent-to]")).to_have_text(address)
    expect(page.locator(".sent-anywhere")).to_be_hidden()
    look_at(page)
    elsewhere = opened(chromium, width, scheme)
    elsewhere.goto(page.url)
    expect(elsewhere.locator("[data-sent-to]")).to_be_hidden()
    expect(elsewhere.locator(".sent-anywhere")).to_be_visible()
    for one in (page, elsewhere):
        one.context.close()


@pytest.mark.parametrize(("lang", "width", "scheme"), LOOKS)
def test_self_service_uses_the_width_and_offers_the_data_as_files(
    chromium: Browser, demo: RunningDemo, files: Path, lang: str, width: int, scheme: str
):
    page, address = opened(chromium, width, scheme), f"ada.{lang}.wide@people.example"
    enter_at_service(demo, address)
    assert list(application(page, demo, lang, files / "cv.pdf", address))
    expect(page.locator("[data-state=sent]")).to_be_visible(timeout=20_000)
    page.goto(f"{demo.portal}/acme/profile?lang={lang}")
    page.locator("main [name=email]").fill(address)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/profile/code"))
    page.locator("[name=code]").fill(code_for(demo, address))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/profile/applications"))
    page.goto(f"{demo.portal}/acme/profile/applications?lang={lang}")
    look_at(page)
    steps = page.locator(".timeline li").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert (len(set(steps)) == 1) == (width == 1280)
    page.goto(f"{demo.portal}/acme/profile/data?lang={lang}")
    look_at(page)
    for name, start in {"data.pdf": b"%PDF-", "data.json": b"{"}.items():
        with page.expect_download() as saved:
            page.locator(f"a[href*='{name}']").click()
        assert Path(saved.value.path()).read_bytes().startswith(start)
    page.context.close()
