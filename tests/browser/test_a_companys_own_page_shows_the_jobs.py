"""The demo's page of a company, on another site than the portal's: list, application with a CV, unavailable portal."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_a_job_seeker_finds_a_job_and_applies import fill_in
from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}


def own_page(demo: RunningDemo) -> str:
    return demo.portal.replace("127.0.0.1", "localhost") + "/demo/embedded"


def picture(page: Page, folder: Path, name: str) -> None:
    page.wait_for_timeout(300)  # frames are painted by another process
    page.screenshot(path=folder / f"{name}.png")
    assert (folder / f"{name}.png").stat().st_size > 5_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_a_visitor_applies_inside_the_companys_page(
    chromium: Browser, demo: RunningDemo, files: Path, tmp_path: Path, size: str, scheme: str
):
    folder = Path(os.environ.get("PORTAL_PICTURES", tmp_path)) / "all" / f"embedded-{size}-{scheme}"
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(own_page(demo))
    frame = page.frame_locator("careers-portal iframe")
    expect(page.locator("careers-portal")).to_have_attribute("state", "ready")
    picture(page, folder, "list")
    frame.locator(".card-title a").first.click()
    expect(frame.locator(".job-end")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/demo/embedded\?job=[\w-]+$"))
    picture(page, folder, "job")
    frame.locator(".job-end a", has_text="Apply").click()
    expect(frame.locator("[name=firstName]")).to_be_visible()
    picture(page, folder, "form")
    form = page.frames[1]
    fill_in(form, files / "cv.pdf", f"embedded.{size}.{scheme}@people.example")
    form.locator("form[method=post] button[type=submit]").click()
    expect(frame.locator(".receipt")).to_have_attribute("data-state", "sent")
    picture(page, folder, "receipt")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
    assert context.cookies() == []
    context.close()


def test_the_jobs_are_on_the_portals_own_address_too(desktop: Page, demo: RunningDemo):
    desktop.goto(f"{demo.portal}/demo/embedded")
    expect(desktop.frame_locator("careers-portal iframe").locator(".card").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_the_portal_unavailable_the_page_links_to_the_jobs(
    chromium: Browser, demo: RunningDemo, tmp_path: Path, scheme: str
):
    folder = Path(os.environ.get("PORTAL_PICTURES", tmp_path)) / "all" / f"embedded-phone-{scheme}"
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.route("**/acme/embed**", lambda route: route.abort("connectionrefused"))
    page.goto(own_page(demo))
    expect(page.get_by_role("link", name="See them on the careers site")).to_be_visible()
    picture(page, folder, "broken")
    context.close()


def test_the_readme_shows_the_embedded_jobs(chromium: Browser, demo: RunningDemo, tmp_path: Path):
    context = chromium.new_context(viewport={"width": 1280, "height": 860}, color_scheme="light")
    page = context.new_page()
    page.goto(own_page(demo))
    expect(page.locator("careers-portal")).to_have_attribute("state", "ready")
    picture(page, Path(os.environ.get("PORTAL_PICTURES", tmp_path)), "embedded")
    context.close()
