"""The location field suggests locations, by keyboard, by pointer and with a screen reader."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]


def test_a_suggestion_is_chosen_by_keyboard(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    field = desktop.get_by_role("combobox", name="Where?")
    field.press_sequentially("berl")
    options = desktop.locator("#places").get_by_role("option")
    expect(options.first).to_have_text(re.compile("^Berlin"))
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", "place-0")
    field.press("Enter")
    expect(field).to_have_value(re.compile("^Berlin"))
    expect(options).to_have_count(0)
    field.press("Enter")
    desktop.wait_for_url("**/acme/?near=Berlin*")
    expect(desktop.locator("#results")).to_contain_text("within 50 km of Berlin")


def test_escape_keeps_the_typed_text(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    field = desktop.get_by_role("combobox", name="Where?")
    field.press_sequentially("berl")
    expect(desktop.locator("#places").get_by_role("option").first).to_be_visible()
    field.press("Escape")
    expect(desktop.locator("#places").get_by_role("option")).to_have_count(0)
    expect(field).to_have_value("berl")
    expect(field).to_have_attribute("aria-expanded", "false")


def test_a_suggestion_is_chosen_by_touch_on_a_phone(phone: Page, demo: RunningDemo):
    phone.goto(f"{demo.portal}/acme/")
    field = phone.get_by_role("combobox", name="Where?")
    field.press_sequentially("wie")
    phone.locator("#places").get_by_role("option", name=re.compile("^Wien")).first.tap()
    expect(field).to_have_value(re.compile("^Wien"))


def test_a_screen_reader_announces_the_suggestions(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    desktop.get_by_role("combobox", name="Where?").press_sequentially("berl")
    expect(desktop.locator(".search-near [role=status]")).to_contain_text("arrow keys")
