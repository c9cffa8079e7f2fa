"""If jobs cannot be loaded, the page says so and links to them: portal down, blocked, slow, mistyped, not listed."""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.site.embed.company_site import LINE, STRICT, CompanySite, frame_of

pytestmark = pytest.mark.browser


def broken(page: Page):
    return page.locator("careers-portal [part=broken]")


def expect_a_way_to_the_jobs(company: CompanySite, page: Page) -> None:
    expect(page.locator("careers-portal")).to_have_attribute("state", "broken", timeout=20_000)
    expect(broken(page)).to_contain_text("The open jobs cannot be shown here right now.")
    link = broken(page).get_by_role("link", name="See them on the careers site")
    assert link.get_attribute("href") == f"{company.careers_origin}/acme/embed"
    assert link.get_attribute("target") == "_blank"
    expect(page.locator("careers-portal iframe")).to_be_hidden()
    assert any("careers-portal acme: no jobs came" in line for line in company.said)


def test_a_placeholder_of_the_final_height_is_shown_while_loading(company: CompanySite):
    page = company.window()
    page.route("**/acme/embed?**", lambda _: None)
    page.goto(f"{company.origin}/jobs", wait_until="commit")
    expect(page.locator("careers-portal")).to_have_attribute("state", "loading")
    expect(page.get_by_role("status", name="Loading open jobs")).to_be_visible()
    assert page.locator("careers-portal").bounding_box()["height"] == 700


def test_with_the_portal_unavailable_a_link_is_shown_and_the_list_recovers(company: CompanySite):
    page = company.window()
    page.route("**/acme/embed?**", lambda route: route.abort("connectionrefused"))
    page.goto(f"{company.origin}/jobs")
    expect_a_way_to_the_jobs(company, page)
    page.unroute("**/acme/embed?**")
    ends = time.monotonic() + 90
    while page.locator("careers-portal").get_attribute("state") != "ready":
        # Again: Chromium notifies a cross-site frame later than the page that the connection is back.
        assert time.monotonic() < ends
        page.context.set_offline(True)
        page.context.set_offline(False)
        page.wait_for_timeout(10_000)
    expect(frame_of(page).locator(".card")).to_have_count(8)


def test_the_portal_may_become_unavailable_while_somebody_reads(company: CompanySite):
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    company.careers.down()
    frame_of(page).get_by_role("link", name="Welder 3", exact=True).click()
    expect_a_way_to_the_jobs(company, page)
    company.careers.up()
    page.get_by_role("button", name="Try again").click()
    expect(frame_of(page).locator("h1")).to_have_text("Welder 3")
    expect(broken(page)).to_be_hidden()


def test_an_unresponsive_portal_is_waited_for_some_seconds(company: CompanySite):
    page = company.window()
    page.route("**/acme/embed?**", lambda _: None)
    page.goto(f"{company.origin}/jobs", wait_until="commit")
    expect_a_way_to_the_jobs(company, page)


def test_a_policy_that_allows_no_frame_is_named(company: CompanySite):
    company.policy = STRICT.replace("frame-src", "img-src")
    expect_a_way_to_the_jobs(company, company.open())
    assert any("frame-src" in line for line in company.said if line.startswith("careers-portal"))


def test_the_web_masters_own_text_replaces_an_unavailable_list(company: CompanySite):
    company.policy = STRICT.replace("frame-src", "img-src")
    company.body = (
        '<careers-portal tenant="acme"><a href="tel:+49301234">Call us</a></careers-portal>'
        '<script src="{portal}/embed.js" async></script>'
    )
    page = company.open()
    expect(page.get_by_role("link", name="Call us")).to_be_visible()
    expect(broken(page).get_by_text("cannot be shown")).to_be_hidden()


def test_an_unlisted_site_is_told_what_to_ask_for(company: CompanySite):
    company.list_origins("https://www.acme.example")
    page = company.open()
    expect(page.locator("careers-portal")).to_have_attribute("state", "refused")
    told = frame_of(page).locator("[data-refused]")
    expect(told).to_contain_text(f"{company.origin} is not one of the sites allowed to show these jobs.")
    expect(told).to_contain_text(f'add "{company.origin}" to origins under [embed] in acme.toml')
    expect(told.get_by_role("link", name="See open jobs at Acme Robotics")).to_have_attribute("target", "_blank")
    expect(frame_of(page).locator(".card")).to_have_count(0)
    assert any(f"careers-portal acme: For the owner of this page: {company.origin}" in s for s in company.said)


@pytest.mark.parametrize(("tenant", "read"), [("acmee", "acmee"), ("../acme", "---acme"), ("a b", "a-b"), ("", "-")])
def test_a_mistyped_tenant_is_named(company: CompanySite, tenant: str, read: str):
    company.body = (
        f'<careers-portal tenant="{tenant}"></careers-portal><script src="{{portal}}/embed.js" async></script>'
    )
    page = company.open()
    expect(frame_of(page).locator("[data-refused]")).to_contain_text(f"There is no careers site called “{read}” here.")
    assert any(f"careers-portal {read}: There is no careers site called" in line for line in company.said)


def test_a_company_without_jobs_is_no_error(company: CompanySite):
    company.body = LINE.replace("async", 'data-q="astronaut" async')
    page = company.open()
    expect(page.locator("careers-portal")).to_have_attribute("state", "empty")
    expect(frame_of(page).locator("#count")).to_have_text("No jobs match your search")
