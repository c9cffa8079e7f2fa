"""On a phone the suggested locations are as wide as the search, each on one line, with its town, region and country."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]


def offered(page: Page, address: str, typed: str) -> list[str]:
    page.goto(address)
    page.locator("#near").press_sequentially(typed)
    options = page.locator("#places").get_by_role("option")
    expect(options.first).to_be_visible()
    return options.all_inner_texts()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_each_suggestion_has_one_line_of_a_phone(chromium: Browser, demo: RunningDemo, language: str, scheme: str):
    context = chromium.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme, has_touch=True)
    page = context.new_page()
    names = offered(page, f"{demo.portal}/acme/?lang={language}", "be")
    assert len(names) == 8
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("#places li")].map((one) => {
            const range = document.createRange();
            range.selectNodeContents(one.firstChild);
            return new Set([...range.getClientRects()].map((box) => Math.round(box.bottom / 8))).size;
        })"""
    )
    assert sizes == [1] * 8
    search, places = page.locator("#search").bounding_box(), page.locator("#places").bounding_box()
    assert search
    assert places
    assert (abs(search["x"] - places["x"]), abs(search["width"] - places["width"])) < (3, 3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_a_town_in_latin_letters_is_aligned_right_on_an_arabic_page(phone: Page, demo: RunningDemo):
    offered(phone, f"{demo.portal}/acme/?lang=ar", "belfa")
    line = phone.locator("#places li").first
    # In one step: the list is filled again while more letters are typed.
    gap = line.evaluate(
        """one => one.getBoundingClientRect().right - one.querySelector("bdi bdi").getBoundingClientRect().right"""
    )
    assert 0 <= gap < 20


def test_a_tap_on_either_part_chooses_the_whole_location(phone: Page, demo: RunningDemo):
    for part in ("bdi bdi", "span"):
        names = offered(phone, f"{demo.portal}/acme/", "ham")
        phone.locator("#places li").first.locator(part).tap()
        expect(phone.locator("#near")).to_have_value(re.compile("^Hamburg, Germany$"))
        assert names[0] == "Hamburg, Germany"


def test_on_a_desktop_suggestions_are_below_their_field(desktop: Page, demo: RunningDemo):
    offered(desktop, f"{demo.portal}/acme/", "fra")
    field, places = desktop.locator("#near").bounding_box(), desktop.locator("#places").bounding_box()
    assert field
    assert places
    assert 0 <= places["y"] - (field["y"] + field["height"]) < 16
    assert places["width"] >= field["width"]


def test_the_list_of_a_location_is_sorted_by_distance_and_can_be_sorted_by_date(phone: Page, demo: RunningDemo):
    phone.goto(f"{demo.portal}/acme/?near=Berlin")
    expect(phone.locator(".sort [aria-current]")).to_have_text("Nearest")
    expect(phone.locator("#first-job")).to_contain_text("km away")
    phone.get_by_role("link", name="Newest").click()
    expect(phone.locator(".sort [aria-current]")).to_have_text("Newest")
