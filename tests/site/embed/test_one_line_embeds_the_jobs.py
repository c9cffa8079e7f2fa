"""One line in a company's page shows its jobs there, under the strictest policy that allows it, and twice on a page."""

import re

import pytest
from playwright.sync_api import expect

from tests.site.embed.company_site import LINE, CompanySite, frame_of

pytestmark = pytest.mark.browser
ELEMENT = '<careers-portal tenant="acme"></careers-portal><script src="{portal}/embed.js" async></script>'


@pytest.mark.parametrize("body", [LINE, ELEMENT], ids=["script", "element"])
def test_the_jobs_are_in_the_page_without_console_messages(company: CompanySite, body: str):
    company.body = body
    page = company.open()
    expect(page.locator("careers-portal")).to_have_attribute("state", "ready")
    expect(frame_of(page).locator(".card")).to_have_count(8)
    expect(frame_of(page).locator(".site-header, .site-footer, .about")).to_have_count(0)
    assert page.locator("careers-portal iframe").get_attribute("title") == "Jobs at Acme Robotics"
    assert company.said == []
    assert page.context.cookies() == []


def test_the_first_job_is_shown_after_two_requests(company: CompanySite):
    page = company.open()
    expect(frame_of(page).locator(".card").first).to_be_visible()
    after = company.asked[company.asked.index(f"{company.careers_origin}/embed.js") + 1 :]
    # The browser waits for the page and its styles before it paints. Scripts and print styles load concurrently.
    assert [url for url in after if "/static/" not in url] == [
        f"{company.careers_origin}/acme/embed?lang=en",
        next(url for url in after if "/acme/embed/style.css" in url),
    ]
    assert not [url for url in after if url.endswith(".css") and "print.css" not in url]


def test_two_lists_on_a_page_do_not_interfere(company: CompanySite):
    company.body = LINE + LINE
    page = company.open("/jobs?job=job-2&job2=job-5")
    expect(frame_of(page, 0).locator("h1")).to_have_text("Welder 2")
    expect(frame_of(page, 1).locator("h1")).to_have_text("Welder 5")
    frame_of(page, 1).get_by_role("link", name="All open jobs", exact=True).click()
    expect(frame_of(page, 1).locator(".card")).to_have_count(8)
    assert page.url.endswith("/jobs?job=job-2")
    expect(frame_of(page, 0).locator("h1")).to_have_text("Welder 2")
    page.go_back()
    expect(frame_of(page, 1).locator("h1")).to_have_text("Welder 5")
    assert company.said == []


def test_an_element_can_be_added_and_removed(company: CompanySite):
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    page.evaluate("""() => { const one = document.querySelector('careers-portal'), { parentNode } = one;
        one.remove(); parentNode.append(one); }""")
    expect(page.locator("careers-portal")).to_have_attribute("state", "ready")
    expect(frame_of(page).locator(".card")).to_have_count(8)


def test_a_filter_is_an_attribute(company: CompanySite):
    company.body = LINE.replace("async", 'data-q="Welder 3" data-employmentType="fullTime,partTime" async')
    page = company.open()
    expect(frame_of(page).locator(".card-title").first).to_have_text("Welder 3")
    address = next(url for url in company.asked if "/acme/embed?" in url)
    assert re.search(r"q=Welder\+3&employmentType=fullTime&employmentType=partTime&lang=en", address)
    frame_of(page).get_by_role("link", name="Welder 3", exact=True).click()
    frame_of(page).get_by_role("link", name="All open jobs", exact=True).click()
    expect(frame_of(page).locator("[name=q]")).to_have_value("Welder 3")
