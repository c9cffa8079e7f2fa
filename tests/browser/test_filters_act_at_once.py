"""Filters act where one sees it, keep the keyboard's place, and need no script."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]


def test_a_tick_narrows_the_list_in_place(desktop: Page, demo: RunningDemo):
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


def test_on_a_phone_filters_wait_until_asked(chromium: Browser, demo: RunningDemo):
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
    expect(page).to_have_url(re.compile(r"/acme/\?locationType=hybrid$"))
    context.close()


def test_an_address_says_only_what_was_chosen(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    desktop.get_by_role("searchbox").fill("engineer")
    desktop.keyboard.press("Enter")
    desktop.wait_for_url(f"{demo.portal}/acme/?q=engineer")
