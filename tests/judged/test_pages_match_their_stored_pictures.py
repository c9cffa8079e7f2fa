"""Each page matches its stored picture; after an intended change, `make pictures` stores new ones.

Fonts differ between machines and dates change, so the comparison is coarse: the page in shades of grey, in cells of
a few letters each. A block that moved, disappeared or changed its colour is detected; a word is not."""

import io
import os
from itertools import chain
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Browser, Page

from tests.judged.visit import application, public_pages
from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.verify, pytest.mark.xdist_group("judged")]
KEPT = Path(__file__).parent / "kept"
LOOKS = {
    "phone": ("en", 390, "light"),
    "phone-dark": ("de", 390, "dark"),
    "phone-arabic": ("ar", 390, "light"),
    "desktop": ("en", 1280, "light"),
    "desktop-dark": ("en", 1280, "dark"),
}
CELL = 24  # CSS px
SHADES = 40  # of 255: as much as text against none
SHARE = 0.06  # of the cells may differ
LATE = """() => Promise.all([...document.querySelectorAll('img[loading=lazy]')].map(one => {
  one.loading = 'eager';
  return one.complete || new Promise(done => { one.onload = one.onerror = done; });
}))"""  # what a browser loads only when it is scrolled near


def picture(page: Page) -> Image.Image:
    """Return the upper part of the page in grey, with one pixel for each cell."""
    page.evaluate(LATE)
    taken = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("L")
    upper = taken.crop((0, 0, taken.width, min(taken.height, 3 * CELL * 50)))
    return upper.resize((upper.width // CELL, upper.height // CELL), Image.Resampling.BOX)


def differs(one: Image.Image, other: Image.Image) -> float:
    """Return the share of different cells; cells that only one picture has count as different."""
    size = (max(one.width, other.width), max(one.height, other.height))
    padded = [Image.new("L", size) for _ in range(2)]
    for canvas, image in zip(padded, (one, other), strict=True):
        canvas.paste(image)
    apart = ImageChops.difference(*padded).point(lambda shade: 255 if shade > SHADES else 0)
    return ImageStat.Stat(apart).mean[0] / 255


@pytest.mark.parametrize("look", LOOKS)
def test_every_page_matches_its_stored_picture(
    chromium: Browser, demo: RunningDemo, cv: Path, tmp_path: Path, look: str
):
    language, width, scheme = LOOKS[look]
    context = chromium.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    for company in (
        "acme",
        "globex",
    ) * 2:  # web fonts are used as soon as they are loaded, which may be after the first page
        page.goto(f"{demo.portal}/{company}/?lang={language}")
        page.wait_for_load_state("networkidle")
    keep, wrong, seen = "PORTAL_PICTURES" in os.environ, {}, set()
    form = application(page, demo, language, cv, f"look.{look}@people.example")
    for name in chain(public_pages(page, demo, language), form):
        seen.add(name)
        kept = KEPT / look / f"{name}.png"
        now = picture(page)
        if keep:
            kept.parent.mkdir(parents=True, exist_ok=True)
            now.save(kept, optimize=True)
        elif not kept.is_file():
            wrong[name] = "there is no picture of it: make pictures"
        elif (share := differs(now, Image.open(kept))) > SHARE:
            page.screenshot(path=tmp_path / f"{name}.png", full_page=True)
            wrong[name] = f"{share:.0%} differ, see {tmp_path / name}.png; if that was meant: make pictures"
    context.close()
    assert wrong == {}
    assert seen == {one.stem for one in (KEPT / look).glob("*.png")}
