"""The CV of a record is uploaded before its form is sent, like that of an application."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.parts.files import pdf_of, real
from tests.parts.wsgi import serving
from tests.site.account.candidate import ADA, code_in, mailbox, open_acme
from tests.site.apply.upload_ahead import has_sent, slow_down

pytestmark = pytest.mark.browser


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """Ada's profile form in a browser."""
    acme = open_acme(tmp_path / "portal")
    context = chromium.new_context(viewport={"width": 390, "height": 844}, locale="en-GB")
    with serving(acme.app) as origin:
        page = context.new_page()
        page.goto(f"{origin}/acme/profile")
        page.locator("[name=email]").fill(ADA)
        page.get_by_role("button", name="Send me a code").click()
        page.wait_for_url(re.compile("/profile/code$"))
        acme.work.deliver_what_is_due()
        page.locator("[name=code]").fill(code_in(mailbox(acme)[-1]))
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(re.compile("/profile/applications$"))
        page.goto(f"{origin}/acme/profile/edit")
        yield page
        context.close()
    acme.parts.database.close()


def test_the_file_is_uploaded_once_and_the_review_names_it(page: Page) -> None:
    page.set_input_files("#cv", {"name": "Ada.pdf", "mimeType": "", "buffer": real("cv.pdf")})
    expect(page.locator(".field-stored")).to_contain_text("Ada.pdf")
    assert page.locator("#cv").evaluate("field => field.files.length") == 0
    page.get_by_role("button", name="Review changes").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Review your changes")
    expect(page.locator("main")).to_contain_text("Ada.pdf")


def test_an_added_row_waits_for_the_upload_and_the_file_is_kept(page: Page, tmp_path: Path) -> None:
    cv = tmp_path / "Ada.pdf"
    cv.write_bytes(pdf_of(2_000_000))
    slow_down(page, 500_000)
    page.set_input_files("#cv", cv)
    has_sent(page, 0.05)
    page.get_by_role("button", name="Add an email address").click()
    expect(page.locator(".form-wait")).to_contain_text("The form will continue as soon as your CV is ready.")
    expect(page.locator("[name=emails-1-email]")).to_be_visible()
    expect(page.locator(".field-stored")).to_contain_text("Ada.pdf")


def test_a_rejected_file_is_no_change(page: Page) -> None:
    page.set_input_files("#cv", {"name": "Ada.pdf", "mimeType": "", "buffer": real("locked.pdf")})
    expect(page.locator("#cv-error")).to_contain_text("password")
    page.fill("[name=firstName]", "Augusta")
    page.get_by_role("button", name="Review changes").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Review your changes")
    expect(page.locator("main")).not_to_contain_text("Ada.pdf")
