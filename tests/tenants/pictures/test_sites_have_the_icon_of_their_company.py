"""Tabs, bookmarks and home screens show the company's logo if it is about square, otherwise its initial."""

import re
from io import BytesIO

import pytest
from defusedxml.ElementTree import fromstring
from PIL import Image

from portal.site.design import icons


def a_logo(width: int, height: int) -> bytes:
    out = BytesIO()
    Image.new("RGB", (width, height), "#00ff00").save(out, "WEBP", lossless=True)
    return out.getvalue()


def middle(png: bytes) -> tuple[int, ...]:
    icon = Image.open(BytesIO(png))
    assert icon.format == "PNG"
    return icon.convert("RGBA").getpixel((icon.width // 2, 2))


@pytest.mark.parametrize(
    ("size", "fit"), [((100, 100), True), ((135, 100), True), ((136, 100), False), ((100, 136), False)]
)
def test_an_almost_square_logo_is_the_icon(size: tuple[int, int], fit: bool) -> None:
    assert icons.fits(*size) is fit


@pytest.mark.parametrize("size", [32, 180])
def test_icons_have_their_declared_size(size: int) -> None:
    for made in (
        icons.of_logo(a_logo(120, 100), size),
        icons.letter_png("A", fill="#112233", ink="#ffffff", size=size),
    ):
        assert Image.open(BytesIO(made)).size == (size, size)
    assert middle(icons.of_logo(a_logo(100, 100), size)) == (0, 255, 0, 255)
    assert middle(icons.letter_png("A", fill="#112233", ink="#ffffff", size=size)) == (0x11, 0x22, 0x33, 255)


def test_an_undrawable_initial_leaves_only_the_colour() -> None:
    plain = icons.letter_png("ا", fill="#112233", ink="#ffffff", size=32)
    assert plain != icons.letter_png("A", fill="#112233", ink="#ffffff", size=32)
    assert Image.open(BytesIO(plain)).convert("RGBA").getpixel((16, 16)) == (0x11, 0x22, 0x33, 255)


@pytest.mark.parametrize("letter", ["A", "<", "&", '"', "Ö", "ا"])
def test_the_svg_icon_is_valid_for_any_initial(letter: str) -> None:
    text = fromstring(icons.letter_svg(letter, fill="#112233", ink="#ffffff")).find("{*}text")
    assert text is not None
    assert text.text == letter


def test_the_icons_named_by_a_page_exist(tmp_path) -> None:
    from tests.builders import portal

    made = portal(tmp_path)
    made.add_tenant("acme", "Acme")
    with made.browser() as browser:
        page = browser.get("/acme/").text
        links = re.findall(r'<link rel="((?:apple-touch-)?icon)" href="([^"]*)" type="([^"]*)" sizes="([^"]*)">', page)
        assert [(rel, kind, sizes) for rel, _, kind, sizes in links] == [
            ("icon", "image/png", "32x32"),
            ("icon", "image/svg+xml", "any"),
            ("apple-touch-icon", "image/png", "180x180"),
        ]
        for _, address, kind, _ in links:
            answer = browser.get(address)
            assert answer.status_code == 200
            assert answer.headers["Content-Type"].startswith(kind)
            assert "immutable" in answer.headers["Cache-Control"]
            assert "immutable" not in browser.get(address.replace("v=", "v=0")).headers["Cache-Control"]
    made.parts.database.close()
