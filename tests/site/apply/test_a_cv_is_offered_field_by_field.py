"""With JavaScript, each empty field offers the value from the checked CV for one click."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.adapters.cv_reader.people import people
from tests.adapters.cv_reader.word_designs import docx_plain
from tests.builders import Portal
from tests.parts.wsgi import serving

pytestmark = pytest.mark.browser

ANNA = people()[12]


@pytest.fixture
def page(chromium: Browser, acme: Portal) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, locale="en-GB")
    with serving(acme.app) as origin:
        page = context.new_page()
        page.goto(f"{origin}/acme/jobs/job-1/apply")
        yield page
    context.close()


def choose(page: Page) -> None:
    content = docx_plain(ANNA)
    page.set_input_files("#cv", {"name": "cv.docx", "mimeType": "application/octet-stream", "buffer": content})
    expect(page.locator("[data-read]")).to_be_visible()


def use(page: Page, what: str):
    return page.get_by_role("button", name=f"Use “{what}”")


@pytest.mark.parametrize("acme", [{"max_cv_bytes": 200_000}], indirect=True)
def test_one_click_accepts_one_value_and_never_replaces_typed_text(page: Page):
    expect(page.get_by_role("button", name="Fill in from my CV")).to_be_hidden()
    page.fill("#firstName", "Änne")
    choose(page)
    expect(page.locator("[data-read-status]")).to_contain_text(
        "Your CV contains some of the information asked for below."
    )
    expect(use(page, "Anna")).to_be_hidden()
    use(page, "anna.mueller@example.de").press("Enter")
    expect(page.locator("#email")).to_have_value("anna.mueller@example.de")
    expect(page.locator("#email")).to_be_focused()
    expect(use(page, "anna.mueller@example.de")).to_be_hidden()
    page.fill("#phoneNumber", "+49 30 7654321")
    expect(use(page, "+49 30 1234567")).to_be_hidden()
    page.get_by_role("button", name="Use all suggestions").click()
    expect(page.locator("#lastName")).to_have_value("Müller")
    expect(page.locator("#networkUrl")).to_have_value("https://linkedin.com/in/anna-mueller")
    assert page.input_value("#firstName") == "Änne"
    assert page.input_value("#phoneNumber") == "+49 30 7654321"
    expect(page.locator("[data-read]")).to_be_hidden()
    expect(page.locator("[data-read-status]")).to_contain_text("Check that it is correct.")


@pytest.mark.parametrize("acme", [{"max_cv_bytes": 200_000}], indirect=True)
def test_removing_the_file_removes_the_offers(page: Page):
    choose(page)
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("[data-read]")).to_be_hidden()
    expect(page.locator(".read-one")).to_have_count(0)
