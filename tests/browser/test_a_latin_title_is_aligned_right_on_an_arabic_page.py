"""In Arabic, a title in Latin letters is aligned right like the page, and keeps the order of its words."""

import pytest
from playwright.sync_api import Browser, Page

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]

FROM_THE_RIGHT = """one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return one.parentElement.getBoundingClientRect().right - range.getBoundingClientRect().right;
}"""

FROM_THE_LEFT = """one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect().left - one.parentElement.getBoundingClientRect().left;
}"""


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")])
def test_a_latin_title_is_aligned_right_in_the_list_and_on_its_page(
    chromium: Browser, demo: RunningDemo, width: int, scheme: str
):
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/?lang=ar")
    titles = page.locator(".card-title[dir=ltr]")
    assert titles.count() > 5
    assert all(-1 <= title.evaluate(FROM_THE_RIGHT) < 3 for title in titles.all()[:6])
    titles.first.locator("a").click()
    page.wait_for_url("**/acme/jobs/*")
    title = page.locator("h1[dir=ltr]")
    gutter = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.job-head .page')).paddingRight)")
    assert title.evaluate(FROM_THE_RIGHT) - gutter < 3
    context.close()


def test_an_arabic_title_on_an_english_page_is_aligned_left(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/acme/?q=مهندس")
    title = desktop.locator(".card-title[dir=rtl]").first
    assert -1 <= title.evaluate(FROM_THE_LEFT) < 3
