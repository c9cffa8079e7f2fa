"""Every public page has valid HTML, no accessibility violation, no third-party request and no console message."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.parts.chromium import goto
from tests.parts.demo import RunningDemo
from tests.parts.html import HtmlChecker
from tests.parts.missing import file

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]
AXE = Path(__file__).parents[1] / "node" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """rules => axe.run(document, {runOnly: rules}).then(found =>
  found.violations.map(v => `${v.id} (${v.impact}): ${v.nodes.map(n => n.target.join(' ')).slice(0, 3).join(', ')}`))"""


def addresses(demo: RunningDemo, page) -> dict[str, int]:
    """Return pages of both companies, some jobs of each, and error pages; each with its status."""
    found = ["/", "/acme/?q=engineer&employmentType=fullTime", "/acme/?q=astronaut"]
    found += ["/acme/?lang=de", "/acme/?near=Zzyzzyx-on-Sea&within=25"]
    for slug in ("acme", "globex"):
        page.goto(f"{demo.portal}/{slug}/")
        links = page.locator(f"main a[href*='/{slug}/jobs/']").evaluate_all("all => all.map(a => a.pathname)")
        assert links
        found += [f"/{slug}/", *links[:6]]
    missing = ("/acme/jobs/no-such-job", "/nosuch/")
    return {demo.portal + path: 404 if path in missing else 200 for path in (*found, *missing)}


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light"), (320, "dark")])
def test_no_page_has_an_accessibility_violation(chromium: Browser, demo: RunningDemo, width: int, scheme: str):
    script = file(AXE, how="python tools/install_parts.py, with npm installed").read_text(encoding="utf-8")
    # The check is itself a script that the pages' policy would block.
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    wrong: dict[str, list[str]] = {}
    for address, status in addresses(demo, page).items():
        goto(page, address, status=status)
        page.evaluate(script)
        if violations := page.evaluate(RUN, RULES):
            wrong[address] = violations
    context.close()
    assert not wrong


def test_html_is_valid(chromium: Browser, demo: RunningDemo, html: HtmlChecker):
    context = chromium.new_context()
    page = context.new_page()
    wrong = {}
    for address, status in addresses(demo, page).items():
        answer = page.request.get(address)
        assert answer.status == status, address
        if problems := html.validate(answer.text()):
            wrong[address] = problems
    context.close()
    assert not wrong


def test_a_page_requests_nothing_from_third_parties_and_obeys_its_own_policy(chromium: Browser, demo: RunningDemo):
    context = chromium.new_context()
    page = context.new_page()
    every = addresses(demo, page)
    asked: set[str] = set()
    said: list[str] = []
    page.on("request", lambda request: asked.add(request.url.split("/")[2]))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for address, status in every.items():
        goto(page, address, status=status)
    cookies = context.cookies()
    context.close()
    assert cookies == []
    assert asked == {demo.portal.removeprefix("http://")}
    assert [line for line in said if "404" not in line] == []
