"""An SVG file can load content, run scripts and be endless; the served version can only draw."""

import re

import pytest
from defusedxml.ElementTree import fromstring

from portal.platform.errors import PictureUnusable
from portal.tenants.pictures.checking import Picture, checked
from portal.tenants.pictures.tables import PictureKind
from tests.tenants.pictures.internet import svg


def drawn(data: bytes) -> Picture:
    return checked(data, PictureKind.LOGO)


HARMFUL = {
    "a script": "<script>alert(1)</script>",
    "html": "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'/></foreignObject>",
    "a picture from elsewhere": "<image href='https://evil.example/x.png'/>",
    "a link": "<a href='https://evil.example'><path d='M0 0'/></a>",
    "a link that runs": "<a xlink:href='javascript:alert(1)'/>",
    "an animation": "<animate attributeName='href' to='javascript:alert(1)'/>",
    "a setter": "<set attributeName='onload' to='alert(1)'/>",
    "a filter": "<filter id='f'><feImage href='https://evil.example'/></filter>",
    "a use from elsewhere": "<use href='https://evil.example/x.svg#a'/>",
    "a use of data": "<use xlink:href='data:image/svg+xml;base64,AAAA#a'/>",
    "a fill from elsewhere": "<rect fill='url(https://evil.example/x.svg#a)'/>",
    "a style from elsewhere": "<rect style='fill:url(//evil.example/#a)'/>",
    "a style that is spelt out": "<rect style='fill:\\75rl(//evil.example)'/>",
    "a style that asks": "<rect style='background:image-set(\"https://evil.example/x\" 1x)'/>",
    "an import": "<style>@import '//evil.example/x.css';</style>",
    "a font": "<style>@font-face{src:local(x)}</style>",
    "a rule with an address": "<style>rect{fill:url(#a)}</style>",
    "a rule in CDATA": "<style><![CDATA[rect{background:url(//evil.example)}]]></style>",
    "a frame": "<iframe src='https://evil.example'/>",
}


@pytest.mark.parametrize("inner", HARMFUL.values(), ids=HARMFUL)
def test_dangerous_elements_are_rejected_by_name(inner: str):
    with pytest.raises(PictureUnusable, match="SVG"):
        drawn(svg(inner))


DROPPED = {
    "handlers": "<path d='M0 0h9' onclick='alert(1)' onload='alert(1)'/>",
    "metadata": "<metadata><rdf xmlns='urn:x'>jane@people.example alert</rdf></metadata><title>alert</title>",
    "an editor's notes": "<view xmlns='http://www.inkscape.org/namespaces' onload='alert(1)'><script/></view>",
    "comments": "<!-- alert --><?xml-stylesheet href='alert'?>",
    "attributes nobody asked for": "<path d='M0 0h9' data-x='alert' xml:base='https://alert.example'/>",
}


@pytest.mark.parametrize("inner", DROPPED.values(), ids=DROPPED)
def test_elements_that_draw_nothing_are_removed(inner: str):
    body = drawn(svg(inner)).body
    assert b"alert" not in body
    assert b"jane" not in body
    assert b"xml-stylesheet" not in body


def test_elements_used_in_logos_are_kept():
    made = drawn(
        b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" '
        b'"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
        + svg(
            "<defs><linearGradient id='g'><stop offset='0' stop-color='#fff'/></linearGradient>"
            "<path id='image1' d='M1 1h8'/></defs><style>.a{fill:#f00;stroke:rgb(1,2,3)}</style>"
            "<g transform='translate(1,2) rotate(3)'><use xlink:href='#image1' class='a'/>"
            "<rect style='fill:url(#g)' width='4' height='4'/><text font-family='Arial'>Acme &lt; Co</text></g>"
        )
    )
    kept = made.body.decode()
    for piece in ("linearGradient", 'href="#image1"', ".a{fill:#f00", "url(#g)", "translate(1,2)", "Acme &lt; Co"):
        assert piece in kept
    assert "DOCTYPE" not in kept
    assert fromstring(kept).tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(
    ("said", "size"),
    [
        ({"viewBox": "0 0 300 100"}, (300, 100)),
        ({"viewBox": "-5,-5 30 10"}, (192, 64)),
        ({"viewBox": "0 0 30 10", "width": "100%", "height": "100%"}, (192, 64)),
        ({"viewBox": "", "width": "200px", "height": "80.5"}, (200, 80)),
    ],
)
def test_proportions_are_known_to_avoid_layout_shifts(said: dict[str, str], size: tuple[int, int]):
    made = drawn(svg(**said))
    assert (made.width, made.height) == size
    assert re.search(rb'viewBox="[^"]+', made.body)


@pytest.mark.parametrize("said", [{"viewBox": ""}, {"viewBox": "0 0 0 10"}, {"viewBox": "0 0 2100 100"}])
def test_svg_files_without_usable_proportions_are_rejected(said: dict[str, str]):
    with pytest.raises(PictureUnusable, match="SVG"):
        drawn(svg(**said))


def test_a_width_of_twenty_times_the_height_is_accepted():
    assert drawn(svg(viewBox="0 0 2000 100")).width == 2000


def lol(levels: int, each: int = 10) -> str:
    inner = "<g id='l0'><path d='M0 0h9'/></g>"
    for level in range(1, levels):
        below = f"<use href='#l{level - 1}'/>" * each
        inner += f"<g id='l{level}'>{below}</g>"
    return f"<defs>{inner}</defs><use href='#l{levels - 1}'/>"


def test_nested_uses_are_counted_as_drawn():
    drawn(svg(lol(4)))
    with pytest.raises(PictureUnusable, match="more than 20000 shapes"):
        drawn(svg(lol(9)))


def test_the_first_of_two_equal_ids_counts_as_in_browsers():
    two = ["<g id='a'><use href='#l3'/><use href='#l3'/></g>", "<g id='a'/>"]
    for order, drawable in ((two[::-1], True), (two, False)):
        data = svg(lol(4).replace("</defs>", "".join(order) + "</defs>") + "<use href='#a'/>" * 2)
        if drawable:
            drawn(data)
            continue
        with pytest.raises(PictureUnusable, match="shapes"):
            drawn(data)


@pytest.mark.parametrize(
    "inner",
    [
        "<g id='a'><use href='#a'/></g>",
        "<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>",
        "<mask id='m'><rect mask='url(#m)'/></mask>",
    ],
)
def test_recursive_uses_are_rejected(inner: str):
    with pytest.raises(PictureUnusable, match="uses itself"):
        drawn(svg(inner))


def test_entities_are_rejected():
    bomb = b'<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + svg("<text>&b;</text>")
    with pytest.raises(PictureUnusable, match="entities"):
        drawn(bomb)
    outside = b'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + svg("<text>&a;</text>")
    with pytest.raises(PictureUnusable, match="entities"):
        drawn(outside)


def test_elements_depth_and_bytes_are_limited():
    drawn(svg("<path d='M0'/>" * 4_999))
    drawn(svg("<g>" * 39 + "</g>" * 39))
    for inner in ("<path d='M0'/>" * 5_000, "<g>" * 40 + "</g>" * 40, "<g>" * 100_000 + "</g>" * 100_000):
        with pytest.raises(PictureUnusable, match="more than 5000 elements, or 40"):
            drawn(svg(inner))
    with pytest.raises(PictureUnusable, match="256 KB"):
        drawn(svg(f"<path d='{'M0 0' * 70_000}'/>"))


@pytest.mark.parametrize("data", [b"<svg", b"<svg xmlns='urn:x'/>", b'<?xml version="1.0" encoding="klingon"?><svg/>'])
def test_files_that_are_not_svg_are_rejected(data: bytes):
    with pytest.raises(PictureUnusable):
        drawn(data)
