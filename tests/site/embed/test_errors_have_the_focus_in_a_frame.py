"""A page with errors gets the keyboard focus, although browsers ignore `autofocus` in cross-site frames."""

import pytest
from playwright.sync_api import expect

from tests.site.embed.company_site import CompanySite
from tests.site.embed.test_a_visitor_applies_in_the_companys_own_page import SEND, to_the_form

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [390, 1280])
def test_the_error_summary_has_the_focus(company: CompanySite, width: int):
    page = company.open(viewport={"width": width, "height": 700})
    form = to_the_form(page)
    expect(form.locator("[data-summary]")).to_have_count(0)
    form.get_by_role("button", name=SEND).click()
    expect(form.locator("[data-summary]")).to_be_focused()
    expect(form.locator("[data-summary]")).to_be_in_viewport()
    page.keyboard.press("Tab")
    expect(form.locator("[data-summary] a").first).to_be_focused()


def test_a_new_form_takes_no_focus(company: CompanySite):
    page = company.open("/jobs?job=job-3")
    form = to_the_form_of(page)
    assert form.locator("body").evaluate("() => document.activeElement.localName") == "body"


def to_the_form_of(page):
    from tests.site.embed.company_site import frame_of

    frame_of(page).locator(".job-end a", has_text="Apply for this job").click()
    expect(frame_of(page).locator("#firstName")).to_be_visible()
    return frame_of(page)
