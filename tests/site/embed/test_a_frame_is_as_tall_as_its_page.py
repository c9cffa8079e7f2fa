"""The frame's height follows its content, and messages of other windows do not change it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.site.embed.company_site import CompanySite, frame_of

pytestmark = pytest.mark.browser


def height(page: Page) -> float:
    return page.locator("careers-portal iframe").bounding_box()["height"]


def own_height(page: Page) -> int:
    return frame_of(page).locator("html").evaluate("html => Math.ceil(html.getBoundingClientRect().height)")


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for a condition; Playwright's own function would need a policy that allows eval."""
    for _ in range(200):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it does not hold after ten seconds")


def expect_to_fit(page: Page) -> None:
    expect(page.locator("careers-portal")).to_have_attribute("state", "ready")
    until(page, lambda: height(page) == own_height(page))


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_frame_fits_list_job_and_form(company: CompanySite, width: int):
    page = company.open(viewport={"width": width, "height": 800})
    expect(frame_of(page).locator(".card")).to_have_count(8)
    expect_to_fit(page)
    tall = height(page)
    frame_of(page).get_by_role("link", name="Welder 3", exact=True).click()
    expect(frame_of(page).locator("h1")).to_have_text("Welder 3")
    expect_to_fit(page)
    assert height(page) != tall
    frame_of(page).locator(".job-end a", has_text="Apply for this job").click()
    expect(frame_of(page).locator("h1")).to_have_text("Apply for Welder 3")
    expect_to_fit(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert frame_of(page).locator("html").evaluate("html => html.scrollWidth - html.clientWidth") == 0


def test_a_narrower_window_makes_the_frame_taller(company: CompanySite):
    page = company.open(viewport={"width": 1280, "height": 800})
    expect(frame_of(page).locator(".card")).to_have_count(8)
    expect_to_fit(page)
    wide = height(page)
    page.set_viewport_size({"width": 340, "height": 800})
    until(page, lambda: height(page) > wide)
    expect_to_fit(page)


def test_a_job_is_shown_from_its_beginning(company: CompanySite):
    page = company.open(viewport={"width": 390, "height": 600})
    last = frame_of(page).locator(".card-title a").last
    expect(last).to_be_visible()
    expect_to_fit(page)
    last.scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 300
    last.click()
    expect(frame_of(page).locator("h1")).to_contain_text("Welder")
    until(page, lambda: page.locator("careers-portal").bounding_box()["y"] >= -1)


FORGED = [
    {"careersPortal": 1, "height": 7, "at": "/acme/embed/jobs/job-7", "state": "ready", "title": "Forged"},
    {"careersPortal": 1, "go": "/acme/embed/jobs/job-7"},
    {"careersPortal": 1, "isNew": True, "state": "refused", "reason": "Forged"},
]


def test_messages_of_other_windows_are_ignored(company: CompanySite):
    company.body += '<iframe id="other" src="{portal}/acme/embed/jobs/job-2"></iframe>'
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    expect_to_fit(page)
    before = height(page), page.url
    for message in FORGED:
        page.evaluate("message => postMessage(message, '*')", message)  # another origin, another window
        # The portal's own origin, another window.
        page.frame_locator("#other").locator("body").evaluate(
            "(_, message) => parent.postMessage(message, '*')", message
        )
    page.wait_for_timeout(300)
    assert (height(page), page.url) == before
    assert page.locator("careers-portal iframe").get_attribute("title") == "Jobs at Acme Robotics"
    assert company.said == []


@pytest.mark.parametrize(
    ("said", "becomes"),
    [(1, 1), (49_999, 49_999), (50_000, None), (0, None), (-5, None), ("9e3px", None), ("1;position:fixed", None)],
)
def test_heights_sent_by_the_frame_are_limited(company: CompanySite, said: object, becomes: int | None):
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    expect_to_fit(page)
    before = height(page)
    message = {"careersPortal": 1, "height": said, "at": "//evil.example", "state": "x y", "title": "t" * 3_000}
    frame_of(page).locator("body").evaluate("(_, message) => parent.postMessage(message, '*')", message)
    expect(page.locator("careers-portal iframe")).to_have_attribute("title", "t" * 2_000)
    assert height(page) == (becomes or before)
    assert page.locator("careers-portal").get_attribute("state") == "ready"
    assert "evil" not in page.url
