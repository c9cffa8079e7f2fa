"""The picture of a shared job shows the company's logo and cover, and gets a new URL once they are available."""

import re
from io import BytesIO

import pytest
from PIL import Image

from tests.builders import Portal
from tests.site.browse.jobs import vacancy
from tests.tenants.pictures.internet import COVER, LOGO, Internet, photo, svg

WHITE, BLACK, BLUE = (255, 255, 255), (0, 0, 0), (11, 95, 255)


def shared(acme: Portal, path: str) -> str:
    with acme.browser() as browser:
        page = browser.get(path)
    found = re.search(r'<meta property="og:image" content="[^"]*?(/acme/[^"]+)"', page.text)
    assert found
    return found[1]


def near(pixel: tuple[int, int, int], colour: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 8 for one, other in zip(pixel, colour, strict=True))


@pytest.mark.parametrize("path", ["/acme/jobs/job-1", "/acme/"])
def test_pictures_of_shared_jobs_and_companies_show_logo_and_cover(acme: Portal, internet: Internet, path: str):
    acme.service.load("acme", [vacancy("job-1", "Welder")])
    acme.parts.clock.pass_time(86_401)
    acme.work.mirror_what_is_due()
    before = shared(acme, path)
    internet.has(LOGO, svg('<path d="M0 0h120v40H0z"/>'))
    internet.has(COVER, photo(800, 200, "JPEG"))
    acme.parts.clock.pass_time(86_401)
    assert acme.work.fetch_pictures() == 2
    address = shared(acme, path)
    assert address != before
    with acme.browser() as browser:
        answer = browser.get(address)
    assert (answer.status_code, "immutable" in answer.headers["Cache-Control"]) == (200, True)
    drawn = Image.open(BytesIO(answer.content))
    cover, plate, logo = (drawn.getpixel(place) for place in [(900, 20), (90, 200), (110, 200)])
    assert near(cover, BLUE)
    assert plate == WHITE
    assert near(logo, BLACK)


def test_an_undrawable_logo_is_replaced_by_the_name(acme: Portal, internet: Internet):
    first = shared(acme, "/acme/")
    internet.has(LOGO, svg("<text>Acme</text>"))
    acme.parts.clock.pass_time(86_401)
    acme.work.fetch_pictures()
    address = shared(acme, "/acme/")
    assert address != first
    with acme.browser() as browser:
        drawn = Image.open(BytesIO(browser.get(address).content))
    assert drawn.getpixel((90, 60)) != WHITE
