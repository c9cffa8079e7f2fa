"""The surrounding page's URL and history follow the frame: back, forward, reload and shared links work."""

import pytest
from playwright.sync_api import Page, expect

from tests.site.embed.company_site import CompanySite, frame_of

pytestmark = pytest.mark.browser


def title(page: Page):
    return frame_of(page).locator("h1")


def open_job(page: Page, name: str) -> None:
    frame_of(page).get_by_role("link", name=name, exact=True).click()
    expect(title(page)).to_have_text(name)


def test_a_job_has_an_address_and_back_leads_to_the_list(company: CompanySite):
    page = company.open("/jobs?a=b%20c&flag#footer")
    entries = page.evaluate("history.length")
    open_job(page, "Welder 3")
    assert page.url == f"{company.origin}/jobs?a=b%20c&flag&job=job-3#footer"
    frame_of(page).get_by_role("link", name="Apply for this job").first.click()
    expect(title(page)).to_have_text("Apply for Welder 3")
    assert page.evaluate("history.length") == entries + 2
    page.go_back()
    expect(title(page)).to_have_text("Welder 3")
    page.go_back()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    assert page.url == f"{company.origin}/jobs?a=b%20c&flag#footer"
    page.go_forward()
    expect(title(page)).to_have_text("Welder 3")
    assert page.url.endswith("&job=job-3#footer")


def test_a_search_in_the_frame_is_a_history_entry(company: CompanySite):
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    frame_of(page).get_by_role("searchbox").fill("Welder 4")
    frame_of(page).get_by_role("button", name="Search jobs").click()
    expect(frame_of(page).locator(".card-title").first).to_have_text("Welder 4")
    open_job(page, "Welder 4")
    page.go_back()
    expect(frame_of(page).locator("[name=q]")).to_have_value("Welder 4")
    assert "job=" not in page.url
    page.go_back()
    expect(frame_of(page).locator("[name=q]")).to_have_value("")
    expect(frame_of(page).locator(".card")).to_have_count(8)
    page.go_back()
    assert page.url == "about:blank"


def test_an_address_can_be_shared_and_reloaded(company: CompanySite):
    page = company.open("/jobs?job=job-5")
    expect(title(page)).to_have_text("Welder 5")
    frame_of(page).get_by_role("link", name="Apply for this job").first.click()
    expect(title(page)).to_have_text("Apply for Welder 5")
    page.reload()
    expect(title(page)).to_have_text("Apply for Welder 5")
    shared = company.open(page.url.removeprefix(company.origin))
    expect(title(shared)).to_have_text("Welder 5")


def test_a_link_within_the_companys_page_does_not_move_the_frame(company: CompanySite):
    company.body += '<a href="#footer">Imprint</a>'
    page = company.open("/jobs?job=job-5")
    expect(title(page)).to_have_text("Welder 5")
    frame_of(page).locator("h1").evaluate("node => { window.same = true }")
    page.get_by_role("link", name="Imprint").dispatch_event("click")  # the pointer could miss it while the frame grows
    expect(page).to_have_url(f"{company.origin}/jobs?job=job-5#footer")
    page.go_back()
    assert frame_of(page).locator("h1").evaluate("node => window.same") is True


@pytest.mark.parametrize(("asked", "words"), [("nothing-here", "no longer open"), ("../../x", None)])
def test_a_closed_job_shows_the_list_with_a_message(company: CompanySite, asked: str, words: str | None):
    page = company.open(f"/jobs?job={asked}")
    expect(frame_of(page).locator(".card")).to_have_count(8)
    notice = frame_of(page).locator(".notice")
    if words:
        expect(notice).to_contain_text(words)
    else:
        expect(notice).to_have_count(0)


def test_history_entries_cannot_lead_to_another_site(company: CompanySite):
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    for path in ("//evil.example/x", "/acme/embed/../profile", "/acme/embedded", "javascript:alert(1)"):
        page.evaluate("p => history.pushState({'careers-portal': {job: p}}, '', '#x')", path)
        page.evaluate("history.pushState(null, '', '#y')")
        page.go_back()
        expect(frame_of(page).locator(".card")).to_have_count(8)
    assert {url.split("/")[2] for url in company.asked} == {
        company.origin.partition("//")[2],
        company.careers_origin.partition("//")[2],
    }
    assert not [url for url in company.asked if "/profile" in url]
