"""A printed job shows dates, the address of its page, and no buttons."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]


@pytest.mark.parametrize("language", ["en", "ar"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_printed_job_shows_dates_and_address_without_buttons(
    desktop: Page, demo: RunningDemo, language: str, scheme: str
):
    desktop.emulate_media(color_scheme=scheme)
    desktop.goto(f"{demo.portal}/acme/?lang={language}")
    desktop.locator("#first-job a").click()
    desktop.wait_for_url("**/acme/jobs/*")
    printed = desktop.locator(".printed")
    expect(printed).to_be_hidden()
    posted = desktop.locator("time[data-ago]").first
    expect(posted).to_have_attribute("title", re.compile(r"\d{4}"))
    date = posted.get_attribute("title")
    desktop.emulate_media(media="print", color_scheme=scheme)
    expect(printed).to_have_text(re.compile(r"^https?://.*/acme/jobs/[^?]+"))
    expect(printed).to_be_visible()
    shown = posted.evaluate("one => [getComputedStyle(one).fontSize, getComputedStyle(one, '::after').content]")
    assert shown == ["0px", f'"{date}"']
    for each in desktop.locator("button, input, select, summary, a.button, nav, .account, .search").all():
        expect(each).to_be_hidden()
    assert desktop.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
