"""Above a rate, a company can require a proof of work, which the page's script computes without user interaction."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from portal.platform.rate_limits import Limit
from tests.builders import Portal, portal
from tests.parts.wsgi import serving
from tests.site.apply.applicant import ADA, CV
from tests.site.apply.conftest import vacancy
from tests.told_clock import ToldClock

pytestmark = pytest.mark.browser

NETWORK = Limit("bots-network", 20, 600)
SLOW_PHONE = 6
"""How many times slower than this machine, as Chromium's developer tools have it for a low-end phone."""

COUNT_THE_WORK = """
const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = (...one) => { sessionStorage.setItem("work", "done"); return digest(...one); };
"""


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[Portal]:
    clock = ToldClock()
    made = portal(tmp_path / "portal", clock=clock)
    made.add_tenant("acme", "Acme", '[publish]\nstages = ["Open"]\n[apply]\nphone_region = "DE"\nbots = "proof"\n')
    made.service.load("acme", [vacancy("job-1", "Welder")])
    made.work.mirror_what_is_due()
    yield made
    made.parts.database.close()


@pytest.fixture
def address(acme: Portal) -> Iterator[str]:
    with serving(acme.app) as origin:
        yield f"{origin}/acme/jobs/job-1/apply"


def apply(page: Page, address: str, tmp_path: Path) -> str:
    """Fill in the form and send it; return the reference."""
    page.goto(address)
    cv = tmp_path / CV[0]
    cv.write_bytes(CV[1])
    for name, typed in ADA.items():
        if name == "country":
            page.select_option("#country", typed)
        else:
            page.fill(f"#{name}", typed)
    page.set_input_files("#cv", cv)
    page.get_by_role("button", name="Send application").click()
    page.wait_for_url(re.compile("/applications/"))
    return page.url.rpartition("/")[2].partition("?")[0]


def held_for(acme: Portal, reference: str) -> str | None:
    found = submissions.find(acme.parts.database, KINDS, reference)
    assert found is not None
    return found.held_for


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 360, "height": 800})
    yield context.new_page()
    context.close()


def test_a_slow_phone_computes_the_proof_unnoticed(acme: Portal, page: Page, address: str, tmp_path: Path) -> None:
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOW_PHONE})
    acme.parts.throttle.hit_fixed_window(NETWORK, "acme", "127.0.0.1", amount=20)
    page.add_init_script(COUNT_THE_WORK)
    reference = apply(page, address, tmp_path)
    assert page.evaluate("sessionStorage.getItem('work')") == "done"
    assert held_for(acme, reference) is None
    expect(page.locator(".receipt")).to_contain_text("Received")
    expect(page.locator(".receipt")).not_to_contain_text("confirm")
    assert complaints == []


def test_a_double_click_proves_and_sends_once(acme: Portal, page: Page, address: str, tmp_path: Path) -> None:
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    acme.parts.throttle.hit_fixed_window(NETWORK, "acme", "127.0.0.1", amount=20)
    page.goto(address)
    page.get_by_role("button", name="Send application").dblclick()
    expect(page.locator(".form-summary")).to_be_visible()
    assert len(posts) == 1


def test_below_the_rate_no_proof_is_computed(acme: Portal, page: Page, address: str, tmp_path: Path) -> None:
    page.add_init_script(COUNT_THE_WORK)
    assert held_for(acme, apply(page, address, tmp_path)) is None
    assert page.evaluate("sessionStorage.getItem('work')") is None


def test_without_scripts_the_form_is_accepted_and_the_receipt_asks_for_confirmation(
    acme: Portal, chromium: Browser, address: str, tmp_path: Path
) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 800}, java_script_enabled=False)
    page = context.new_page()
    acme.parts.throttle.hit_fixed_window(NETWORK, "acme", "127.0.0.1", amount=20)
    reference = apply(page, address, tmp_path)
    assert held_for(acme, reference) == "person"
    expect(page.locator(".receipt")).to_contain_text("confirm your application")
    expect(page.locator(".receipt")).to_contain_text("Open the email")
    acme.work.deliver_what_is_due()
    (letter,) = (acme.folder / "mail").glob("*.eml")
    key = re.search(r"key=3D([0-9a-f]{64})", letter.read_text().replace("=\n", ""))
    page.goto(f"{address.partition('/jobs/')[0]}/applications/{reference}/confirm?key={key[1]}")
    page.get_by_role("button", name="Yes, send my application").click()
    page.wait_for_url(re.compile(rf"/applications/{reference}$"))
    assert held_for(acme, reference) is None
    context.close()


def test_nobody_sees_or_reaches_the_hidden_field_for_bots(page: Page, address: str) -> None:
    page.goto(address)
    trap = page.locator("[name=remarks]")
    box = trap.locator("..").bounding_box()
    assert box["width"] <= 1
    assert box["height"] <= 1
    page.locator("#cv").focus()
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") != "remarks"
    assert page.get_by_role("textbox", name="Leave this empty").count() == 0
