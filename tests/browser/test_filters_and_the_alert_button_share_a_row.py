"""Above the list: the filters on one side, the alert button on the other, on a phone and beside it on a desktop."""

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]


def box(one: Locator) -> FloatRect:
    found = one.bounding_box()
    assert found
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "nl", "pl", "ar"])
def test_filters_and_alert_button_share_a_row_on_a_phone(
    chromium: Browser, demo: RunningDemo, language: str, scheme: str
):
    context = chromium.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/?lang={language}&employmentType=fullTime")
    filters, alert = box(page.locator(".filters-title")), box(page.locator(".alert-invite a"))
    assert abs(filters["y"] + filters["height"] / 2 - (alert["y"] + alert["height"] / 2)) < 8
    assert alert["y"] + alert["height"] <= box(page.locator("#results"))["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_alert_button_is_in_the_row_of_the_count_on_a_desktop(desktop: Page, demo: RunningDemo, language: str):
    desktop.goto(f"{demo.portal}/acme/?lang={language}&q=engineer&near=Berlin")
    head, alert = box(desktop.locator(".results-head")), box(desktop.locator(".alert-invite a"))
    assert head["y"] <= alert["y"] + alert["height"] / 2 <= head["y"] + head["height"]
    for each in desktop.locator(".results-head > *").all():
        its = box(each)
        assert its["x"] + its["width"] <= alert["x"] or alert["x"] + alert["width"] <= its["x"]


def test_the_alert_button_includes_the_filters(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/")
    desktop.get_by_label("Part-time").check()
    link = desktop.get_by_role("link", name="Job alert")
    expect(link).to_have_attribute("href", "/acme/alerts?employmentType=partTime")
