"""Filters apply immediately, keep the keyboard focus, and work without a script."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]


def test_a_filter_narrows_the_list_without_a_reload(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    desktop.evaluate("window.here = true")
    box = desktop.get_by_label("Full-time")
    box.focus()
    desktop.keyboard.press("Space")
    desktop.wait_for_url("**/acme/?employmentType=fullTime")
    expect(desktop.locator("#said")).to_have_text(re.compile(r"\d+ jobs found"))
    assert desktop.evaluate("window.here && document.activeElement.value") == "fullTime"
    expect(desktop.get_by_label("Full-time")).to_be_checked()


def test_back_undoes_a_filter(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    before = desktop.locator("#count").inner_text()
    desktop.get_by_label("Part-time").check()
    expect(desktop.locator("#count")).not_to_have_text(before)
    desktop.go_back()
    expect(desktop.locator("#count")).to_have_text(before)
    expect(desktop.get_by_label("Part-time")).not_to_be_checked()


def test_on_a_phone_filters_wait_for_the_button(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context(viewport={"width": 360, "height": 740}, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/?employmentType=fullTime")
    expect(page.get_by_label("Hybrid")).not_to_be_visible()
    page.locator("summary", has_text="Filters").click()
    page.get_by_label("Hybrid").check()
    page.get_by_role("button", name="Show jobs").click()
    expect(page).to_have_url(
        re.compile("employmentType=fullTime.*locationType=hybrid|locationType=hybrid.*employmentType")
    )
    page.get_by_role("link", name="Remove filter: Full-time").click()
    expect(page).to_have_url(re.compile(r"/acme/\?locationType=hybrid#results$"))
    context.close()


def test_the_address_contains_only_what_was_chosen(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    desktop.get_by_role("searchbox").fill("engineer")
    desktop.keyboard.press("Enter")
    desktop.wait_for_url(f"{demo.portal}/acme/?q=engineer")


@pytest.fixture
def narrow(phone: Page, demo: RunningDemo) -> Page:
    phone.goto(f"{demo.portal}/acme/")
    phone.locator(".filters-title").click()
    return phone


def test_on_a_phone_filters_are_a_sheet_that_shows_the_number_of_results(narrow: Page):
    button = narrow.locator(".filters-apply")
    before = button.inner_text()
    assert re.fullmatch(r"Show \d+ jobs", before)
    expect(button).to_be_in_viewport()
    narrow.get_by_label("Part-time").check()
    expect(button).not_to_have_text(before)
    expect(button).to_be_in_viewport()
    said = button.inner_text()
    narrow.locator(".filter-option input").last.scroll_into_view_if_needed()
    expect(button).to_be_in_viewport()
    button.click()
    expect(narrow.get_by_label("Part-time")).not_to_be_visible()
    assert re.findall(r"\d+", said) == re.findall(r"\d+", narrow.locator("#count").inner_text())
    assert narrow.evaluate("document.activeElement.id") == "count"
    assert not narrow.evaluate("document.querySelector('#results').inert")


def test_the_keyboard_focus_stays_in_the_sheet_and_escape_closes_it(narrow: Page):
    narrow.wait_for_function("document.querySelector('#results').inert && document.querySelector('.site-header').inert")
    for _ in range(40):
        narrow.keyboard.press("Tab")
        assert narrow.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('.filters')"
        )
    narrow.keyboard.press("Escape")
    expect(narrow.get_by_label("Part-time")).not_to_be_visible()
    assert narrow.evaluate("document.activeElement.classList.contains('filters-title')")


def test_removing_a_filter_keeps_the_scroll_position(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/?locationType=hybrid&employmentType=fullTime")
    desktop.evaluate("window.here = true; window.scrollTo(0, 100)")
    desktop.locator(".chip", has_text="Full-time").click()
    desktop.wait_for_url("**/acme/?locationType=hybrid")
    assert desktop.evaluate("window.here && scrollY") == 100
    assert desktop.evaluate("document.activeElement.id") == "count"


def test_the_next_page_begins_at_its_first_job(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    desktop.evaluate("window.here = true")
    desktop.locator("a[rel=next]").click()
    desktop.wait_for_url("**/acme/?after=*")
    expect(desktop.locator(".results-range")).to_have_text(re.compile(r"^21 to (\d+) of \1$"))
    expect(desktop.locator("#count")).to_be_in_viewport()
    assert desktop.evaluate("window.here")


def test_nothing_moves_below_the_pointer_while_scrolling(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    before = desktop.evaluate("document.documentElement.scrollHeight")
    desktop.keyboard.press("End")
    expect(desktop.locator("a[rel=next]")).to_be_in_viewport()
    desktop.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert desktop.evaluate("document.documentElement.scrollHeight") == before


def test_a_job_links_back_to_the_results_where_it_was_found(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/?employmentType=fullTime")
    desktop.get_by_label("Hybrid").check()
    desktop.wait_for_url("**locationType=hybrid*")
    found = desktop.url
    desktop.locator(".card-title a").last.click()
    back = desktop.get_by_role("link", name="Back to results")
    expect(back).to_have_attribute("href", found)
    back.click()
    expect(desktop).to_have_url(found)
    assert desktop.evaluate("scrollY") > 0


def test_a_job_opened_by_its_address_links_to_all_jobs(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    address = desktop.locator(".card-title a").first.get_attribute("href")
    desktop.context.new_page().goto(f"{demo.portal}{address}")
    alone = desktop.context.pages[-1]
    expect(alone.locator(".back a")).to_have_text("All open jobs")
    expect(alone.locator(".back a")).to_have_attribute("href", "/acme/")
