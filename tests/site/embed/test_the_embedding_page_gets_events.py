"""The element sends events about opened jobs, forms and sent applications, without personal data."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.site.apply.applicant import CV
from tests.site.embed.company_site import CompanySite, frame_of
from tests.site.embed.test_a_frame_is_as_tall_as_its_page import until
from tests.site.embed.test_a_visitor_applies_in_the_companys_own_page import SEND, fill_in, send, to_the_form

pytestmark = pytest.mark.browser

LISTEN = """() => {
  window.told = [];
  for (const name of ["view", "apply", "applied"]) {
    document.addEventListener(`careers:${name}`, ({ type, detail, target }) => {
      told.push([type, detail, target.localName]);
    });
  }
}"""


def told(page: Page) -> list[list[object]]:
    found: list[list[object]] = page.evaluate("window.told")
    return found


def event(name: str) -> list[object]:
    return [f"careers:{name}", {"tenant": "acme", "id": "job-3", "title": "Welder 3"}, "careers-portal"]


def test_each_step_is_sent_once(company: CompanySite, tmp_path: Path):
    page = company.open()
    page.evaluate(LISTEN)
    form = to_the_form(page)
    assert told(page) == [event("view"), event("apply")]
    fill_in(form, tmp_path / CV[0])
    send(form)
    expect(form.locator(".receipt")).to_be_visible()
    assert told(page) == [event("view"), event("apply"), event("applied")]
    page.evaluate("history.back()")
    expect(form.locator("[data-sent]")).to_be_visible()
    page.evaluate("history.forward()")
    expect(form.locator(".receipt")).to_be_visible()
    form.get_by_role("link", name="See more jobs").click()
    expect(form.locator(".card")).to_have_count(8)
    assert told(page) == [event("view"), event("apply"), event("applied")]


def test_a_form_with_errors_is_not_reported_as_opened_again(company: CompanySite):
    page = company.open("/jobs?job=job-3")
    expect(frame_of(page).locator("h1")).to_have_text("Welder 3")
    page.evaluate(LISTEN)
    frame_of(page).locator(".job-end a", has_text="Apply for this job").click()
    frame_of(page).get_by_role("button", name=SEND).click()
    expect(frame_of(page).get_by_role("alert").first).to_be_visible()
    assert told(page) == [event("apply")]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"event": "applied", "id": "a" * 3_000, "job": "x"}, ["careers:applied", "a" * 2_000]),
        ({"event": "view:x"}, None),
        ({"event": "click"}, None),
    ],
)
def test_events_sent_by_the_frame_are_limited(company: CompanySite, said: dict[str, str], expected: list[str] | None):
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    page.evaluate(LISTEN)
    message = {"careersPortal": 1, "isNew": True, "title": "heard", **said}
    frame_of(page).locator("body").evaluate("(_, message) => parent.postMessage(message, '*')", message)
    expect(page.locator("careers-portal iframe")).to_have_attribute("title", "heard")
    assert [[name, detail["id"]] for name, detail, _ in told(page)] == ([expected] if expected else [])


def test_a_message_of_another_window_is_no_event(company: CompanySite):
    company.body += '<iframe id="other" src="{portal}/acme/embed/jobs/job-2"></iframe>'
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    page.evaluate(LISTEN)
    message = {"careersPortal": 1, "isNew": True, "event": "applied"}
    page.frame_locator("#other").locator("body").evaluate("(_, message) => parent.postMessage(message, '*')", message)
    frame_of(page).get_by_role("link", name="Welder 3", exact=True).click()
    until(page, lambda: told(page) != [])
    assert told(page) == [event("view")]
