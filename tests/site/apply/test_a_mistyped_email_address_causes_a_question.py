"""An address that resembles a typo of a large provider causes a question; it is neither changed nor rejected."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.site.apply.upload_ahead import FORM, Ahead, ahead

pytestmark = pytest.mark.browser

MEANT = {
    "mara@gmial.com": "mara@gmail.com",
    "mara@gmail.con": "mara@gmail.com",
    "mara@gmail.co": "mara@gmail.com",
    "mara@gmai.com": "mara@gmail.com",
    "Mara.X@Gnail.Com": "Mara.X@gmail.com",
    "mara@gmail.de": "mara@gmail.com",
    "mara@hotmial.com": "mara@hotmail.com",
    "mara@hotmal.co": "mara@hotmail.com",
    "mara@outlok.com": "mara@outlook.com",
    "mara@yaho.co.uk": "mara@yahoo.co.uk",
    "mara@iclod.com": "mara@icloud.com",
    "mara@wbe.de": "mara@web.de",
    "mara@gmx.dee": "mara@gmx.de",
    "mara@t-onlin.de": "mara@t-online.de",
    "mara@orang.fr": "mara@orange.fr",
    "mara@lapost.net": "mara@laposte.net",
    "mara@libero.itt": "mara@libero.it",
    "mara@intera.pl": "mara@interia.pl",
    "mara@zigo.nl": "mara@ziggo.nl",
    "mara@robots.con": "mara@robots.com",
}
RIGHT = """
gmail.com yahoo.ca yahoo.com.br hotmail.be outlook.jp live.be gmx.ch web.de web.com web.dk online.de mail.de
email.com ymail.com mailo.com me.com mac.com aon.com orange.com sfr.com free.de proton.me pm.me uni-koeln.de
people.example hotel.com olive.com mail.gmail.com constructor.prototype wp.pl o2.pl
"""


@pytest.fixture
def site(tmp_path: Path, chromium: Browser) -> Iterator[Ahead]:
    with ahead(tmp_path, chromium) as made:
        made.portal.write_tenant("acme", "Acme", '[publish]\nstages = ["Open"]\n[site]\nlocales = ["en", "ar"]\n')
        made.portal.parts.clock.sleep(1)
        yield made


def test_typos_are_recognised_and_other_domains_are_not(site: Ahead) -> None:
    with site.window() as page:
        suggested = """async (typed) => {
          const script = document.querySelector('script[src*="address-typos"]').src;
          const { suggestion } = await import(script);
          return typed.map(suggestion);
        }"""
        assert dict(zip(MEANT, page.evaluate(suggested, list(MEANT)), strict=True)) == MEANT
        right = [*(f"mara@{domain}" for domain in RIGHT.split()), "", "mara", "mara@", "@gmial.com", "a b@gmial.com"]
        assert [one for one in page.evaluate(suggested, right) if one] == []


def test_one_click_accepts_the_suggestion(site: Ahead) -> None:
    with site.window() as page:
        page.fill("#email", "mara@gmial.com")
        page.locator("#email").blur()
        button = page.get_by_role("button", name="Did you mean mara@gmail.com?")
        expect(page.locator(".field-meant[role=status]")).to_contain_text("Did you mean")
        button.click()
        expect(page.locator("#email")).to_have_value("mara@gmail.com")
        expect(page.locator("#email")).to_be_focused()
        expect(button).to_have_count(0)
        page.reload()
        expect(page.locator("#email")).to_have_value("mara@gmail.com")


@pytest.mark.parametrize("path", [f"{FORM}?lang=ar", "/acme/alerts?lang=ar", "/acme/profile?lang=ar"])
def test_in_arabic_the_address_is_displayed_left_to_right(site: Ahead, path: str) -> None:
    with site.window(path) as page:
        page.fill("#email", "mara@gmail.con")
        page.locator("#email").blur()
        button = page.locator(".field-meant button")
        expect(button).to_contain_text("هل تقصد")
        expect(button.locator("bdi")).to_have_text("mara@gmail.com")
        expect(button.locator("bdi")).to_have_attribute("dir", "ltr")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        button.click()
        expect(page.locator("#email")).to_have_value("mara@gmail.com")
