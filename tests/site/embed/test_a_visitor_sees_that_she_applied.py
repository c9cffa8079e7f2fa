"""A visitor who returns to the form after applying sees the receipt, and can apply again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.site.apply.applicant import CV
from tests.site.embed.company_site import CompanySite, frame_of
from tests.site.embed.test_a_visitor_applies_in_the_companys_own_page import SEND, fill_in, send, to_the_form

pytestmark = pytest.mark.browser

RECEIPT = "See the receipt for the application you sent"


def applied(page: Page, folder: Path) -> FrameLocator:
    form = to_the_form(page)
    fill_in(form, folder / CV[0])
    send(form)
    expect(form.locator(".receipt")).to_be_visible()
    return form


@pytest.mark.parametrize("comes_back", [lambda page: page.reload(), lambda page: page.evaluate("history.back()")])
def test_the_receipt_is_shown_after_a_reload_or_going_back(
    partitioning: CompanySite, tmp_path: Path, comes_back: Callable[[Page], None]
):
    page = partitioning.open(viewport={"width": 390, "height": 800})
    form = applied(page, tmp_path)
    reference = form.locator("dd code").inner_text()
    comes_back(page)
    said = form.locator("[data-sent]")
    expect(said).to_contain_text("You applied for “Welder 3” at Acme Robotics.")
    expect(form.locator("#firstName")).to_be_hidden()
    assert reference not in page.evaluate("location.href + JSON.stringify(history.state)")
    form.get_by_role("link", name=RECEIPT).click()
    expect(form.locator("dd code")).to_have_text(reference)


def test_the_visitor_can_apply_again(partitioning: CompanySite, tmp_path: Path):
    page = partitioning.open()
    form = applied(page, tmp_path)
    page.reload()
    form.get_by_role("button", name="Apply again").click()
    expect(form.locator("[data-sent]")).to_be_hidden()
    expect(form.locator("#firstName")).to_be_visible()
    form.get_by_role("button", name=SEND).click()
    expect(form.get_by_role("alert").first).to_be_visible()  # errors are not hidden by the previous application
    expect(form.locator("#firstName")).to_be_visible()


def test_another_job_and_another_tab_begin_with_an_empty_form(partitioning: CompanySite, tmp_path: Path):
    page = partitioning.open()
    form = applied(page, tmp_path)
    form.get_by_role("link", name="See more jobs").click()
    form.get_by_role("link", name="Welder 4", exact=True).click()
    form.locator(".job-end a", has_text="Apply for this job").click()
    expect(form.locator("#firstName")).to_be_visible()
    other = page.context.new_page()
    other.goto(partitioning.origin + "/jobs?job=job-3")
    frame_of(other).locator(".job-end a", has_text="Apply for this job").click()
    expect(frame_of(other).locator("#firstName")).to_be_visible()


def test_on_the_careers_site_itself_nothing_is_stored(company: CompanySite):
    answer = company.portal.app.test_client().get("/acme/jobs/job-3/apply")
    assert answer.status_code == 200
    assert "data-sent" not in answer.text
    assert "data-event" not in answer.text


def test_going_back_once_needs_no_storage(company: CompanySite, tmp_path: Path):
    page = company.open()
    form = applied(page, tmp_path)
    page.evaluate("history.back()")
    expect(form.locator("[data-sent]")).to_contain_text("You applied for “Welder 3” at Acme Robotics.")
    form.get_by_role("link", name=RECEIPT).click()
    expect(form.locator(".receipt")).to_be_visible()
