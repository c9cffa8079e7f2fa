"""The first screen on a phone and a desktop shows a job, within limits on the bytes sent."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]


def test_the_large_header_takes_at_most_a_third_of_a_phone(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/")
    head = page.locator(".hero").bounding_box()
    assert head["y"] + head["height"] <= 844 / 3
    assert page.locator(".card-title").first.bounding_box()["y"] < 844 * 0.6
    page.goto(f"{demo.portal}/acme/?q=engineer")
    expect(page.locator(".hero")).to_have_count(0)
    assert page.locator("#search").bounding_box()["height"] <= 104, "two rows: beside each other both fields are cut"
    assert page.locator(".card-title").first.bounding_box()["y"] < 844 * 0.6
    context.close()


def test_a_card_shows_the_age_of_a_job_in_the_language_of_the_page(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/?lang=de")
    when = page.locator(".card time").first
    page.wait_for_function("document.querySelector('.card time').title")
    day = when.get_attribute("datetime")
    page.clock.set_fixed_time(f"{day}T12:00:00")
    page.reload()
    expect(when).to_have_text("heute")
    for later, said in ((2, "vorgestern"), (3, "vor 3 Tagen"), (14, "vor 2 Wochen"), (365, "letztes Jahr")):
        page.evaluate("([day, later]) => { window.then = Date.parse(day + 'T12:00:00') + later * 864e5 }", [day, later])
        page.clock.set_fixed_time(page.evaluate("new Date(window.then).toISOString()"))
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(when).to_have_text(said)
    assert re.search(r"\d{4}", when.get_attribute("title"))
    context.close()


def test_without_scripts_the_age_is_a_date(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/")
    assert re.search(r"\b20\d\d$", page.locator(".card time").first.inner_text())
    context.close()


def test_the_apply_button_stays_visible_while_reading(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context(viewport={"width": 390, "height": 600})
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/")
    page.locator(".card-title a").first.click()
    apply = page.locator(".job-end .button").first
    expect(apply).to_be_in_viewport()
    page.mouse.wheel(0, 300)
    expect(apply).to_be_in_viewport()
    context.close()


KINDS = ("stylesheet", "script")
PAGES = ["/acme/", "/acme/?q=engineer", "job", "apply", "/acme/profile", "/acme/embed"]
MOST_STYLES = 14 * 1024
MOST_SCRIPTS = {"apply": 14 * 1024}
"""The form loads at once whatever it may need later, because a connection can be lost while it is filled in."""


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_small(chromium: Browser, demo: RunningDemo, path: str):
    """Styles have at most 14 KB and scripts at most 10 KB (a form's 14 KB), as they are sent."""
    context = chromium.new_context()
    page = context.new_page()
    address, loaded = path, []
    if not path.startswith("/"):
        job = re.search(r'href="(/acme/jobs/[^"/]*)"', page.request.get(f"{demo.portal}/acme/").text())[1]
        address = f"{job}/apply" if path == "apply" else job
    page.on("requestfinished", lambda one: loaded.append((one.resource_type, one)))
    page.goto(demo.portal + address, wait_until="networkidle")
    # Not while pages load: asking for a size lets the next event in, in the middle of a sum.
    sizes = {kind: sum(one.sizes()["responseBodySize"] for its, one in loaded if its == kind) for kind in KINDS}
    context.close()
    assert 0 < sizes["stylesheet"] <= MOST_STYLES
    assert 0 < sizes["script"] <= MOST_SCRIPTS.get(path, 10 * 1024)
