"""Jobs that load late do not shift visible content of the company's page or the frame."""

import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.site.browse.jobs import vacancy
from tests.site.embed.company_site import CompanySite
from tests.site.embed.test_a_frame_is_as_tall_as_its_page import until

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

pytestmark = pytest.mark.browser

MANUAL = Path(__file__).parents[3] / "docs" / "embedding.md"
DELAY = 0.6
MOST = 0.02
WAYS = {"loader": "data-tenant", "element": "<careers-portal", "frame": "<iframe", "inline": 'data-mode="inline"'}
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}
SHIFTS = """() => new Promise(done => {
  const seen = [];
  const sources = one => one.sources.map(({ node, previousRect: a, currentRect: b }) =>
    `${node?.nodeName}.${node?.className ?? ""} ${[a.x, a.y, a.width, a.height]} > ${[b.x, b.y, b.width, b.height]}`);
  new PerformanceObserver(list => {
    for (const one of list.getEntries()) seen.push({ value: one.value, sources: sources(one) });
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => done(seen), 100));
})"""


def snippet(way: str) -> str:
    """Return the manual's first example of a way to embed, for this portal."""
    blocks = re.findall(r"```html\n(.*?)```", MANUAL.read_text(encoding="utf-8"), re.DOTALL)
    found = next(block for block in blocks if WAYS[way] in block)
    return found.replace("https://careers.example", "{portal}")


class DelayedApplication:
    """An application whose every response is late, as over a poor connection."""

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        time.sleep(DELAY)  # the delay is the subject of the test
        return self._app(environ, start_response)


def delay(company: CompanySite) -> None:
    company.careers.down()
    company.careers.app = DelayedApplication(company.careers.app)
    company.careers.up()


def shifts(place: Page | Frame) -> list[dict[str, object]]:
    found: list[dict[str, object]] = place.evaluate(SHIFTS)
    return found


def moved(page: Page) -> tuple[float, list[dict[str, object]]]:
    found = [one for place in page.frames for one in shifts(place)]
    return sum(float(str(one["value"])) for one in found), found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", WAYS)
def test_late_jobs_shift_no_visible_content(company: CompanySite, way: str, size: str):
    company.body, company.policy = snippet(way), ""
    company.portal.service.load("acme", [vacancy("job-9", "Solderer", city="Bremen")])  # so there are filters
    company.portal.parts.clock.sleep(3600)
    company.portal.work.mirror_what_is_due()
    delay(company)
    width, height = SIZES[size]
    page = company.window(viewport={"width": width, "height": height})
    # Access to a frame before its styles are loaded would lay it out without them, and count as a shift.
    last = "jobs.json" if way == "inline" else "js/places"
    with page.expect_request_finished(lambda asked: last in asked.url, timeout=60_000):
        page.goto(company.origin + "/jobs")
    if way in {"loader", "element"}:
        until(page, lambda: page.locator("careers-portal iframe").bounding_box()["height"] > 1000)
    total, found = moved(page)
    if way == "inline":
        expect(page.locator("careers-portal li")).to_have_count(9)
    else:
        expect(page.frame_locator("iframe").locator(".card")).to_have_count(9)
    assert total <= MOST, found
