"""With data-mode="inline" the jobs are part of the page, in its own styles; where that fails, a frame says why."""

import pytest
from playwright.sync_api import expect

from tests.site.browse.jobs import vacancy
from tests.site.embed.company_site import LINE, STRICT, CompanySite, frame_of

pytestmark = pytest.mark.browser
INLINE = LINE.replace("async", 'data-mode="inline" async')
CONNECT = STRICT + "; connect-src {portal}"


def test_the_pages_own_styles_apply_and_a_job_opens_on_the_careers_site(company: CompanySite):
    company.body, company.policy = INLINE, CONNECT
    company.style = "h3 { color: rgb(1, 2, 3) } [part=meta] { color: rgb(4, 5, 6) }"
    page = company.open("/jobs?utm_source=letter")
    expect(page.locator("careers-portal")).to_have_attribute("state", "ready")
    jobs = page.locator("body > careers-portal > ul[part=list] > li[part=job]")
    expect(jobs).to_have_count(8)
    expect(page.locator("h3").first).to_have_css("color", "rgb(1, 2, 3)")
    expect(page.locator("[part=meta]").first).to_have_text("Berlin, Germany · On-site · Full-time")
    expect(page.locator("[part=meta]").first).to_have_css("color", "rgb(4, 5, 6)")
    assert page.locator("iframe").count() == 0
    assert "/acme/jobs/" in page.get_by_role("link").first.get_attribute("href")
    assert page.get_by_role("link").first.get_attribute("href").endswith("?utm_source=letter")
    page.get_by_role("link", name="Welder 3").click()
    expect(page.locator("h1")).to_have_text("Welder 3")
    assert company.said == []


def test_parts_have_names_for_styling_in_a_shadow_root(company: CompanySite):
    company.body, company.policy = INLINE.replace("async", "data-shadow async"), CONNECT
    company.style = "h3 { color: rgb(1, 2, 3) } careers-portal::part(title) { color: rgb(7, 8, 9) }"
    page = company.open()
    expect(page.get_by_role("heading", name="Welder 3")).to_have_css("color", "rgb(7, 8, 9)")


def test_a_job_is_text_and_never_markup(company: CompanySite):
    company.body, company.policy = INLINE, CONNECT
    company.portal.service.load("acme", [vacancy("evil", '<img src=x onerror="alert(1)">', city="<b>Rome</b>")])
    company.portal.parts.clock.sleep(86_401)
    company.portal.work.mirror_what_is_due()
    page = company.open()
    expect(page.get_by_role("link", name='<img src=x onerror="alert(1)">')).to_be_visible()
    assert page.locator("careers-portal img, careers-portal b").count() == 0


def test_filters_are_attributes_and_an_empty_result_is_reported(company: CompanySite):
    company.policy = CONNECT
    company.body = INLINE.replace(
        "async", 'data-q="astronaut" data-city="Berlin" data-employmentType="fullTime,partTime" async'
    )
    page = company.open()
    expect(page.locator("careers-portal")).to_have_attribute("state", "empty")
    expect(page.locator("[part=empty]")).to_have_text("There are no open jobs right now.")
    assert any(
        "/acme/jobs.json?limit=100&q=astronaut&city=Berlin&employmentType=fullTime&employmentType=partTime&lang=en"
        in url
        for url in company.asked
    )


@pytest.mark.parametrize("how", ['data-team="Sales"', 'data-facet-department="Sales"'])
@pytest.mark.parametrize("mode", ['data-mode="inline"', ""], ids=["inline", "frame"])
def test_a_department_has_a_page_of_its_own(company: CompanySite, how: str, mode: str):
    company.policy = CONNECT
    company.portal.service.load("acme", [vacancy("sold", "Seller", department="Sales")])
    company.portal.parts.clock.sleep(86_401)
    company.portal.work.mirror_what_is_due()
    company.body = LINE.replace("async", f"{mode} {how} async")
    page = company.open()
    shown = page if mode else frame_of(page)
    expect(shown.get_by_role("link", name="Seller")).to_be_visible()
    assert shown.get_by_role("link", name="Welder").count() == 0


def test_a_policy_without_connect_src_gets_the_frame(company: CompanySite):
    company.body = INLINE
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    assert any("connect-src" in line for line in company.said if line.startswith("careers-portal acme"))


def test_an_unlisted_site_is_told_what_to_ask_for(company: CompanySite):
    company.list_origins()
    company.body, company.policy = INLINE, CONNECT
    page = company.open()
    expect(page.locator("careers-portal")).to_have_attribute("state", "refused")
    expect(frame_of(page).locator("[data-refused]")).to_contain_text(f"{company.origin} is not one of the sites")


def test_an_unresponsive_portal_is_waited_for_once_with_a_message(company: CompanySite):
    company.body, company.policy = INLINE, CONNECT
    page = company.window()
    page.route("**/acme/jobs.json?**", lambda _: None)
    page.route("**/acme/embed?**", lambda _: None)
    page.goto(f"{company.origin}/jobs", wait_until="commit")
    expect(page.get_by_text("Loading open jobs")).to_be_visible()
    link = page.get_by_role("link", name="See them on the careers site")
    expect(link).to_be_visible(timeout=12_000)
    expect(page.get_by_text("Loading open jobs")).to_have_count(0)
