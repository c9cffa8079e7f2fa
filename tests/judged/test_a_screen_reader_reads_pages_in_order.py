"""Chromium's accessibility tree has landmarks, headings without gaps, named controls and a logical order."""

from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.judged.visit import every_page
from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.verify, pytest.mark.xdist_group("judged")]
CONTROLS = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "option"}


def spoken(page: Page) -> list[tuple[str, str, int]]:
    """Return what a screen reader reads, in order: role, name, and the level of a heading (0 for others)."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    told: list[tuple[str, str, int]] = []
    waiting = [nodes[0]["nodeId"]]
    while waiting:
        node = by_id.get(waiting.pop(0))
        if node is None:
            continue
        waiting = [*node.get("childIds", []), *waiting]
        if not node.get("ignored"):
            level = next((p["value"]["value"] for p in node.get("properties", []) if p["name"] == "level"), 0)
            told.append((node["role"]["value"], str(node.get("name", {}).get("value", "")).strip(), int(level)))
    return told


def faults(page: Page) -> list[str]:
    told = spoken(page)
    found = [f"{role} without a name" for role, name, _ in told if role in CONTROLS and not name]
    found += [
        f"{role} with a name that says nothing: {name}" for role, name, _ in told if role == "link" and "://" in name
    ]
    landmarks = [role for role, _, _ in told]
    found += [f"{landmarks.count(role)} of {role}" for role in ("main",) if landmarks.count(role) != 1]
    levels = [level for role, _, level in told if role == "heading"]
    if levels.count(1) != 1:
        found.append(f"{levels.count(1)} headings of the first level")
    found += [f"heading {after} follows {before}" for before, after in pairwise(levels) if after > before + 1]
    if page.locator("[tabindex]:not([tabindex='0'], [tabindex='-1'])").count():
        found.append("a tabindex of its own order")
    return found


def test_pages_are_read_in_a_logical_order(chromium: Browser, demo: RunningDemo, cv: Path, known: str):
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    wrong = {name: found for name in every_page(page, demo, "en", cv, known) if (found := faults(page))}
    context.close()
    assert wrong == {}
