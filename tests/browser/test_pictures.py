"""Screenshots of the main pages, for the README and for design reviews: `make pictures`."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.parts.chromium import goto
from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo"), pytest.mark.verify]
SIZES = {"phone": (360, 740), "desktop": (1280, 860)}
SCROLL_THROUGH = """async () => {
  for (let y = 0; y < document.body.scrollHeight; y += 400) {
    scrollTo(0, y);
    await new Promise(requestAnimationFrame);
  }
  const missing = [...document.images].filter((image) => !image.complete);
  await Promise.all(missing.map((image) => new Promise((done) => { image.onload = image.onerror = done; })));
  scrollTo(0, 0);
}"""


def show_all(page: Page) -> None:
    """Paint what is loaded only when it is scrolled to: cards far below, pictures that load late."""
    page.add_style_tag(content="* { content-visibility: visible !important }")
    page.evaluate(SCROLL_THROUGH)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_page_is_pictured(chromium: Browser, demo: RunningDemo, tmp_path: Path, size: str, scheme: str):
    folder = Path(os.environ.get("PORTAL_PICTURES", tmp_path)) / "all" / f"{size}-{scheme}"
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/")
    job = page.locator("main a[href*='/jobs/']").first.get_attribute("href").split("?")[0]
    job = job if job.startswith("http") else demo.portal + job
    pages = {
        "companies": f"{demo.portal}/",
        "list": f"{demo.portal}/acme/",
        "list-globex": f"{demo.portal}/globex/",
        "search": f"{demo.portal}/acme/?q=engineer",
        "nothing-found": f"{demo.portal}/acme/?q=astronaut",
        "job": job,
        "apply": f"{job}/apply",
        "not-found": f"{demo.portal}/acme/jobs/no-such-job",
    }
    for name, address in pages.items():
        goto(page, address, status=404 if name == "not-found" else 200)
        show_all(page)
        page.screenshot(path=folder / f"{name}.png", full_page=True)
        assert (folder / f"{name}.png").stat().st_size > 5_000
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_emails_are_pictured(chromium: Browser, demo: RunningDemo, tmp_path: Path, size: str, scheme: str):
    folder = Path(os.environ.get("PORTAL_PICTURES", tmp_path)) / "all" / f"{size}-{scheme}"
    context = chromium.new_context(
        viewport=dict(zip(("width", "height"), SIZES[size], strict=True)), color_scheme=scheme
    )
    page = context.new_page()
    for name in ("receipt", "code"):
        goto(page, f"{demo.portal}/_mails?tenant=acme")
        page.set_content(page.get_by_title(f"{name}, phone", exact=True).get_attribute("srcdoc") or "")
        page.screenshot(path=folder / f"mail-{name}.png", full_page=True)
        assert (folder / f"mail-{name}.png").stat().st_size > 5_000
    context.close()


@pytest.mark.parametrize("size", SIZES)
def test_the_readme_shows_a_job_seekers_pages(chromium: Browser, demo: RunningDemo, tmp_path: Path, size: str):
    folder = Path(os.environ.get("PORTAL_PICTURES", tmp_path))
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme="light")
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/")
    if size == "phone":
        page.locator("main a[href*='/jobs/']").first.click()
        page.wait_for_load_state()
    page.screenshot(path=folder / f"{size}.png")
    assert (folder / f"{size}.png").stat().st_size > 5_000
    context.close()
