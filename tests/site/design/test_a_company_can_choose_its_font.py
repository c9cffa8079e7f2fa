"""Three fonts besides the system's are small, come from the portal's origin, and do not block rendering."""

import re
from pathlib import Path

import pytest

from portal.tenants.model import Font

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "static" / "fonts").glob("*.woff2"))
OURS = {Font.INTER, Font.FIGTREE, Font.SOURCE_SERIF}


def styles(site, page: str) -> str:
    return site.get(re.search(r'href="([^"]*theme\.css[^"]*)"', page)[1]).text


@pytest.mark.parametrize("font", Font)
def test_fonts_are_loaded_only_where_they_are_chosen(site, font):
    site.tenant("acme", more=f'site = {{font = "{font}"}}')
    page = site.get("/acme/nothing").text
    css = styles(site, page)
    assert ("@font-face" in css) == (font in OURS)
    early = re.findall(r'<link rel="preload" as="font" type="font/woff2" href="([^"]*)" crossorigin>', page)
    assert len(early) == (font in OURS)
    for address in [*early, *re.findall(r'url\("([^"]*)"\)', css)]:
        answer = site.get(address)
        assert answer.status_code == 200
        assert answer.mimetype == "font/woff2"
        assert "immutable" in answer.headers["Cache-Control"]
    assert css.count("font-display:optional") == css.count("@font-face")
    assert "font-src 'self'" in site.get("/acme/nothing").headers["Content-Security-Policy"]


@pytest.mark.parametrize(("language", "early"), [("en", ["latin"]), ("pl", ["latin", "latin-ext"]), ("ar", [])])
def test_a_page_preloads_the_font_of_its_script(site, language, early):
    site.tenant("acme", more=f'site = {{font = "inter", locales = ["{language}"]}}')
    assert re.findall(r'as="font"[^>]*fonts/inter-([\w-]+)\.woff2', site.get("/acme/nothing").text) == early


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_font_is_small_and_has_its_licence_beside_it(file):
    assert file.stat().st_size <= 60 * 1024
    family = re.sub(r"-(latin|latin-ext|greek|cyrillic)$", "", file.stem)
    assert "SIL OPEN FONT LICENSE" in (file.parent / f"{family}-OFL.txt").read_text(encoding="utf-8").upper()
    assert f"static/fonts/{family}-" in (ROOT / "NOTICE").read_text(encoding="utf-8")


def test_there_are_files_for_each_font():
    assert {re.match(r"(source-serif|[a-z]+)", file.name)[1] for file in FILES} == {str(font) for font in OURS}
