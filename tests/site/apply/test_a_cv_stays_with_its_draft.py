"""A CV that was stored is shown again with the draft of its form, in this tab, for as long as it is stored."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from portal.delivery.uploads.storing import delete_unclaimed
from tests.site.apply.applicant import CV
from tests.site.apply.upload_ahead import FORM, SEND, Ahead, ahead, fill

pytestmark = pytest.mark.browser

TENANT = """
[publish]
stages = ["Open"]
[site]
locales = ["en", "ar"]
[site.text.ar]
consent = "أوافق."
[apply]
phone_region = "DE"
consent = "I agree."
"""
DAY = 86_400


@pytest.fixture
def site(tmp_path: Path, chromium: Browser) -> Iterator[Ahead]:
    with ahead(tmp_path, chromium) as made:
        made.portal.write_tenant("acme", "Acme", TENANT)
        made.portal.parts.clock.sleep(1)
        yield made


def fill_with_cv(page: Page) -> None:
    fill(page)
    page.check("#consent")
    page.set_input_files("#cv", {"name": CV[0], "mimeType": "text/plain", "buffer": CV[1]})
    expect(page.locator(".field-stored")).to_contain_text(CV[0])


def expire(site: Ahead) -> None:
    """Delete the file as housekeeping does if no application used it."""
    services = site.portal.parts
    services.clock.sleep(2)
    assert delete_unclaimed(services.database, services.store, older_than=1, clock=services.clock) == 1


def sends(site: Ahead, page: Page) -> None:
    page.locator(".form-send button[type=submit]").click()
    page.wait_for_url(re.compile("/applications/"))
    assert site.files() == [CV[1]]
    assert len([one for one in site.posts if one.endswith("/uploads/direct")]) == 1


def test_after_a_reload_file_and_consent_are_restored_and_sent_with_the_form(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        page.reload()
        expect(page.locator(".field-stored")).to_contain_text(re.compile(r"cv\.txt \(TXT, .*kB\)"))
        expect(page.locator("#consent")).to_be_checked()
        assert page.locator("#cv").evaluate("field => field.files.length") == 0
        sends(site, page)
        assert page.evaluate("Object.keys(sessionStorage).filter(key => /^(draft|upload):/.test(key))") == []


def test_in_another_language_the_file_is_described_in_it(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        page.goto(f"{site.origin}{FORM}?lang=ar")
        expect(page.locator("[data-cv-name]")).to_have_text(CV[0])
        expect(page.locator("[data-cv-about]")).to_contain_text("TXT")
        expect(page.locator("#firstName")).to_have_value("Ada")
        expect(page.locator("#consent")).to_be_checked()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        sends(site, page)


def test_the_file_is_restored_after_a_visit_to_the_job_page(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        page.goto(site.origin + FORM.removesuffix("/apply"))
        page.go_back()
        expect(page.locator(".field-stored")).to_contain_text(CV[0])
        page.goto(site.origin + FORM.removesuffix("/apply"))
        page.goto(site.origin + FORM)
        expect(page.locator(".field-stored")).to_contain_text(CV[0])
        sends(site, page)


def test_a_form_with_an_expired_token_is_renewed_with_its_file(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        site.portal.parts.clock.sleep(DAY + 1)
        page.reload()
        expect(page.locator(".field-stored")).to_contain_text(CV[0])
        sends(site, page)


def test_an_expired_file_is_reported_above_the_form_before_it_is_sent(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        expire(site)
        page.reload()
        said = page.locator("[data-cv-gone]")
        expect(said).to_have_text("Your CV is no longer stored here. Choose it again.")
        expect(said).to_be_focused()
        expect(page.locator(".field-stored")).to_be_hidden()
        expect(page.locator("#firstName")).to_have_value("Ada")
        page.set_input_files("#cv", {"name": CV[0], "mimeType": "text/plain", "buffer": CV[1]})
        expect(page.locator(".field-stored")).to_contain_text(CV[0])
        expect(said).to_be_hidden()
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url(re.compile("/applications/"))
    assert site.files() == [CV[1]]


def test_a_second_tab_starts_empty(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        other = page.context.new_page()
        other.goto(site.origin + FORM)
        expect(other.locator(".field-call")).to_be_visible()
        expect(other.locator(".field-stored")).to_be_hidden()
        expect(other.locator("#firstName")).to_have_value("")
        expect(other.locator("#consent")).not_to_be_checked()


def test_a_cleared_or_removed_file_is_not_restored(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        page.get_by_role("button", name="Remove").click()
        page.reload()
        expect(page.locator("#consent")).to_be_checked()
        expect(page.locator(".field-stored")).to_be_hidden()
        page.set_input_files("#cv", {"name": CV[0], "mimeType": "text/plain", "buffer": CV[1]})
        expect(page.locator(".field-stored")).to_be_visible()
        page.reload()
        expect(page.locator(".field-stored")).to_be_visible()
        page.get_by_role("button", name="Clear it").click()
        expect(page.locator(".field-stored")).to_be_hidden()
        assert page.evaluate("sessionStorage.length") == 0
