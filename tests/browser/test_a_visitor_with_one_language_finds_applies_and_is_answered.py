"""A visitor with one language finds every page and email in it, from the first page to an email's link."""

import email
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.visible_words import foreign, said_by
from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]
SIZES = {"phone": (390, 844), "desktop": (1280, 860)}


@dataclass(frozen=True)
class Reader:
    """A visitor, the language of their browser, and the word that they misspell."""

    tag: str
    browser: str
    misspelt: str
    meant: str
    job: str
    first: str
    last: str
    city: str


READERS = [
    Reader("de", "de-AT", "mechatronicker", "mechatroniker", "Mechatroniker Endmontage", "Jürgen", "Groß", "Wien"),
    Reader("ar", "ar-EG", "مهدنس", "مهندس", "مهندس أو مهندسة صيانة روبوتات", "ليلى", "حسن", "القاهرة"),
]


@dataclass
class Visit:
    """Their browser; each step is checked and pictured."""

    page: Page
    reader: Reader
    folder: Path
    steps: int = 0

    def check(self, name: str) -> None:
        """Check that no text on the page is in another language."""
        self.steps += 1
        html = self.page.locator("html")
        expect(html).to_have_attribute("lang", self.reader.tag)
        expect(html).to_have_attribute("dir", "rtl" if self.reader.tag == "ar" else "ltr")
        assert foreign(said_by(self.page), self.reader.tag, self.names) == [], name
        self._draw(f"{self.steps}-{name}")

    @property
    def names(self) -> set[str]:
        """Return their own names, and the street of the job, which must not be translated."""
        street = {"am", "prüffeld"}
        return {self.reader.first.lower(), self.reader.last.lower(), self.reader.city.lower(), *street}

    def _draw(self, name: str) -> None:
        sizes = SIZES if "PORTAL_PICTURES" in os.environ else {"phone": SIZES["phone"]}
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for size, (width, height) in sizes.items():
                self.page.set_viewport_size({"width": width, "height": height})
                # Overflow on the left of the page would require scrolling on a phone.
                assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} at {width}"
                self.page.screenshot(path=self.folder / f"{name}-{size}-{scheme}.png", full_page=True)
        self.page.emulate_media(color_scheme="light")


@pytest.fixture(params=READERS, ids=lambda one: one.tag)
def visit(request: pytest.FixtureRequest, chromium: Browser, tmp_path: Path) -> Iterator[Visit]:
    reader = request.param
    context = chromium.new_context(locale=reader.browser, viewport={"width": 390, "height": 844}, has_touch=True)
    folder = Path(os.environ.get("PORTAL_PICTURES", tmp_path)) / "all" / f"way-{reader.tag}"
    yield Visit(context.new_page(), reader, folder)
    context.close()


def email_to(demo: RunningDemo, address: str) -> EmailMessage:
    """Return the only email to an address, as soon as it arrived."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for path in (demo.data / "mail").glob("*.eml"):
            message = email.message_from_bytes(path.read_bytes(), policy=default)
            if message["To"] == address:
                assert isinstance(message, EmailMessage)
                return message
        time.sleep(0.1)
    raise AssertionError(f"no mail came for {address}")


def part(message: EmailMessage, kind: str) -> str:
    body = message.get_body((kind,))
    assert body
    return str(body.get_content())


def test_every_page_and_email_is_in_the_visitors_language(visit: Visit, demo: RunningDemo, files: Path):
    page, reader = visit.page, visit.reader
    page.goto(f"{demo.portal}/acme/")
    page.locator(f"[data-language-offer] p[lang={reader.tag}] a").click()
    page.wait_for_url(re.compile(rf"[?&]lang={reader.tag}"))
    visit.check("list")

    page.locator("#q").fill(reader.misspelt)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"[?&]q="))
    expect(page.locator(".results-list .notice, main .notice").first).to_contain_text(reader.meant)
    visit.check("found")

    page.locator(".card-title a", has_text=reader.job).first.click()
    page.wait_for_url(re.compile(r"/jobs/"))
    expect(page.get_by_role("heading", level=1)).to_contain_text(reader.job)
    visit.check("job")

    page.locator("a[href*='/apply']").locator("visible=true").first.click()
    page.wait_for_url(re.compile(r"/apply"))
    visit.check("form")
    address = f"{reader.tag}.alone@people.example"
    fill_in(page, reader, address, files / "cv.pdf")
    page.locator("form[data-apply] button[type=submit]").last.click()
    page.wait_for_url(re.compile(r"/applications/"))
    # The page updates automatically when the company has the application.
    expect(page.locator(".receipt[data-state=sent]")).to_be_visible()
    visit.check("receipt")

    message = email_to(demo, address)
    assert foreign([message["Subject"], *part(message, "plain").splitlines()], reader.tag, visit.names) == []
    page.goto("about:blank")
    page.set_content(re.sub(r'src="cid:[^"]*"', "", part(message, "html")))
    visit.check("mail")
    button = page.locator(".press a")
    assert button.get_attribute("href") in part(message, "plain")
    button.click()
    page.wait_for_url(re.compile(r"/applications/"))
    expect(page.locator(".receipt[data-state=sent] .timeline")).to_contain_text("Acme Robotics")
    visit.check("what-became-of-it")


def fill_in(page: Page, reader: Reader, address: str, cv: Path) -> None:
    said = {"firstName": reader.first, "lastName": reader.last, "email": address, "city": reader.city}
    for name, value in said.items():
        page.locator(f"[name={name}]").fill(value)
    page.locator("[name=phoneNumber]").fill("+49 30 901820")
    page.locator("[name=country]").select_option("DE")
    page.locator("[name=cv]").set_input_files(cv)
    page.locator("[name=consent]").check()
