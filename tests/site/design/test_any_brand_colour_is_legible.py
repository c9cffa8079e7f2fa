"""Whatever colour a company gives, text in it and on it has the contrast of WCAG AA in light and dark."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.site.design import accent
from portal.tenants.model import Font
from tests.site.small_site import ROOT

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


LIGHT, DARK = (0, 1)
"""Which of two values of a custom property in site.css."""
UGLY = ["#ffffff", "#000000", "#ffff00", "#777777", "#808080", "#00ff00", "#ff00ff", "#fefefe", "#010101", "#7f7f00"]
SCHEMES = [
    pytest.param(accent.light, accent.LIGHT_GROUNDS, LIGHT, id="light"),
    pytest.param(accent.dark, accent.DARK_GROUNDS, DARK, id="dark"),
]


def of_the_page(name: str, scheme: int) -> str:
    """Return a colour that is the same for every company."""
    css = (ROOT / "static" / "css" / "site.css").read_text(encoding="utf-8")
    found = re.findall(rf"--{name}: (#[0-9a-f]+);", css)[scheme]
    return found if len(found) == 7 else "#" + "".join(2 * digit for digit in found[1:])


@pytest.mark.parametrize(("make", "grounds", "scheme"), SCHEMES)
@given(colour=COLOURS | st.sampled_from(UGLY))
@settings(max_examples=300, deadline=None)
def test_every_pair_of_colours_on_a_page_has_sufficient_contrast(make, grounds, scheme: int, colour: str):
    palette = make(colour)
    everywhere = (*grounds, palette.soft)
    ink, soft_ink, wrong = (of_the_page(name, scheme) for name in ("ink", "ink-soft", "wrong"))
    text_on = {
        "links and chips": (palette.text, everywhere),
        "words": (ink, everywhere),
        "words beside them": (soft_ink, everywhere),
        "errors": (wrong, grounds),
        "words on buttons": (palette.on_fill, (palette.fill, palette.fill_hover)),
    }
    for what, (text, below) in text_on.items():
        for ground in below:
            assert accent.contrast(text, ground) >= 4.5, f"{what}: {text} on {ground}"
    shapes = {"buttons and ticks": palette.edge, "focus and borders": palette.text}
    for what, shape in shapes.items():
        for ground in everywhere:
            assert accent.contrast(shape, ground) >= 3, f"{what}: {shape} on {ground}"
    assert palette.fill_hover != palette.fill


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_the_colours_of_all_companies_have_sufficient_contrast(scheme: int):
    grounds = (accent.LIGHT_GROUNDS, accent.DARK_GROUNDS)[scheme]
    assert accent.contrast(of_the_page("ink", scheme), of_the_page("mark", scheme)) >= 4.5
    for ground in grounds:
        assert accent.contrast(of_the_page("edge", scheme), ground) >= 3


def test_matching_words_keep_their_colour_in_a_link():
    css = (ROOT / "static" / "css" / "site.css").read_text(encoding="utf-8")
    assert re.search(r"\nmark \{[^}]*color: var\(--ink\);\s+background: var\(--mark\);", css)


@pytest.mark.parametrize("colour", ["#0b5fff", "#0a5c4f", "#8a1c2b", "#222222"])
def test_a_legible_colour_is_unchanged(colour):
    assert accent.light(colour).fill == colour


def test_contrast_is_calculated_by_the_standard():
    assert accent.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert accent.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_page_uses_the_background_colours_of_the_calculation():
    css = (ROOT / "static" / "css" / "site.css").read_text(encoding="utf-8")
    grounds = list(zip(*(re.findall(rf"--{name}: (#\w+);", css) for name in ("canvas", "paper")), strict=True))
    assert grounds == [(accent.LIGHT_CANVAS, "#fff"), (accent.DARK_CANVAS, accent.DARK_PAPER)]


def test_the_colours_are_a_separate_stylesheet(site):
    site.tenant("acme", more='site = {accent = "#0a5c4f"}')
    address = theme_of(site)
    answer = site.get(address)
    assert answer.mimetype == "text/css"
    assert "--accent-fill:#0a5c4f" in answer.text
    assert "immutable" in answer.headers["Cache-Control"]
    assert "immutable" not in site.get("/acme/theme.css?v=ffffff").headers["Cache-Control"]


@pytest.mark.parametrize("more", ['accent = "#0a5c4f"', 'font = "slab"', "radius = 0", 'cover_focus = "0% 100%"'])
def test_another_theme_has_another_address(site, more):
    before = theme_of(site)
    site.tenant("acme", more=f"site = {{{more}}}")
    assert theme_of(site) != before


@pytest.mark.parametrize("font", Font)
def test_each_font_stack_ends_with_a_generic_family(site, font):
    site.tenant("acme", more=f'site = {{font = "{font}", radius = 24}}')
    css = site.get(theme_of(site)).text
    assert re.search(r"--font:[^;{}\n]+, (sans-)?serif;", css)
    assert "--radius:24px" in css


def theme_of(site) -> str:
    return re.search(r'href="(/acme/theme\.css[^"]+)"', site.get("/acme/nothing").text)[1]
