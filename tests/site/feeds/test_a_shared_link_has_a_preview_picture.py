"""A shared link to an open job or a company has a preview picture."""

from io import BytesIO

import pytest
from PIL import Image, features

from portal.site.feeds.share_picture import HEIGHT, LINES_MOST, WIDTH, Card, can_draw, title_lines
from portal.site.feeds.share_picture import png as drawn_card
from portal.tenants.pictures.stored_pictures import ShownPicture
from tests.parts.missing import missing
from tests.site.browse.jobs import vacancy
from tests.site.feeds.markup import Page

ARABIC = "مهندس برمجيات أول"
HEBREW = "מהנדס תוכנה בכיר"


@pytest.fixture
def shapes():
    """Skip unless right-to-left text can be drawn."""
    if not features.check("fribidi"):
        missing("FriBiDi is not installed: apt-get install libfribidi0")


def no_picture(_slug, _picture, _largest):
    return None


def png(card: Card) -> bytes:
    return drawn_card(card, no_picture)


def opened(body: bytes) -> Image.Image:
    return Image.open(BytesIO(body))


def picture_of(careers, path: str) -> str:
    """Return the path of the page's picture."""
    [address] = Page(careers.get(path).text).named("og:image")
    base = careers.portal.parts.settings.base_url
    assert address.startswith(base)
    return address.removeprefix(base)


@pytest.mark.parametrize("path", ["/acme/jobs/w1", "/acme/", "/acme/?lang=de", "/acme/jobs/w1?lang=de"])
def test_the_page_names_a_picture_of_the_size_that_networks_show(careers, path):
    careers.publish(vacancy("w1", "Welder"))
    page = Page(careers.get(path).text)
    answer = careers.get(picture_of(careers, path))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "image/png"
    assert opened(answer.content).size == (1200, 630) == (WIDTH, HEIGHT)
    assert (page.named("og:image:width"), page.named("og:image:height")) == (["1200"], ["630"])
    assert page.named("twitter:card") == ["summary_large_image"]
    assert page.named("og:title") == [page.title]
    assert page.named("og:url") == [f"{careers.portal.parts.settings.base_url}{path}"]
    assert page.named("og:description") == page.named("description")


def test_a_picture_is_cached_for_ever_and_a_new_title_has_a_new_address(careers):
    careers.publish(vacancy("w1", "Welder"))
    first = picture_of(careers, "/acme/jobs/w1")
    answer = careers.get(first)
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert careers.get(first, **{"If-None-Match": answer.headers["ETag"]}).status_code == 304
    assert "immutable" not in careers.get("/acme/jobs/w1/share.png").headers["Cache-Control"]
    careers.publish(vacancy("w1", "Master welder"))
    assert picture_of(careers, "/acme/jobs/w1") != first


@pytest.mark.parametrize("path", ["/acme/jobs/w1", "/acme/"])
def test_an_outdated_version_redirects_to_the_current_one_without_caching(careers, path):
    careers.publish(vacancy("w1", "Welder"))
    right = picture_of(careers, path)
    bare, _, version = right.partition("?v=")
    for wrong in ("anything", "", f"{version}0"):
        answer = careers.get(f"{bare}?v={wrong}")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (302, "no-cache")
        assert answer.headers["Location"].endswith(right)
    assert "immutable" in careers.get(right).headers["Cache-Control"]


def test_a_closed_job_has_no_picture_in_the_same_second(careers):
    careers.publish(vacancy("w1", "Welder", end="2026-06-02T14:00:00Z"))
    address = picture_of(careers, "/acme/jobs/w1")
    end = careers.clock.now().replace(month=6, day=2, hour=14, minute=0, second=0, microsecond=0)
    careers.clock.pass_time((end - careers.clock.now()).total_seconds() - 0.001)
    assert careers.get(address).status_code == 200
    careers.clock.pass_time(0.001)
    assert careers.get(address).status_code == 410
    assert careers.get("/acme/jobs/never/share.png").status_code == 404
    assert "og:image" not in careers.get("/acme/jobs/w1").text


def test_a_picture_is_drawn_once_despite_requests_and_changes_of_other_jobs(careers):
    careers.publish(vacancy("w1", "Welder"))
    address = picture_of(careers, "/acme/jobs/w1")
    drawn_card.cache_clear()
    for number in range(3):
        careers.get(address)
        careers.get(f"{address}x")
        careers.publish(vacancy(f"x{number}", "Cook"))
    assert drawn_card.cache_info().misses == 1


@pytest.mark.parametrize("words", [1, 3, 10, 40, 150])
def test_a_long_title_is_wrapped_and_ends_with_an_ellipsis(words):
    title = " ".join(["Engineer"] * words)
    lines, whole = title_lines(title, 52)
    assert len(lines) <= LINES_MOST
    assert whole == (words <= 12)
    assert lines[-1].endswith("…") == (not whole)
    if whole:
        assert " ".join(lines) == title


def test_a_word_that_is_too_long_for_a_line_is_broken():
    lines, whole = title_lines("x" * 300, 52)
    assert len(lines) == LINES_MOST
    assert not whole
    lines, whole = title_lines("x" * 60, 52)
    assert (len(lines), "".join(lines), whole) == (2, "x" * 60, True)


@pytest.mark.parametrize("title", [ARABIC, HEBREW, f"{ARABIC} (C++)"])
def test_right_to_left_text_is_shaped_and_starts_at_the_right(shapes, title):
    drawn = opened(png(Card("Acme", title, "", "#000000", from_right=True)))
    ink = drawn.crop((0, 170, WIDTH, 520)).convert("L").point(lambda level: 255 if level > 128 else 0)
    left, _, right, _ = ink.getbbox()
    assert right > WIDTH - 90
    assert left > 90
    # Joined letters are not drawn separately.
    apart = opened(png(Card("Acme", "\u200c".join(title), "", "#000000", from_right=True)))
    if title != HEBREW:
        assert apart.tobytes() != drawn.tobytes()


def test_a_title_with_both_directions_is_ordered_as_it_is_read(shapes):
    """A narrow alef, and then a wide W: the first is at the right."""
    drawn = opened(png(Card("", "\u0627 W", "", "#000000", from_right=True)))
    ink = drawn.crop((0, 170, WIDTH, 520)).convert("L").point(lambda level: 255 if level > 128 else 0)
    columns = [bool(ink.crop((x, 0, x + 1, ink.height)).getbbox()) for x in range(WIDTH)]
    right = max(x for x, has_ink in enumerate(columns) if has_ink)
    width = columns[: right + 1][::-1].index(False)
    assert width < 40


def test_a_title_that_cannot_be_drawn_is_left_out():
    assert can_draw("Größe Łódź Инженер Μηχανικός “quoted” – €")
    assert not can_draw("日本語の仕事")
    assert png(Card("Acme", "日本語の仕事", "", "#0b5fff")) == png(Card("Acme", "", "", "#0b5fff"))
    assert png(Card("Acme", "Welder 🚀", "", "#0b5fff")) == png(Card("Acme", "Welder ", "", "#0b5fff"))


@pytest.mark.parametrize("accent", ["#ffffff", "#000000", "#ffcc00", "#0b5fff", "#808080"])
def test_text_is_legible_on_every_brand_colour(accent):
    from portal.site.design.accent import contrast

    drawn = opened(png(Card("Acme", "Welder", "Berlin", accent)))
    colours = sorted(drawn.getcolors(1_000_000), reverse=True)
    paper, ink = colours[0][1], max((one for _, one in colours), key=lambda one: distance(one, colours[0][1]))
    assert contrast(f"#{bytes(paper).hex()}", f"#{bytes(ink).hex()}") >= 4.5


def of_colour(colour: str, size: tuple[int, int]) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, colour).save(out, "WEBP", lossless=True)
    return out.getvalue()


def test_a_logo_is_at_the_right_in_arabic():
    card = Card("Acme", "", "", "#0b5fff", from_right=True, logo=ShownPicture("0", 200, 50, "image/webp"))
    drawn = opened(drawn_card(card, lambda *_: of_colour("#ff0000", (200, 50))))
    assert drawn.getpixel((WIDTH - 110, 80)) == (255, 0, 0)


def test_the_company_name_replaces_a_picture_that_cannot_be_drawn():
    shown = ShownPicture("0", 200, 50, "image/svg+xml")
    assert png(Card("Acme", "Welder", "", "#0b5fff", logo=shown, cover=shown)) == png(
        Card("Acme", "Welder", "", "#0b5fff")
    )


def distance(one, other) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))
