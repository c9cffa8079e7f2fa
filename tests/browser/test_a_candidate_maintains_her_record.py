"""Self-service in a real browser on the whole demo: with scripts, without, and by keyboard alone."""

import email
import os
import re
import subprocess
import sys
import time
from email.policy import default
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_public_pages_are_valid_and_accessible import AXE, RULES, RUN
from tests.parts.demo import RunningDemo
from tests.parts.html import HtmlChecker
from tests.parts.missing import file

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]


def enter_at_service(demo: RunningDemo, address: str) -> None:
    """Enter her record at the service as a recruiter; the portal's index is updated."""
    body = {
        "firstName": "Ada",
        "lastName": "Lovelace",
        "emails": [{"purpose": "personal", "email": address, "isPrimary": True}],
        "phoneNumbers": [{"purpose": "carrier pigeon", "phoneNumber": "+49301234567", "isPrimary": True}],
    }
    key = {"x-api-key": demo.key("acme")}
    assert httpx.post(f"{demo.service}/candidates", json=body, headers=key, trust_env=False).status_code == 201
    own = {
        "PORTAL_SECRET_KEY": (demo.data / "secret-key").read_text().strip(),
        "PORTAL_DATABASE_URL": f"sqlite:///{demo.data / 'portal.db'}",
        "PORTAL_TENANTS": str(demo.data / "tenants"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "portal.cli", "sync", "acme"],
        env={**os.environ, **own},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def record_of(demo: RunningDemo, address: str) -> dict:
    cursor: dict[str, str] = {}
    while True:
        answer = httpx.get(
            f"{demo.service}/candidates",
            params={"limit": "50", **cursor},
            headers={"x-api-key": demo.key("acme")},
            trust_env=False,
        ).json()
        for one in answer["items"]:
            if any(entry["email"] == address for entry in one["emails"]["emails"] or []):
                return one
        assert answer["pageInfo"]["hasNextPage"], "the service has no candidate with that address"
        cursor = {"cursor": answer["pageInfo"]["nextCursor"]}


def code_for(demo: RunningDemo, address: str) -> str:
    """Return the code of the newest email to an address, as soon as it arrived."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        for path in sorted((demo.data / "mail").glob("*.eml"), key=lambda one: one.stat().st_mtime_ns, reverse=True):
            letter = email.message_from_bytes(path.read_bytes(), policy=default)
            body = letter.get_body(("plain",))
            found = re.findall(r"(?<!\d)\d{8}(?!\d)", body.get_content() if body else "")
            if letter["To"] == address and len(found) == 1:
                return str(found[0])
        time.sleep(0.1)
    raise AssertionError(f"no code came for {address}")


def sign_in(page: Page, demo: RunningDemo, address: str) -> None:
    page.goto(f"{demo.portal}/acme/")
    page.get_by_role("banner").get_by_role("link", name="My applications").click()
    page.locator("[name=email]").fill(address)
    page.get_by_role("button", name="Send me a code").click()
    page.wait_for_url(re.compile(r"/acme/profile/code$"))
    page.locator("[name=code]").fill(code_for(demo, address))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"/acme/profile/applications$"))
    page.get_by_role("link", name="My profile", exact=True).first.click()
    page.wait_for_url(re.compile(r"/acme/profile/edit$"))


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_candidate_changes_her_record_and_the_service_has_the_change(
    chromium: Browser, demo: RunningDemo, files: Path, scripts: bool
):
    how = "with" if scripts else "without"
    address, new = f"ada.{how}@people.example", f"ada.new.{how}@people.example"
    enter_at_service(demo, address)
    context = chromium.new_context(viewport={"width": 360, "height": 740}, java_script_enabled=scripts)
    page = context.new_page()
    sign_in(page, demo, address)
    page.locator("[name=firstName]").fill("Augusta")
    page.get_by_role("button", name="Add an email address").click()
    page.locator("[name=emails-1-email]").fill(new)
    page.get_by_role("button", name="Move up Email addresses, 2").click()
    expect(page.locator("[name=emails-0-email]")).to_have_value(new)
    page.locator("[name=cv]").set_input_files(files / "cv.pdf")
    page.get_by_role("button", name="Review changes").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Review your changes")
    expect(page.locator("main")).to_contain_text("cv.pdf")
    page.get_by_role("button", name="Send these changes").click()
    page.locator("[name=code]").fill(code_for(demo, new))
    page.get_by_role("button", name="Confirm and send").click()
    page.wait_for_url(re.compile(r"/acme/profile/changes/[A-Z0-9]{20}$"))
    expect(page.locator("[data-state]")).to_have_attribute("data-state", "sent")
    record = record_of(demo, new)
    assert record["name"]["firstName"] == "Augusta"
    assert [one["email"] for one in record["emails"]["emails"]] == [new, address]
    assert record["phoneNumbers"]["phoneNumbers"][0]["purpose"] == "carrier pigeon"
    assert record["id"] not in page.content()
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{demo.portal}/acme/profile/edit")
    assert page.url.endswith("/acme/profile")
    context.close()


def test_self_service_works_by_keyboard_alone(desktop: Page, demo: RunningDemo):
    address = "ada.keys@people.example"
    enter_at_service(demo, address)
    desktop.goto(f"{demo.portal}/acme/profile")
    tab_to(desktop, "[name=email]")
    desktop.keyboard.type(address)
    desktop.keyboard.press("Enter")
    desktop.wait_for_url(re.compile(r"/code$"))
    assert desktop.evaluate("document.activeElement.name") == "code"
    desktop.keyboard.type(code_for(demo, address))
    desktop.keyboard.press("Enter")
    desktop.wait_for_url(re.compile(r"/applications$"))
    tab_to(desktop, ".profile-nav a:has-text('My profile')")
    desktop.keyboard.press("Enter")
    desktop.wait_for_url(re.compile(r"/edit$"))
    tab_to(desktop, "#phoneNumbers-add")
    desktop.keyboard.press("Enter")
    desktop.wait_for_selector("[name=phoneNumbers-1-phoneNumber]")
    assert desktop.evaluate("document.activeElement.name") == "phoneNumbers-1-phoneNumber"
    desktop.keyboard.type("+33 1 42 68 53 00")
    # Enter within a field opens the review, and removes nothing.
    desktop.keyboard.press("Enter")
    desktop.wait_for_selector("text=Review your changes")
    tab_to(desktop, "button:has-text('Send these changes')")
    desktop.keyboard.press("Enter")
    desktop.wait_for_url(re.compile(r"/changes/"))
    expect(desktop.locator("[data-state]")).to_have_attribute("data-state", "sent")
    numbers = record_of(demo, address)["phoneNumbers"]["phoneNumbers"]
    assert [one["phoneNumber"] for one in numbers] == ["+49301234567", "+33142685300"]


CUT_WORDS = """() => {
  const cut = [], walker = document.createTreeWalker(document.querySelector(".compare"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const word of node.data.matchAll(/[^\\s]+/g)) {
      const range = new Range();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) cut.push(word[0]);
    }
  }
  return cut;
}"""
"""Words of the table that go on in another line."""


def tab_to(page: Page, selector: str) -> None:
    for _ in range(80):
        if page.locator(selector).last.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by Tab")


@pytest.mark.verify
def test_every_page_is_valid_and_accessible(chromium: Browser, demo: RunningDemo, html: HtmlChecker):
    address = "ada.axe@people.example"
    enter_at_service(demo, address)
    script = file(AXE, how="python tools/install_parts.py, with npm installed").read_text(encoding="utf-8")
    context = chromium.new_context(viewport={"width": 320, "height": 740}, bypass_csp=True)
    page = context.new_page()
    wrong: dict[str, list[str]] = {}

    def look(name: str) -> None:
        page.evaluate(script)
        width = page.evaluate("document.documentElement.scrollWidth")
        found = [*page.evaluate(RUN, RULES), *([f"{width} px wide"] if width > 320 else [])]
        if folder := os.environ.get("PORTAL_PROFILE_PICTURES"):
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
        if found:
            wrong[name] = found

    sources: dict[str, str] = {}
    page.on(
        "response",
        lambda answer: (
            sources.update({answer.url: answer.text()})
            if answer.request.resource_type == "document" and answer.status in {200, 422}
            else None
        ),
    )
    page.goto(f"{demo.portal}/acme/profile")
    look("ask")
    sign_in(page, demo, address)
    look("edit")
    for path in ("applications", "data", "erase", "code"):
        page.goto(f"{demo.portal}/acme/profile/{path}")
        look(path)
    page.goto(f"{demo.portal}/acme/profile/edit")
    page.locator("[name=lastName]").fill("")
    page.get_by_role("button", name="Review changes").last.click()
    page.wait_for_selector("[role=alert]")
    look("wrong")
    page.locator("[name=lastName]").fill("King")
    page.locator("[name=emails-0-email]").fill("ada.axe.new@people.example")
    page.get_by_role("button", name="Review changes").last.click()
    page.wait_for_selector("text=Review your changes")
    look("review")
    assert page.evaluate(CUT_WORDS) == []
    page.get_by_role("button", name="Send these changes").click()
    page.wait_for_selector("[name=code]")
    look("prove")
    page.locator("[name=code]").fill(code_for(demo, "ada.axe.new@people.example"))
    page.get_by_role("button", name="Confirm and send").click()
    page.wait_for_url(re.compile(r"/changes/"))
    look("change")
    context.close()
    assert not wrong
    assert len(sources) > 7
    assert {url: found for url, source in sources.items() if (found := html.validate(source))} == {}
