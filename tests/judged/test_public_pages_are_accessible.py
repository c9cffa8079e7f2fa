"""axe-core and the W3C's checker find no error on any page in any state, and no page scrolls sideways."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response

from tests.judged.visit import every_page
from tests.parts.demo import RunningDemo
from tests.parts.html import HtmlChecker
from tests.parts.missing import file

pytestmark = [pytest.mark.browser, pytest.mark.verify, pytest.mark.xdist_group("judged")]
AXE = Path(__file__).parents[1] / "node" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """rules => axe.run(document, {runOnly: rules}).then(found =>
  found.violations.map(v => `${v.id} (${v.impact}): ${v.nodes.map(n => n.target.join(' ')).slice(0, 3).join(', ')}`))"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def problems(page: Page, script: str, schemes: tuple[str, ...] = ("light", "dark")) -> list[str]:
    """Return axe's findings at every width in each colour scheme."""
    page.evaluate(script)
    found: list[str] = []
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        if (wider := page.evaluate(WIDER)) > 0:
            found.append(f"{width}: {wider} px too wide")
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            found += [f"{width} {scheme}: {each}" for each in page.evaluate(RUN, RULES)]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    return found


def test_every_page_passes_the_checks(
    chromium: Browser, demo: RunningDemo, html: HtmlChecker, language: str, cv: Path, known: str
):
    script = file(AXE, how="python tools/install_parts.py, with npm installed").read_text(encoding="utf-8")
    # The check is itself a script that the pages' policy would block.
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
    page = context.new_page()
    sources: dict[str, str] = {}

    def keep(answer: Response) -> None:
        if answer.request.resource_type == "document" and not 300 <= answer.status < 400:
            sources[f"{answer.request.method} {answer.url} {answer.status}"] = answer.text()

    page.on("response", keep)
    # No colour depends on a language, so one language is checked in dark colours for all.
    schemes = ("light", "dark") if language == "en" else ("light",)
    visited = every_page(page, demo, language, cv, known)
    wrong = {name: found for name in visited if (found := problems(page, script, schemes))}
    context.close()
    assert wrong == {}
    assert len(sources) > 20
    invalid = {url: html.validate(source) for url, source in sources.items()}
    assert {url: found for url, found in invalid.items() if found} == {}
