"""At 360 px, company, link to applications and languages fit in one row, in every language."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_a_candidate_maintains_her_record import enter_at_service, sign_in
from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "ar")


def is_one_row(page: Page) -> bool:
    inside, wide = page.evaluate(
        """() => {
            const shown = [...document.querySelectorAll(".site-header .page > *, .site-header .account > *")]
                .filter((one) => one.matches(":not(.account-who)") && one.checkVisibility())
                .map((one) => one.getBoundingClientRect());
            const [first] = shown;
            const middle = (first.top + first.bottom) / 2;
            return [shown.every((box) => box.top < middle && box.bottom > middle && box.left >= 0 && box.right <= 360),
                document.documentElement.scrollWidth];
        }"""
    )
    height = page.locator(".site-header").bounding_box()
    assert height
    return bool(inside and wide <= 360 and height["height"] < 70)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_header_fits_in_every_language_signed_in_or_not(chromium: Browser, demo: RunningDemo, scheme: str):
    context = chromium.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page = context.new_page()
    for language in LANGUAGES:
        page.goto(f"{demo.portal}/acme/?lang={language}")
        assert is_one_row(page), language
    address = f"a.person.with.a.long.address.{scheme}@people.example"
    enter_at_service(demo, address)
    sign_in(page, demo, address)
    for language in LANGUAGES:
        page.goto(f"{demo.portal}/acme/profile/applications?lang={language}")
        expect(page.locator(".account-out")).to_be_visible()
        assert is_one_row(page), language
    context.close()


def test_a_long_company_name_is_shortened(phone: Page, demo: RunningDemo):
    phone.goto(f"{demo.portal}/globex/?lang=de")
    phone.evaluate(
        "document.querySelector('.brand').innerHTML = `<span class='brand-name'>${'Globex Talent '.repeat(6)}</span>`"
    )
    assert is_one_row(phone)
