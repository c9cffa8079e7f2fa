"""A browser that prefers another language is offered it, once, in that language; nobody is redirected."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.parts.wsgi import serving
from tests.site.account.candidate import open_acme

pytestmark = pytest.mark.browser

FILE = '[publish]\nstages = ["Open"]\n[site]\nlocales = ["en", "de", "ar"]\n'


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[str]:
    portal = open_acme(tmp_path / "portal", file=FILE)
    with serving(portal.app) as address:
        yield address
    portal.parts.database.close()


def visit(chromium: Browser, address: str, locale: str) -> Page:
    page = chromium.new_context(locale=locale).new_page()
    answer = page.goto(address)
    assert answer
    assert answer.ok, answer.status_text
    return page


def test_the_offer_leads_to_the_same_page_in_that_language(chromium: Browser, origin: str):
    page = visit(chromium, f"{origin}/acme/jobs/job-1", "de-AT")
    page.get_by_role("link", name="Diese Seite gibt es auch auf Deutsch.").click()
    page.wait_for_url("**/acme/jobs/job-1?lang=de")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("[data-language-offer]")).to_be_hidden()
    page.context.close()


@pytest.mark.parametrize(("path", "locale"), [("/acme/", "en-US"), ("/acme/", "sv-SE"), ("/acme/?lang=en", "de-DE")])
def test_nothing_is_offered_to_readers_of_the_language_or_after_a_choice(
    chromium: Browser, origin: str, path: str, locale: str
):
    page = visit(chromium, origin + path, locale)
    page.wait_for_load_state("networkidle")
    expect(page.locator("[data-language-offer]")).to_be_hidden()
    page.context.close()


def test_a_declined_offer_is_not_repeated(chromium: Browser, origin: str):
    page = visit(chromium, f"{origin}/acme/", "ar-EG")
    offer = page.locator("[data-language-offer]")
    expect(offer.locator("p[lang=ar]")).to_be_visible()
    expect(offer.locator("p[lang=de]")).to_be_hidden()
    offer.get_by_role("button").and_(page.locator("p[lang=ar] button")).click()
    expect(offer).to_be_hidden()
    page.goto(f"{origin}/acme/jobs/job-1")
    page.wait_for_load_state("networkidle")
    expect(offer).to_be_hidden()
    page.context.close()


def test_the_language_switch_works_by_keyboard_and_without_scripts(chromium: Browser, origin: str):
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(f"{origin}/acme/")
    page.locator(".languages summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Deutsch")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/acme/?lang=de")
    page.context.close()
