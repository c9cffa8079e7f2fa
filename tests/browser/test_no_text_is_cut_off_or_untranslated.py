"""On a small phone, in a language 40 % longer than English: every text is translated, and none is cut off."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from portal.app import create_app
from tests.parts import pseudo
from tests.parts.chromium import goto
from tests.parts.process import free_port
from tests.site.account.candidate import ADA, Visitor, code_in, mailbox, open_acme
from tests.site.embed.company_site import Server

pytestmark = [pytest.mark.browser, pytest.mark.verify]

FILE = """
[publish]
stages = ["Open"]
show_salary = true
[site]
locales = ["en", "de"]
[apply]
phone_region = "DE"
privacy_url = "https://www.acme.example/privacy"
consent = "Acme"
[profile]
show_status = true
"""
CUT = """() => [...document.querySelectorAll("body *")].filter((one) => {
  const style = getComputedStyle(one);
  if (!one.checkVisibility() || one.closest(".visually-hidden, svg, .skip, [aria-hidden=true]")) return false;
  if (/auto|scroll/.test(style.overflowX) || style.display === "inline") return false;
  // Read out and not shown; the list, whose rows reach the edges of a phone; the name in a header of one row.
  if (style.clipPath !== "none" || one.matches(".results, .results > .cards, .brand-name")) return false;
  if (/^(INPUT|SELECT|OPTION)$/.test(one.tagName)) return false;
  return one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
}).map((one) => `${one.tagName}.${one.className}: ${one.textContent.trim().slice(0, 60)}`)"""
SHOWN = """() => {
  const said = [document.title];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let one = walk.nextNode(); one; one = walk.nextNode()) {
    const element = one.nodeType === 1 ? one : one.parentElement;
    const apart = "script, style, option, .languages, .language-offer, [lang]:not(html), [translate=no]";
    if (element.closest(apart)) continue;
    if (one.nodeType === 3) said.push(one.data);
    else for (const name of ["title", "alt", "aria-label", "placeholder"]) said.push(one.getAttribute(name) ?? "");
  }
  return said.map((text) => text.trim()).filter(Boolean);
}"""
# A sentence may consist of two texts, around an address in a separate element.
BRACKETED = re.compile(
    f"(?:{pseudo.OPEN}|^)[^{pseudo.OPEN}{pseudo.CLOSE}]*{pseudo.CLOSE}|{pseudo.OPEN}[^{pseudo.OPEN}{pseudo.CLOSE}]*$"
)
NOT_OURS = re.compile(
    r"Acme( Robotics)?|Welder|Berlin|Germany|Ada|Lovelace|ODD_NETWORK|carrier pigeon|\S+@\S+|https?://\S+|network\.example\S*"
    r"|(January|February|March|April|May|June|July|August|September|October|November|December)"
    r"|\b(AM|PM|UTC|EUR|MB|kB|PDF)\b|job-1|\b[A-Z0-9]{4,}(-[A-Z0-9]{4,})*\b|\bWeld\b"
)


def wrong_with(page: Page) -> list[str]:
    """Return texts that are cut off, and texts in English."""
    cut = page.evaluate(CUT)
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        cut.append("the page is wider than the window")
    left = []
    for text in page.evaluate(SHOWN):
        rest = text
        while BRACKETED.search(rest):
            rest = BRACKETED.sub(" ", rest)
        if re.search(r"[^\W\d_]{2,}", NOT_OURS.sub(" ", rest)):
            left.append(f"English: {text}")
    return cut + left


class Walk:
    """A visitor with a small phone, and the problems of the pages that they saw."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin
        self.wrong: dict[str, list[str]] = {}

    def see(self, path: str | None = None, *, status: int = 200) -> None:
        if path:
            goto(self.page, self.origin + path, status=status)
        if found := wrong_with(self.page):
            self.wrong[self.page.url] = found


@pytest.fixture
def walk(chromium: Browser, tmp_path: Path) -> Iterator[tuple[Walk, Visitor]]:
    port = free_port()
    portal = open_acme(tmp_path / "portal", file=FILE, base_url=f"http://127.0.0.1:{port}")
    portal.app = create_app(portal.parts, translations=pseudo.spoken(tmp_path / "words"))
    server = Server(portal.app, port)
    server.up()
    context = chromium.new_context(viewport={"width": 320, "height": 640}, locale="en-GB")
    yield Walk(context.new_page(), f"http://127.0.0.1:{port}"), Visitor(portal)
    context.close()
    server.down()
    portal.parts.database.close()


def test_pages_of_a_job_seeker_are_complete(walk: tuple[Walk, Visitor], files: Path):
    seeker, behind = walk
    for path in (
        "/acme/",
        "/acme/?q=welder",
        "/acme/?q=astronaut",
        "/acme/?lang=sv",
        "/acme/jobs/job-1",
    ):
        seeker.see(path)
    seeker.see("/acme/nothing", status=404)
    seeker.see("/acme/jobs/job-1/apply")
    page = seeker.page
    page.locator("form[data-apply] button[type=submit]").click()
    page.locator("[data-summary]").wait_for()  # the page with the errors replaces this one
    seeker.see()
    for name, typed in (("firstName", "Ada"), ("lastName", "Lovelace"), ("email", ADA), ("phoneNumber", "030 1234567")):
        page.fill(f"#{name}", typed)
    page.set_input_files("#cv", files / "cv.pdf")
    page.check("#consent")
    page.locator("form[data-apply] button[type=submit]").click()
    page.wait_for_url("**/applications/*")
    seeker.see()
    behind.portal.work.deliver_what_is_due()
    page.reload()
    seeker.see()
    assert seeker.wrong == {}


def test_pages_of_self_service_are_complete(walk: tuple[Walk, Visitor]):
    ada, behind = walk
    page = ada.page
    ada.see("/acme/profile")
    page.fill("#email", ADA)
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url("**/profile/code*")
    ada.see()
    behind.portal.work.deliver_what_is_due()
    page.fill("#code", code_in(mailbox(behind.portal)[-1]))
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url("**/profile/**")
    for path in ("/acme/profile/edit", "/acme/profile/applications", "/acme/profile/data", "/acme/profile/erase"):
        ada.see(path)
    assert ada.wrong == {}
