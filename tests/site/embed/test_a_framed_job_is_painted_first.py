"""In a frame the first job waits only for the page and its styles."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.site.browse.jobs import Careers, vacancy
from tests.site.embed.company_site import CompanySite, frame_of
from tests.site.embed.test_a_frame_is_as_tall_as_its_page import expect_to_fit

LATER = """() => new Promise(done => setTimeout(function look() {
  const all = performance.getEntriesByType('resource');
  const scripts = all.filter(one => /js\\/(ago|sources|places)/.test(one.name));
  if (scripts.length < 3) return setTimeout(look, 50);
  const first = all.find(one => one.name.includes('js/framed'));
  done(scripts.map(one => one.startTime > first.responseEnd));
}))"""
"""Whether each of the other scripts was asked for by the frame's own, which does so once there is a picture."""

PLAIN = '<iframe src="{portal}/acme/embed" width="1200" height="700"></iframe>'
"""Without the loader, as in a page whose editor takes no scripts."""


def test_a_framed_list_loads_only_its_styles_and_one_script(acme: Careers):
    acme.publish(vacancy("job-1", "Welder"))
    page = acme.get("/acme/embed").text
    head, _, body = page.partition("</head>")
    assert re.findall(r'<link rel="(stylesheet|preload)"', page) == ["stylesheet"]
    assert body.index('<link rel="stylesheet"') < body.index(
        "<a "
    )  # a browser does not lay out the page before it is loaded
    assert re.findall(r'<script[^>]* src="/static/js/(\w+)', page) == ["framed"]
    assert '<link rel="expect" href="#first-job" blocking="render">' in head
    assert body.count('id="first-job"') == 1
    assert "og:" not in head


def test_a_framed_list_without_jobs_waits_for_no_script(acme: Careers):
    assert 'rel="expect"' not in acme.get("/acme/embed").text


@pytest.mark.browser
def test_scripts_without_visible_effect_are_loaded_by_the_frames_script(company: CompanySite):
    page = company.open()
    expect(frame_of(page).locator(".card")).to_have_count(8)
    later = page.frames[1].evaluate(LATER)
    assert later == [True] * 3
    assert company.said == []


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False])
def test_filters_wait_for_the_first_job_where_scripts_restore_them(company: CompanySite, scripts: bool):
    company.body = PLAIN
    company.portal.service.load("acme", [vacancy("job-9", "Solderer", city="Bremen")])
    company.portal.parts.clock.sleep(3600)
    company.portal.work.mirror_what_is_due()
    page = company.window(viewport={"width": 1280, "height": 800}, java_script_enabled=scripts)
    kept_waiting: list[Route] = []
    page.route("**/js/framed.js*", lambda route: kept_waiting.append(route))  # noqa: PLW0108  a mark is added to it
    page.goto(company.origin + "/jobs", wait_until="commit")
    frame = page.frame_locator("iframe")
    first_filter = frame.locator(".filter-option input").first
    expect(frame.get_by_role("link", name="Welder 8", exact=True)).to_be_visible()
    expect(frame.locator(".filters-title")).to_be_hidden()  # so the styles are loaded
    expect(first_filter).to_be_visible(visible=not scripts)
    for route in kept_waiting:
        route.continue_()
    expect(first_filter).to_be_visible()
    assert len(kept_waiting) == scripts


@pytest.mark.browser
def test_a_frame_outside_the_viewport_has_the_height_of_its_page(company: CompanySite):
    company.style = "h1 { margin-block-end: 6000px }"
    page = company.open()
    expect_to_fit(page)
    assert page.locator("careers-portal iframe").bounding_box()["y"] > 5_000
