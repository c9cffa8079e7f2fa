"""The console passes the accessibility checks of the public pages, and works by keyboard alone.

It is in English only."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response

from portal.background.outbox.heartbeat import Heartbeat
from portal.background.outbox.states import OutboxState
from portal.delivery.uploads import refusal_counts
from portal.operations.console.preflight_run import CheckResult
from portal.platform.errors import UploadReason
from tests.delivery.scene import scene
from tests.delivery.service import refused
from tests.judged.test_public_pages_are_accessible import AXE, problems
from tests.operations.console.operator_console import OperatorConsole, open_console
from tests.parts.chromium import goto
from tests.parts.html import HtmlChecker
from tests.parts.misbehaving import answer
from tests.parts.missing import file
from tests.parts.wsgi import serving
from tests.schemas import PORTAL, sqlite_copy

pytestmark = [pytest.mark.browser, pytest.mark.verify, pytest.mark.xdist_group("judged")]


@dataclass
class ConsoleWithProblems:
    """A console with every kind of problem. dead, waiting: references."""

    desk: OperatorConsole
    address: str
    dead: str
    waiting: str


@pytest.fixture(scope="module")
def morning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleWithProblems]:
    folder = tmp_path_factory.mktemp("desk")
    with pytest.MonkeyPatch.context() as patched, scene(folder, sqlite_copy(folder / "portal.db", PORTAL)) as made:
        patched.setenv("PORTAL_HOME", str(folder))
        file = made.parts.settings.tenants / "acme.toml"
        file.write_text(file.read_text().replace(f"file:{folder / 'key'}", "file:keys/acme"))
        (folder / "keys").mkdir()
        (folder / "keys" / "acme").write_text((folder / "key").read_text())
        desk = open_console(made)
        desk.says = (
            CheckResult("service acme", ok=False, says="the key is refused"),
            CheckResult("contrast acme", ok=True, says="faint", warns=True),
            CheckResult("mail", ok=True, says="reachable"),
        )
        made.globex.mood = lambda _: refused(answer({}, status=422))
        dead = made.apply("kurt", tenant="globex")
        for _ in range(4):
            made.deliver(after=86_400 * 2)
        Heartbeat(made.parts.database, made.clock).beat()
        made.work.mirror_what_is_due()
        made.work.index_what_is_due()
        made.acme.mood = lambda _: refused(answer({}, status=401))
        waiting = made.apply("ada")
        made.apply("grace")
        made.deliver()
        (made.parts.settings.tenants / "initech.toml").write_text('name = "Initech"\n[publish]\nstages = "Open"\n')
        refusal_counts.count(made.parts.database, tenant="acme", reason=UploadReason.ENCRYPTED, now=made.clock.now())
        with serving(desk.app) as address:
            yield ConsoleWithProblems(desk, address, dead, waiting)


def every_page(page: Page, at: ConsoleWithProblems) -> Iterator[str]:
    page.goto(f"{at.address}/tenants/acme")
    page.get_by_role("button", name="Check now").click()
    for name, path in {
        "start": "/",
        "tenant": "/tenants/acme",
        "broken-file": "/tenants/initech",
        "submissions": "/submissions",
        "none": "/submissions?state=held&job=nurse&from=2026-01-01",
        "searched": "/submissions?job=welder",
        "manual": "/manual/troubleshoot",
        "manual-code": "/manual/install",
        "manual-settings": "/manual/settings",
        "not-found": "/submissions?reference=XYZ",
        "dead": f"/submissions/{at.dead}",
        "waiting": f"/submissions/{at.waiting}",
        "discard": f"/submissions/{at.dead}/discard",
        "requests": "/requests",
        "refused": "/refused",
        "log": "/log",
        "no-page": "/nothing",
    }.items():
        goto(page, at.address + path, status=404 if name in {"no-page", "not-found"} else 200)
        yield name


def test_every_page_of_the_console_passes_the_checks(
    chromium: Browser, html: HtmlChecker, morning: ConsoleWithProblems
):
    script = file(AXE, how="python tools/install_parts.py, with npm installed").read_text(encoding="utf-8")
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
    page, sources = context.new_page(), dict[str, str]()

    def keep(told: Response) -> None:
        if told.request.resource_type == "document" and not 300 <= told.status < 400:
            sources[f"{told.request.method} {told.url} {told.status}"] = told.text()

    page.on("response", keep)
    wrong = {name: found for name in every_page(page, morning) if (found := problems(page, script))}
    context.close()
    assert wrong == {}
    assert len(sources) >= 13
    invalid = {url: html.validate(source) for url, source in sources.items()}
    assert {url: found for url, found in invalid.items() if found} == {}


def test_the_manual_shows_how_a_cause_is_found(chromium: Browser, morning: ConsoleWithProblems, tmp_path: Path):
    """Before anything is sent again: the tests of a file run in order, and `make pictures` stores these."""
    folder = Path(os.environ.get("PORTAL_PICTURES", tmp_path))
    context = chromium.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.goto(morning.address)
    page.screenshot(path=folder / "desk-start.png")
    page.get_by_role("link", name="See failed").click()
    page.get_by_role("link", name=morning.dead).click()
    assert "Ask the company what its service rejects" in page.inner_text("main")
    page.screenshot(path=folder / "desk-one.png")
    assert all((folder / name).stat().st_size > 5_000 for name in ("desk-start.png", "desk-one.png"))
    context.close()


def tab_to(page: Page, words: str) -> None:
    """Press Tab until the focus is visibly on the element with this text."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText.trim()") == words:
            assert page.evaluate("document.activeElement.matches(':focus-visible')")
            return
    pytest.fail(f"no way by Tab to {words}")


def test_an_operator_retries_by_keyboard_alone(chromium: Browser, morning: ConsoleWithProblems):
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    faults: list[str] = []
    page.on("console", lambda told: faults.append(told.text))
    page.goto(morning.address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id || document.activeElement.tagName") in {"main", "BODY"}
    for link in ("See failed", morning.dead):
        tab_to(page, link)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert "The service rejects it in its current form" in page.inner_text("main")
    tab_to(page, "Send it now")
    page.keyboard.press("Enter")
    page.wait_for_url("**/submissions/*?said=retry")
    assert "It is queued" in page.inner_text("[role=status]")
    assert morning.desk.scene.overview(morning.dead).state is OutboxState.DUE
    context.close()
    assert faults == [], "no page asks for what its policy refuses"


def test_console_pages_work_without_scripts(chromium: Browser, morning: ConsoleWithProblems):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(morning.address)
    page.get_by_label("Find a submission or request by reference").fill(f" {morning.waiting.lower()} ")
    page.get_by_role("button", name="Find").click()
    assert page.url == f"{morning.address}/submissions/{morning.waiting}"
    assert "The service rejects the API key" in page.inner_text("main")
    context.close()
