"""Photos of a CV can be rotated, removed and reordered by mouse, touch or keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from portal.delivery.uploads.tables import uploads
from tests.parts.missing import file
from tests.site.apply.photos import choose, go_on, photo, red_green_blue, shown
from tests.site.apply.upload_ahead import FORM, Ahead, ahead

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "node" / "node_modules" / "axe-core" / "axe.min.js"
RUN = "axe.run().then(found => found.violations.map(v => v.id + ' ' + v.nodes[0].html))"
SMALL = """all => all.map(one => one.getBoundingClientRect())
  .filter(({width, height}) => Math.min(width, height) < 44).length"""
TENANT = """
[publish]
stages = ["Open"]
[site]
locales = ["en", "ar"]
"""


@pytest.fixture
def site(tmp_path: Path, chromium: Browser) -> Iterator[Ahead]:
    with ahead(tmp_path, chromium) as made:
        made.portal.write_tenant("acme", "Acme", TENANT)
        made.portal.parts.clock.sleep(1)
        yield made


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def uploaded(site: Ahead) -> list[tuple[str, str]]:
    """Return the pages of the form's file."""
    parts = site.portal.parts
    with parts.database.read() as connection:
        (row,) = connection.execute(uploads.select().where(uploads.c.stored_at.is_not(None))).all()
    with parts.store.open(row.key) as stored:
        return shown(stored.read())


def middle(one: Locator) -> tuple[float, float]:
    box = one.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_pages_are_moved_by_keyboard_and_keep_the_focus(site: Ahead) -> None:
    with site.window() as page:
        choose(page, *red_green_blue())
        expect(page.get_by_role("list", name="Pages of your CV")).to_have_accessible_description(
            "To change the order, use the arrow buttons or drag a page by its number."
        )
        button(page, "Move page 3 earlier").press("Enter")
        expect(button(page, "Move page 2 earlier")).to_be_focused()
        page.keyboard.press("Enter")
        expect(button(page, "Move page 1 earlier")).to_be_focused()
        expect(button(page, "Move page 1 earlier")).to_have_attribute("aria-disabled", "true")
        page.keyboard.press("Enter")
        expect(button(page, "Move page 1 earlier")).to_be_focused()
        go_on(page)
        assert [one for one in site.said if "is now" in one] == ["Page 3 is now page 2.", "Page 2 is now page 1."]
    assert [colour for colour, _ in uploaded(site)] == ["blue", "red", "green"]


def test_pages_are_rotated_removed_and_added_after_their_upload(site: Ahead) -> None:
    with site.window() as page:
        choose(page, *red_green_blue())
        go_on(page)
        expect(page.locator(".field-stored")).to_contain_text("3 pages")
        expect(page.locator(".field-stored")).to_contain_text("You can still change them.")
        button(page, "Remove page 2").press("Enter")
        expect(button(page, "Remove page 2")).to_be_focused()
        expect(page.locator("[data-cv-status]")).to_have_text("Page 2 has been removed. Pages left: 2.")
        expect(page.locator(".field-stored")).to_be_hidden()
        button(page, "Rotate page 2").click()
        expect(page.locator("[data-cv-status]")).to_have_text("Page 2 has been rotated.")
        sides = page.locator(".cv-page canvas").evaluate_all("all => all.map(one => one.width > one.height)")
        assert sides == [False, True]
        choose(page, photo("IMG_4.jpg", (120, 160), "lime"))
        go_on(page)
        expect(page.locator(".field-stored")).to_contain_text("3 pages")
        assert uploaded(site) == [("red", "bottom"), ("blue", "left"), ("green", "bottom")]
        page.reload()
        expect(page.locator(".field-stored")).to_contain_text("CV.pdf (PDF, 3 pages")
        expect(page.locator(".cv-page")).to_have_count(0)


def test_a_cv_is_required_again_after_the_last_page_is_removed(site: Ahead) -> None:
    with site.window() as page:
        choose(page, photo("IMG_1.jpg", (120, 160), "red"))
        go_on(page)
        button(page, "Remove page 1").press("Enter")
        expect(page.locator("#cv")).to_be_focused()
        expect(page.locator("[data-cv-choose]")).to_have_text("Choose a file")
        expect(page.locator("input[type=hidden][name=upload]")).to_have_count(0)


def test_a_page_is_dragged_by_mouse_and_escape_cancels(site: Ahead) -> None:
    with site.window(viewport={"width": 1280, "height": 900}) as page:
        choose(page, *red_green_blue())
        pictures = page.locator(".cv-page canvas")
        page.locator("#cv").scroll_into_view_if_needed()
        for is_kept in (False, True):
            page.mouse.move(*middle(pictures.nth(0)))
            page.mouse.down()
            page.mouse.move(*middle(page.locator(".cv-page").nth(2)), steps=8)
            expect(page.locator(".is-dragged")).to_have_count(1)
            if not is_kept:
                page.keyboard.press("Escape")
            page.mouse.up()
            expect(page.locator(".is-dragged")).to_have_count(0)
        go_on(page)
        assert [one for one in site.said if "is now" in one] == ["Page 1 is now page 3."]
    assert [colour for colour, _ in uploaded(site)] == ["green", "blue", "red"]


def test_a_page_is_dragged_by_touch_at_its_number_and_scrolling_works_elsewhere(site: Ahead) -> None:
    with site.window(has_touch=True, is_mobile=True) as page:
        choose(page, *red_green_blue())
        page.locator(".cv-page").first.scroll_into_view_if_needed()
        session = page.context.new_cdp_session(page)

        def swipe(start: tuple[float, float], end: tuple[float, float]) -> None:
            session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at(start)]})
            for step in range(1, 11):
                point = [a + (b - a) * step / 10 for a, b in zip(start, end, strict=True)]
                session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at(point)]})
            session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

        def at(point) -> dict[str, float]:
            return {"x": point[0], "y": point[1]}

        grips = page.locator("[data-page-grip]")
        before = page.evaluate("scrollY")
        swipe(middle(grips.nth(0)), middle(grips.nth(1)))
        expect(page.locator("[data-cv-status]")).to_have_text("Page 1 is now page 2.")
        assert page.evaluate("scrollY") == before
        x, y = middle(page.locator(".cv-page canvas").nth(0))
        swipe((x, y), (x, y - 200))
        page.wait_for_function("before => scrollY > before", arg=before)
        expect(page.locator("[data-cv-status]")).to_have_text("Page 1 is now page 2.")
        go_on(page)
    assert [colour for colour, _ in uploaded(site)] == ["green", "red", "blue"]


@pytest.mark.parametrize(
    ("width", "scheme", "language"), [(1280, "light", "en"), (320, "dark", "en"), (320, "light", "ar")]
)
def test_the_controls_are_accessible(site: Ahead, width: int, scheme: str, language: str) -> None:
    script = file(AXE, how="python tools/install_parts.py, with npm installed").read_text(encoding="utf-8")
    how = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme, "bypass_csp": True}
    with site.window(f"{FORM}?lang={language}", **how) as page:
        choose(page, *red_green_blue())
        page.evaluate(script)
        assert page.evaluate(RUN) == []
        page.focus("#city")
        expect(page.locator(".field-stored")).to_be_visible()
        assert page.evaluate(RUN) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".field-pages button, [data-page-grip], #cv").evaluate_all(SMALL) == 0
        first, second = (middle(page.locator(".cv-page").nth(n))[0] for n in (0, 1))
        assert (first > second) is (language == "ar")


def test_filling_the_form_from_photos_is_not_offered(site: Ahead) -> None:
    fill_in = "Fill in from my CV"
    with site.window() as page:
        choose(page, photo("IMG_1.jpg", (120, 160), "red"))
        go_on(page)
        expect(button(page, fill_in)).to_be_hidden()
        page.reload()
        expect(page.locator(".field-stored")).to_contain_text("CV.pdf")
        expect(button(page, fill_in)).to_be_hidden()
        page.get_by_role("button", name="Send application").click()
        expect(page.locator(".form-summary")).to_be_visible()
        expect(page.locator(".field-stored")).to_contain_text("CV.pdf")
        expect(button(page, fill_in)).to_be_hidden()
