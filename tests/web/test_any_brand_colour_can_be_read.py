"""Whatever colour a company gives, text in it and on it has the contrast of WCAG AA in light and dark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.web import accent

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(COLOURS)
def test_every_colour(colour):
    for palette, grounds in (
        (accent.light(colour), (accent.LIGHT_PAPER, accent.LIGHT_CANVAS)),
        (accent.dark(colour), (accent.DARK_PAPER, accent.DARK_CANVAS)),
    ):
        for ground in (*grounds, palette.soft):
            assert accent.contrast(palette.text, ground) >= 4.5
        assert accent.contrast(palette.on_fill, palette.fill) >= 4.5
        assert accent.contrast(palette.on_fill, palette.fill_hover) >= 4.5


@given(COLOURS)
def test_ordinary_text_reads_on_the_tint(colour):
    assert accent.contrast("#595f6a", accent.light(colour).soft) >= 4.5
    assert accent.contrast("#a9afba", accent.dark(colour).soft) >= 4.5


@pytest.mark.parametrize("colour", ["#0b5fff", "#0a5c4f", "#8a1c2b", "#222222"])
def test_a_colour_that_reads_already_is_kept_as_it_is(colour):
    assert accent.light(colour).fill == colour


def test_contrast_is_that_of_the_standard():
    assert accent.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert accent.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_page_uses_the_grounds_that_are_counted_with():
    from tests.web.site import ROOT

    css = (ROOT / "static" / "css" / "site.css").read_text(encoding="utf-8")
    assert f"--canvas: {accent.LIGHT_CANVAS}; --paper: #fff;" in css
    assert f"--canvas: {accent.DARK_CANVAS}; --paper: {accent.DARK_PAPER};" in css


def test_it_comes_as_a_stylesheet_of_its_own(site):
    site.tenant("acme", more='site = {accent = "#0a5c4f"}')
    answer = site.get("/acme/theme.css?v=0a5c4f")
    assert answer.mimetype == "text/css"
    assert "--accent-fill:#0a5c4f" in answer.text
    assert "immutable" in answer.headers["Cache-Control"]
    assert "immutable" not in site.get("/acme/theme.css?v=ffffff").headers["Cache-Control"]
