"""With JavaScript a CV is uploaded before its form is sent, and without it together with the form."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.parts.files import pdf_of, real
from tests.parts.misbehaving import refused
from tests.site.apply.applicant import CV
from tests.site.apply.upload_ahead import SEND, Ahead, ahead, fill, has_sent, slow_down

pytestmark = pytest.mark.browser

LARGE = 2_000_000
DROP = """([name, type, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name, {type}));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true});
    document.querySelector("#city").dispatchEvent(event);
    if (kind === "dragover") window.wasOver = document.querySelector(".is-over") !== null;
  }
  return window.wasOver && document.querySelector(".is-over") === null;
}"""
PASTE = """([name, type, text]) => {
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([text], name, {type}));
  document.querySelector("#city").dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true}));
}"""


@pytest.fixture
def site(tmp_path: Path, chromium: Browser) -> Iterator[Ahead]:
    with ahead(tmp_path, chromium) as made:
        yield made


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "Ada.pdf"
    path.write_bytes(pdf_of(LARGE))
    return path


def small(page: Page) -> None:
    page.set_input_files("#cv", {"name": CV[0], "mimeType": "text/plain", "buffer": CV[1]})


def send(page: Page) -> None:
    page.get_by_role("button", name=SEND).click()


def sent(page: Page) -> None:
    send(page)
    page.wait_for_url(re.compile("/applications/"))


def test_a_file_chosen_offline_is_uploaded_when_the_connection_is_back(site: Ahead) -> None:
    with site.window() as page:
        page.context.set_offline(True)
        page.set_input_files("#cv", {"name": "cv.pdf", "mimeType": "application/pdf", "buffer": real("cv.pdf")})
        expect(page.locator("[data-cv-said]")).to_contain_text("There is no connection right now.")
        fill(page)
        send(page)
        expect(page.locator(".form-wait")).to_contain_text("Your CV is kept in this tab")
        page.context.set_offline(False)
        page.wait_for_url(re.compile("/applications/"))
    assert site.files() == [real("cv.pdf")]


def test_an_upload_can_be_cancelled_and_another_file_chosen(site: Ahead, large: Path) -> None:
    with site.window() as page:
        fill(page)
        slow_down(page, 200_000)
        page.set_input_files("#cv", large)
        has_sent(page, 0.01)
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".field-way")).to_be_hidden()
        expect(page.locator("#cv")).to_be_focused()
        assert page.locator("#cv").input_value() == ""
        small(page)
        expect(page.locator(".field-stored")).to_contain_text(CV[0])
        sent(page)
    assert site.files() == [CV[1]]


def test_the_last_chosen_file_is_used(site: Ahead, large: Path) -> None:
    with site.window() as page:
        fill(page)
        slow_down(page, 200_000)
        page.set_input_files("#cv", large)
        has_sent(page, 0.01)
        small(page)
        expect(page.locator(".field-stored")).to_contain_text(CV[0])
        sent(page)
    assert site.files() == [CV[1]]


def test_a_waiting_form_can_be_cancelled(site: Ahead, large: Path) -> None:
    with site.window() as page:
        fill(page)
        slow_down(page, 500_000)
        page.set_input_files("#cv", large)
        has_sent(page, 0.01)
        send(page)
        page.get_by_role("button", name="Do not send it yet").click()
        expect(page.locator(".form-wait")).to_be_hidden()
        expect(page.get_by_role("button", name=SEND)).to_be_focused()
        expect(page.locator(".field-stored")).to_be_visible()
        assert page.url.endswith("/apply")
        assert site.files() == []
        sent(page)
    assert len(site.files()) == 1


def test_progress_is_announced_in_quarters_and_at_the_end(site: Ahead, large: Path) -> None:
    with site.window() as page:
        slow_down(page, 700_000)
        page.set_input_files("#cv", large)
        expect(page.locator(".field-stored")).to_be_visible()
    *on_its_way, looked_at, here = site.said
    assert set(on_its_way) <= {f"Your CV is being uploaded: {share}%." for share in (0, 25, 50, 75, 100)}
    assert len(on_its_way) >= 3
    assert looked_at == "Your CV has been uploaded and is being checked."
    assert here.startswith("Ada.pdf (PDF, 1 page, 2 MB) Your file has been uploaded.")


def test_a_rejection_by_the_server_is_shown_at_the_field_and_the_form_stays(site: Ahead) -> None:
    with site.window() as page:
        fill(page)
        page.set_input_files("#cv", {"name": "cv.pdf", "mimeType": "", "buffer": real("locked.pdf")})
        error = page.locator("#cv-error")
        expect(error).to_contain_text("password")
        expect(page.locator("#cv")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#cv")).to_have_attribute("aria-describedby", "cv-hint cv-error")
        send(page)
        expect(page.locator("#cv")).to_be_focused()
        expect(page.locator("#firstName")).to_have_value("Ada")
        small(page)
        expect(error).to_have_count(0)
        expect(page.locator(".field-stored")).to_be_visible()
        sent(page)
    assert site.files() == [CV[1]]


def test_a_form_whose_file_is_rejected_is_not_sent(site: Ahead) -> None:
    with site.window() as page:
        fill(page)
        page.context.set_offline(True)
        page.set_input_files("#cv", {"name": "cv.pdf", "mimeType": "", "buffer": real("locked.pdf")})
        send(page)
        page.focus("#city")
        page.context.set_offline(False)
        expect(page.locator(".form-wait")).to_contain_text("Nothing has been sent yet")
        expect(page.locator("#cv-error")).to_contain_text("password")
        expect(page.locator("#city")).to_be_focused()
        assert page.url.endswith("/apply")


@pytest.mark.parametrize("how", [DROP, PASTE], ids=["dropped", "pasted"])
def test_a_file_can_be_dropped_anywhere_on_the_page(site: Ahead, how: str) -> None:
    with site.window() as page:
        fill(page)
        assert page.evaluate(how, ["Ada.txt", "text/plain", CV[1].decode()]) is not False
        expect(page.locator(".field-stored")).to_contain_text("Ada.txt")
        assert page.locator("#cv").input_value() == ""
        sent(page)
    assert site.files() == [CV[1]]


def test_an_uploaded_file_can_be_removed_and_is_then_required(site: Ahead) -> None:
    with site.window() as page:
        fill(page)
        small(page)
        expect(page.locator(".field-stored")).to_be_visible()
        page.get_by_role("button", name="Remove").click()
        expect(page.locator(".field-stored")).to_be_hidden()
        expect(page.locator("#cv")).to_be_focused()
        send(page)
        expect(page.locator("#cv-error")).to_contain_text("Choose your CV.")


def test_a_form_with_errors_shows_the_file_which_was_uploaded_once(site: Ahead) -> None:
    with site.window() as page:
        fill(page)
        page.fill("#email", "ada")
        page.set_input_files("#cv", {"name": "Ada.pdf", "mimeType": "", "buffer": real("cv.pdf")})
        expect(page.locator(".field-stored")).to_be_visible()
        assert page.locator("#cv").evaluate("field => field.files.length") == 0
        send(page)
        expect(page.locator("#email-error")).to_be_visible()
        expect(page.locator(".field-stored")).to_contain_text("Ada.pdf")
        page.fill("#email", "ada@people.example")
        sent(page)
    assert site.files() == [real("cv.pdf")]


@pytest.mark.xdist_group("radosgw")
def test_without_access_to_the_bucket_the_file_is_sent_with_the_form(
    tmp_path: Path, chromium: Browser, request: pytest.FixtureRequest
) -> None:
    with ahead(tmp_path, chromium, request.getfixturevalue("s3"), s3_public=refused()) as site, site.window() as page:
        fill(page)
        small(page)
        expect(page.locator(".field-way")).to_have_attribute("data-state", "chosen")
        expect(page.locator("[data-cv-said]")).to_have_text("")
        sent(page)
        assert site.files() == [CV[1]]


def test_without_scripts_the_file_is_sent_with_the_form(site: Ahead) -> None:
    with site.window(java_script_enabled=False) as page:
        expect(page.locator(".field-call")).to_be_hidden()
        fill(page)
        small(page)
        sent(page)
    assert site.files() == [CV[1]]
    assert not [one for one in site.posts if "/uploads/" in one]
