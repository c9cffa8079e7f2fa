"""Going back from a job restores the scroll position of the list in the frame."""

import pytest
from playwright.sync_api import Page, expect

from tests.site.browse.jobs import vacancy
from tests.site.embed.company_site import CompanySite, frame_of
from tests.site.embed.test_a_frame_is_as_tall_as_its_page import expect_to_fit, until
from tests.site.embed.test_nothing_moves_while_jobs_load import delay

pytestmark = pytest.mark.browser


def scrolled_to(page: Page, jobs: int) -> int:
    expect(frame_of(page).locator(".card")).to_have_count(jobs)
    expect_to_fit(page)
    frame_of(page).get_by_role("link", name="Welder 3", exact=True).scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight - innerHeight - 100)")
    found: int = page.evaluate("Math.round(scrollY)")
    assert found > 700
    return found


def with_many_jobs(company: CompanySite) -> None:
    company.portal.service.load("acme", [vacancy(f"job-{n}", f"Welder {n}") for n in range(9, 21)])
    company.portal.parts.clock.sleep(3600)
    company.portal.work.mirror_what_is_due()
    delay(company)


@pytest.mark.parametrize(("width", "lang"), [(390, "en"), (1280, "ar")])
def test_back_and_reload_restore_the_position(company: CompanySite, width: int, lang: str):
    company.lang = lang
    with_many_jobs(company)
    page = company.open(viewport={"width": width, "height": 700})
    place = scrolled_to(page, 20)
    frame_of(page).locator(".card-title a").nth(18).click()
    expect(frame_of(page).locator("h1")).to_contain_text("Welder")
    expect_to_fit(page)
    page.go_back()
    expect(frame_of(page).locator(".card")).to_have_count(20)
    until(page, lambda: abs(page.evaluate("scrollY") - place) < 3)
    page.reload()
    until(page, lambda: abs(page.evaluate("scrollY") - place) < 3)


def test_an_opened_job_is_shown_from_its_beginning(company: CompanySite):
    with_many_jobs(company)
    page = company.open(viewport={"width": 390, "height": 700})
    scrolled_to(page, 20)
    frame_of(page).locator(".card-title a").nth(18).click()
    expect(frame_of(page).locator("h1")).to_contain_text("Welder")
    until(page, lambda: -1 <= page.locator("careers-portal").bounding_box()["y"] < 700)
