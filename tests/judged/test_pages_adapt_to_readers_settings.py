"""Nothing is cut off with larger letters, wider lines, own colours, no motion, or a phone in landscape."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.judged.visit import application, public_pages
from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.verify, pytest.mark.xdist_group("judged")]
SPACED = """*, *::before, *::after { line-height: 1.5 !important; letter-spacing: .12em !important;
word-spacing: .16em !important } p { margin-block-end: 2em !important }"""  # WCAG 2.2, 1.4.12
CUT = """() => [...document.querySelectorAll('body *')].filter(one => {
  const style = getComputedStyle(one), box = one.getBoundingClientRect();
  if (!one.textContent.trim() || box.width < 2 || box.height < 2 || style.visibility === 'hidden') return false;
  const cut = (least, all, rule) => all > least + 1 && /hidden|clip/.test(rule);
  return cut(one.clientWidth, one.scrollWidth, style.overflowX)
    || cut(one.clientHeight, one.scrollHeight, style.overflowY);
}).filter(one => !getComputedStyle(one).webkitLineClamp || getComputedStyle(one).webkitLineClamp === 'none')
  .map(one => `${one.tagName.toLowerCase()}.${one.className}: ${one.textContent.trim().slice(0, 40)}`)"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def cut_off(page: Page) -> list[str]:
    """Return texts that are partly invisible, and by how much the page is too wide."""
    wider = page.evaluate(WIDER)
    return [*page.evaluate(CUT), *([f"{wider} px too wide"] if wider > 0 else [])]


@pytest.fixture
def pages(demo: RunningDemo, language: str, cv: Path):
    """Visit every public page, and the form in its states."""

    def visit(page: Page) -> Iterator[str]:
        yield from public_pages(page, demo, language)
        yield from application(page, demo, language, cv, f"own.way.{language}@people.example")

    return visit


def test_text_can_be_made_wider_and_twice_as_large(chromium: Browser, pages):
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
    page = context.new_page()
    wrong: dict[str, list[str]] = {}
    for name in pages(page):
        page.set_viewport_size({"width": 390, "height": 800})
        page.add_style_tag(content=SPACED)
        spaced = cut_off(page)
        page.set_viewport_size({"width": 1280, "height": 800})
        page.add_style_tag(content=":root { font-size: 200% !important }")
        if found := [*(f"spaced: {each}" for each in spaced), *(f"large: {each}" for each in cut_off(page))]:
            wrong[name] = found
    context.close()
    assert wrong == {}


def test_a_phone_in_landscape_shows_more_than_the_fixed_bars(chromium: Browser, pages):
    context = chromium.new_context(viewport={"width": 740, "height": 360}, has_touch=True)
    page = context.new_page()
    stuck = """() => [...document.querySelectorAll('body *')]
      .filter(one => /fixed|sticky/.test(getComputedStyle(one).position))
      .map(one => one.getBoundingClientRect()).filter(box => box.width > 400 && box.height > 1)
      .reduce((sum, box) => sum + box.height, 0)"""
    wrong: dict[str, list[str]] = {}
    for name in pages(page):
        page.evaluate("window.scrollTo(0, 300)")
        high = page.evaluate(stuck)
        if found := [*cut_off(page), *([f"{high} of 360 px are bars that stay"] if high > 120 else [])]:
            wrong[name] = found
    context.close()
    assert wrong == {}


def test_nothing_moves_with_reduced_motion(chromium: Browser, demo: RunningDemo, pages):
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    moving = """() => [...document.querySelectorAll('*')].filter(one => {
      const style = getComputedStyle(one);
      return parseFloat(style.transitionDuration) > 0
        || (style.animationName !== 'none' && parseFloat(style.animationDuration) > 0)
        || style.scrollBehavior === 'smooth';
    }).map(one => `${one.tagName.toLowerCase()}.${one.className}`)"""
    wrong = {name: found for name in pages(page) if (found := page.evaluate(moving))}
    context.close()
    assert wrong == {}


def test_every_control_has_a_border_in_forced_colours(chromium: Browser, pages):
    context = chromium.new_context(forced_colors="active")
    page = context.new_page()
    bare = """() => [...document.querySelectorAll('a.button, button, input, select, textarea, summary')]
      .filter(one => one.checkVisibility({ opacityProperty: true }))
      .filter(one => one.getBoundingClientRect().width > 2)
      .filter(one => {
        const style = getComputedStyle(one);
        const edge = ['Top', 'Left'].every(side => parseFloat(style[`border${side}Width`]) > 0);
        return !edge && style.textDecorationLine === 'none' && style.outlineStyle === 'none'
          && style.appearance === 'none' && !one.querySelector('svg');
      }).map(one => `${one.tagName.toLowerCase()}.${one.className}: ${one.textContent.trim().slice(0, 40)}`)"""
    wrong = {name: found for name in pages(page) if (found := page.evaluate(bare))}
    context.close()
    assert wrong == {}
