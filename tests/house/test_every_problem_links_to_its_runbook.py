"""Every problem of health, check and alerts has a section of the manual, which is in the wheel and at the console."""

import re
import tomllib
from pathlib import Path

import pytest

from portal.operations.console.pages import manual_page
from portal.operations.console.preflight_run import RUNBOOKS, CheckResult, section_of
from portal.operations.health.part import ANCHORS, MANUAL
from tests.operations.health.figures import ALERTS, TROUBLESHOOT

ROOT = Path(__file__).parents[2]
NEEDS_NONE = {
    "visitors' addresses",
    "files",
    "colours",
    "company",
    "job search",
    "linkedin.xml",
    "indeed.xml",
    "alerts",
}
"""Lines of `portal check` that never fail, or whose own words are all there is to do."""


def section_exists(section: str) -> bool:
    page, _, anchor = section.partition("#")
    return page in MANUAL and anchor in manual_page(page).anchors


def test_every_alert_links_to_a_section():
    rules = ALERTS.read_text(encoding="utf-8")
    named = re.findall(r"runbook_url: http://127\.0\.0\.1:8002/manual/(\S+)", rules)
    assert len(named) == rules.count("- alert:") > 20
    assert [section for section in named if not section_exists(section)] == []


def test_every_part_and_every_line_of_the_check_links_to_a_section():
    sections = {*(f"troubleshoot#{anchor}" for anchor in ANCHORS.values()), *RUNBOOKS.values()}
    sections.add(section_of(CheckResult("anything else", ok=False, says="")))
    assert len(sections) > 15
    assert [section for section in sorted(sections) if not section_exists(section)] == []


def test_every_line_of_the_check_is_in_the_manual_and_has_its_runbook():
    table = TROUBLESHOOT.read_text(encoding="utf-8").partition("`portal check` says FAILED\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    lines = {name.removesuffix(" SLUG").removesuffix(" HOST") for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert lines == {*RUNBOOKS, *NEEDS_NONE}


@pytest.mark.parametrize("name", MANUAL)
def test_manual_pages_are_rendered_without_broken_links(name: str):
    page = manual_page(name)
    assert page.title
    assert page.anchors
    links = re.findall(r'<a href="([^"]*)"', page.body)
    within = [link.removeprefix("/manual/") if link[0] == "/" else f"{name}{link}" for link in links if link[0] in "/#"]
    assert [link for link in within if not section_exists(link) and link not in MANUAL] == []
    assert [link for link in links if not re.match(r"/manual/|#|https?://", link)] == []
    assert "<img" not in page.body
    assert "](" not in re.sub(r"(?s)<code.*?</code>", "", page.body)


def test_every_page_of_the_manual_is_in_the_wheel():
    built = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    held = built["wheel"]["force-include"]
    lacking = [file for file in MANUAL.values() if file not in held and str(Path(file).parent) not in held]
    assert lacking == []
    assert [source for source, there in held.items() if there != f"portal/{source}"] == []
