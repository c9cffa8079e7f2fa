"""A visitor applies inside the company's page, from list to receipt, without third-party cookies.

Browsers that block third-party cookies also partition storage by the embedding site: a draft is stored there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.parts.chromium import arguments, executable
from tests.site.apply.applicant import ADA, CV
from tests.site.embed.company_site import CompanySite, frame_of

pytestmark = pytest.mark.browser
SEND = "Send application"


@pytest.fixture
def blocking(company: CompanySite, chromium: Browser) -> Iterator[CompanySite]:
    """The company's page in a browser that blocks all storage in cross-site frames."""
    args = [*arguments(), "--test-third-party-cookie-phaseout"]
    company.browser = chromium.browser_type.launch(executable_path=executable(), args=args)
    yield company
    company.close_windows()
    company.browser.close()


def fill_in(form: FrameLocator, cv: Path) -> None:
    cv.write_bytes(CV[1])
    for name, typed in ADA.items():
        if name == "country":
            form.locator("#country").select_option(typed)
        else:
            form.locator(f"#{name}").fill(typed)
    form.locator("#cv").set_input_files(cv)


SENDS = """() => performance.getEntriesByType('resource').some(one => /cv-sending/.test(one.name) && one.responseEnd)"""
"""The script is there that sends a file ahead of its form."""


def send(form: FrameLocator) -> None:
    """Press the button once it no longer moves: it moves when the file was checked, and a click may miss it."""
    expect(form.locator("[data-cv-here]")).to_be_visible()
    form.get_by_role("button", name=SEND).click()


def to_the_form(page: Page) -> FrameLocator:
    frame = frame_of(page)
    frame.get_by_role("link", name="Welder 3", exact=True).click()
    frame.locator(".job-end a", has_text="Apply for this job").click()
    expect(frame.locator("h1")).to_have_text("Apply for Welder 3")
    return frame


def test_cv_and_receipt_need_no_cookie_and_no_storage(blocking: CompanySite, tmp_path: Path):
    page = blocking.open(f"/jobs?utm_source=letter&utm_medium=e%20mail&ref=friend&q=mine&gh_src={'x' * 201}")
    form = to_the_form(page)
    # The source is passed on to the form, unless it is too long.
    sources = page.frames[1].evaluate("[...new URLSearchParams(location.search)]")
    assert sorted(sources) == [["lang", "en"], ["ref", "friend"], ["utm_medium", "e mail"], ["utm_source", "letter"]]
    assert page.frames[1].evaluate("document.cookie = 'a=1; SameSite=None'; document.cookie") == ""
    assert page.frames[1].evaluate("(() => { try { return localStorage } catch { return 'denied' } })()") == "denied"
    fill_in(form, tmp_path / CV[0])
    send(form)
    expect(form.locator(".receipt")).to_contain_text(re.compile("Received|Sent"))
    assert page.context.cookies() == []
    assert page.url.endswith("&job=job-3")
    reference = form.locator("dd code").inner_text()
    assert reference not in page.evaluate("location.href + JSON.stringify(history.state)")
    with page.expect_popup() as popup:
        form.get_by_role("link", name="this receipt").click()
    expect(popup.value.locator(".site-header")).to_be_visible()
    assert popup.value.url == f"{blocking.careers_origin}/acme/applications/{reference}"
    form.get_by_role("link", name="See more jobs").click()
    expect(form.locator(".card")).to_have_count(8)
    assert "job=" not in page.url


def test_cv_and_receipt_work_with_partitioned_storage(partitioning: CompanySite, tmp_path: Path):
    page = partitioning.open()
    form = to_the_form(page)
    fill_in(form, tmp_path / CV[0])
    assert page.frames[1].evaluate("sessionStorage.length") >= 1
    send(form)
    expect(form.locator(".receipt")).to_contain_text(re.compile("Received|Sent"))
    assert page.frames[1].evaluate("localStorage.mine = 1") == 1
    with page.expect_popup() as popup:
        form.get_by_role("link", name="this receipt").click()
    expect(popup.value.locator(".receipt")).to_be_visible()
    assert popup.value.evaluate("localStorage.mine ?? 'kept apart'") == "kept apart"
    assert page.context.cookies() == []
    page.evaluate("history.back()")  # the page itself stays, so Playwright's go_back would wait
    expect(form.locator("h1")).to_have_text("Apply for Welder 3")


def test_an_invalid_field_is_visible_and_nothing_typed_is_lost(company: CompanySite, tmp_path: Path):
    page = company.open(viewport={"width": 390, "height": 700})
    form = to_the_form(page)
    fill_in(form, tmp_path / CV[0])
    form.locator("#email").fill("not an address")
    send(form)
    summary = form.get_by_role("alert").first
    expect(summary).to_be_in_viewport()
    summary.get_by_role("link").first.click()
    expect(form.locator("#email")).to_be_focused()
    expect(form.locator("#email")).to_be_in_viewport()
    expect(form.locator("#firstName")).to_have_value("Ada")
    form.locator("#email").fill(ADA["email"])
    form.get_by_role("button", name=SEND).click()
    expect(form.locator(".receipt")).to_contain_text(re.compile("Received|Sent"))


def test_a_portal_that_becomes_unavailable_loses_nothing_typed(blocking: CompanySite, tmp_path: Path):
    page = blocking.open()
    form = to_the_form(page)
    fill_in(form, tmp_path / CV[0])
    expect(form.locator("[data-cv-here]")).to_be_visible()
    blocking.careers.down()
    form.get_by_role("button", name=SEND).click()
    expect(form.locator("[data-send-state]")).to_contain_text("Nothing has been sent yet")
    expect(form.locator("#firstName")).to_have_value("Ada")
    blocking.careers.up()
    expect(form.locator(".receipt")).to_contain_text(re.compile("Received|Sent"))


def test_after_an_outage_the_portal_gets_the_file_and_the_form(blocking: CompanySite, tmp_path: Path):
    page = blocking.open()
    form = to_the_form(page)
    page.frames[1].wait_for_function(SENDS)
    blocking.careers.down()
    fill_in(form, tmp_path / CV[0])
    form.get_by_role("button", name=SEND).click()
    expect(form.locator("[data-cv-wait]")).to_contain_text("Your application will be sent as soon as your CV is ready")
    blocking.careers.up()
    expect(form.locator(".receipt")).to_contain_text(re.compile("Received|Sent"))


def test_a_draft_is_restored_after_an_outage_of_the_portal(partitioning: CompanySite, tmp_path: Path):
    page = partitioning.open()
    form = to_the_form(page)
    fill_in(form, tmp_path / CV[0])
    expect(form.locator("[data-cv-here]")).to_be_visible()
    partitioning.careers.down()
    form.get_by_role("button", name=SEND).click()
    expect(form.locator("[data-send-state]")).to_contain_text("Nothing has been sent yet")
    page.on("dialog", lambda dialog: dialog.accept())  # the visitor leaves nevertheless
    page.reload()
    expect(page.locator("careers-portal")).to_have_attribute("state", "broken")
    partitioning.careers.up()
    page.get_by_role("button", name="Try again").click()
    expect(form.locator("#firstName")).to_have_value("Ada")


def test_self_service_opens_in_its_own_tab(company: CompanySite):
    page = company.open()
    with page.expect_popup() as popup:
        frame_of(page).get_by_role("link", name="My applications").click()
    popup.value.wait_for_load_state()
    assert popup.value.url == f"{company.careers_origin}/acme/profile"
    expect(popup.value.get_by_label("Email address")).to_be_visible()
    expect(frame_of(page).locator(".card")).to_have_count(8)
