import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.builders import Portal
from tests.parts.missing import missing
from tests.parts.wsgi import serving
from tests.site.apply.applicant import ADA, CV
from tests.site.apply.conftest import LIMIT

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node" / "node_modules" / "axe-core" / "axe.min.js"
SEND = "Send application"


@pytest.fixture
def address(acme: Portal) -> Iterator[str]:
    with serving(acme.app) as origin:
        yield f"{origin}/acme/jobs/job-1/apply"


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 360, "height": 800}, locale="en-GB")
    yield context.new_page()
    context.close()


def fill(page: Page, tmp_path: Path) -> None:
    cv = tmp_path / CV[0]
    cv.write_bytes(CV[1])
    for name, typed in ADA.items():
        if name == "country":
            page.select_option("#country", typed)
        else:
            page.fill(f"#{name}", typed)
    page.set_input_files("#cv", cv)


def test_a_tab_stores_typed_text_until_it_is_sent(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    fill(page, tmp_path)
    page.reload()
    expect(page.locator("#firstName")).to_have_value("Ada")
    expect(page.locator("#country")).to_have_value("DE")
    expect(page.get_by_text("What you entered earlier in this tab has been restored.")).to_be_visible()
    fill(page, tmp_path)
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url(re.compile("/applications/"))
    # The file name and the address stay for the receipt, in this tab; none of the typed text does.
    reference = page.url.rpartition("/")[2]
    kept = {"cv:acme/job-1": CV[0], f"sent-to:{reference}": ADA["email"]}
    assert page.evaluate("Object.fromEntries(Object.entries(sessionStorage))") == kept
    page.goto(address)
    expect(page.locator("#firstName")).to_have_value("")


def test_the_draft_can_be_cleared_and_contains_no_hidden_fields(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    fill(page, tmp_path)
    kept = page.evaluate("sessionStorage.getItem('draft:acme/job-1')")
    assert "Ada" in kept
    assert "token" not in kept
    assert "cv" not in kept
    page.reload()
    page.get_by_role("button", name="Clear it").click()
    expect(page.locator("#firstName")).to_have_value("")
    assert page.evaluate("sessionStorage.length") == 0


def test_a_file_that_is_too_large_is_reported_before_it_is_sent(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    large = tmp_path / "large.pdf"
    large.write_bytes(bytes(LIMIT + 1))
    page.set_input_files("#cv", large)
    expect(page.locator("#cv-error")).to_have_text(
        "This file is 20 kB. The limit is 20 kB. Saving it as a PDF often makes it smaller."
    )
    page.get_by_role("button", name=SEND).click()
    expect(page.locator("#cv")).to_be_focused()
    assert page.url == address
    fits = tmp_path / "fits.pdf"
    fits.write_bytes(bytes(LIMIT))
    page.set_input_files("#cv", fits)
    expect(page.locator("[data-chosen-for=cv]")).to_have_text("fits.pdf (20 kB)")


def test_a_file_of_another_type_is_reported_when_it_is_chosen(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    said = page.locator("[data-chosen-for=cv]")
    for name in ("My CV.pages", "CV.zip", "CV.svg"):
        (tmp_path / name).write_bytes(b"no document")
        page.set_input_files("#cv", tmp_path / name)
        expect(page.locator("#cv-error")).to_contain_text(f"“{name}” cannot be read as a CV.")
    expect(page.locator("#cv")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#cv")).to_have_attribute("aria-describedby", "cv-hint cv-error")
    page.get_by_role("button", name=SEND).click()
    expect(page.locator("#cv")).to_be_focused()
    assert page.url == address
    # A file name proves little: the server inspects the content.
    for name in ("cv.txt", "Lebenslauf", "cv.backup"):
        (tmp_path / name).write_bytes(CV[1])
        page.set_input_files("#cv", tmp_path / name)
        expect(said).to_have_text(re.compile(re.escape(name) + r" \("))


def test_an_old_error_disappears_when_a_new_file_is_chosen(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    fill(page, tmp_path)
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name=SEND).click()
    expect(page.locator("#cv-error")).to_be_visible()
    page.set_input_files("#cv", tmp_path / CV[0])
    expect(page.locator("#cv-error")).to_have_count(0)
    expect(page.locator("#cv")).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator(".form-summary .is-done")).to_have_count(1)
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url(re.compile("/applications/"))


def test_a_double_click_sends_once(page: Page, address: str, tmp_path: Path) -> None:
    posts: list[str] = []
    page.on("request", lambda one: posts.append(one.url) if one.method == "POST" and one.url == address else None)
    page.goto(address)
    fill(page, tmp_path)
    page.get_by_role("button", name=SEND).dblclick()
    page.wait_for_url(re.compile("/applications/"))
    assert len(posts) == 1


def test_the_focus_moves_to_the_summary_and_from_it_to_the_field(page: Page, address: str) -> None:
    page.goto(address)
    page.fill("#email", "ada")
    page.get_by_role("button", name=SEND).click()
    expect(page.locator(".form-summary")).to_be_focused()
    page.get_by_role("link", name="Enter an email address").click()
    expect(page.locator("#email")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_receipt_updates_automatically(acme: Portal, page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    fill(page, tmp_path)
    page.get_by_role("button", name=SEND).click()
    expect(page.locator(".receipt")).to_contain_text("Received")
    acme.work.deliver_what_is_due()
    expect(page.locator(".receipt")).to_contain_text("Your application is with Acme.")
    expect(page.locator(".timeline [aria-current]")).to_contain_text("With Acme")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_is_accessible_in_every_state(chromium: Browser, address: str, tmp_path: Path, scheme: str) -> None:
    if not AXE.exists():
        missing("axe-core is not installed: python tools/install_parts.py, with npm installed")
    context = chromium.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()

    def violations() -> list[str]:
        page.add_script_tag(path=AXE)
        found = page.evaluate("axe.run().then(r => r.violations.map(v => v.id + ' ' + v.nodes[0].html))")
        return [str(one) for one in found]

    page.goto(address)
    assert violations() == []
    fill(page, tmp_path)
    page.fill("#email", "ada")
    page.get_by_role("button", name=SEND).click()
    # The page of the response, identified by its error: an uploaded CV is shown as stored before the form is sent.
    expect(page.locator("#email-error")).to_be_visible()
    expect(page.locator(".field-stored")).to_be_visible()
    assert violations() == []
    page.fill("#email", ADA["email"])
    page.get_by_role("button", name=SEND).click()
    page.wait_for_url(re.compile("/applications/"))
    assert violations() == []
    context.close()


def test_an_error_disappears_when_its_field_is_corrected(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(address)
    fill(page, tmp_path)
    page.locator("#email").fill("ada")
    page.get_by_role("button", name=SEND).click()
    expect(page.locator("#email-error")).to_be_visible()
    page.locator("#firstName").fill("Augusta")
    expect(page.locator("#email-error")).to_be_visible()
    page.locator("#email").fill("ada@people.example")
    expect(page.locator("#email-error")).to_have_count(0)
    expect(page.locator("#email")).not_to_have_attribute("aria-invalid", "true")
    assert page.locator("#email").get_attribute("aria-describedby") == "email-hint"


def test_a_click_counts_if_the_button_moves_but_not_if_the_pointer_does(page: Page, address: str):
    page.goto(address)
    button = page.get_by_role("button", name=SEND)
    summary = page.locator("[data-summary]")
    for is_moved_away in (True, False):
        button.scroll_into_view_if_needed()
        at = button.bounding_box()
        assert at
        page.mouse.move(at["x"] + 20, at["y"] + 20)
        page.mouse.down()
        if is_moved_away:
            page.mouse.move(at["x"] + 20, at["y"] - 60)
        else:
            button.evaluate("button => button.style.translate = '0 -10rem'")
        page.mouse.up()
        page.wait_for_timeout(300)
        expect(summary).to_have_count(0 if is_moved_away else 1)
