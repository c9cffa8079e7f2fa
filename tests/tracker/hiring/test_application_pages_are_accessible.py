"""In Chromium: application pages are accessible and valid HTML; a CV is shown, and a malicious one is downloaded."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.judged.test_public_pages_are_accessible import AXE, problems
from tests.parts.chromium import arguments, executable
from tests.parts.html import HtmlChecker
from tests.parts.missing import file
from tests.parts.pdfs import typeset
from tests.parts.wsgi import serving
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import RECRUITER, HiringBrowser, HiringSite

pytestmark = [pytest.mark.browser, pytest.mark.verify]
BACKGROUND = ("--disable-component-extensions-with-background-pages",)
HOSTILE = b"<!doctype html><title>ran</title><script>document.title = 'ran'</script>"


@pytest.fixture
def reading(chromium: Browser, hiring: HiringSite) -> Iterator[tuple[BrowserContext, str, HiringBrowser]]:
    """A browser in which a recruiter is signed in, the pages' address, and the same recruiter without a browser."""
    recruiter = hiring.signed_in(RECRUITER)
    with serving(hiring.office.app) as origin:
        context = chromium.new_context(bypass_csp=True, accept_downloads=True)
        kept: list[Any] = [
            {"name": one.name, "value": one.value, "url": origin} for one in recruiter.client.cookies.jar
        ]
        context.add_cookies(kept)
        yield context, f"{origin}/acme/hiring", recruiter
        context.close()


def test_application_pages_have_no_accessibility_problems(
    hiring: HiringSite, reading: tuple[BrowserContext, str, HiringBrowser], html: HtmlChecker
):
    context, address, recruiter = reading
    job = hiring.office.add_vacancy(name="Welder <b>" + "x" * 80)
    application = apply(hiring, job, networkUrl="https://people.example/ada", firstName="Ada" * 20)
    apply(hiring, hiring.office.add_vacancy(), key="cv-2")
    one = f"/applications/{application}"
    recruiter.get(one)
    recruiter.post(f"{one}/rating", rating="4")
    recruiter.post(f"{one}/notes", note="Called.\n" + "y" * 200)
    recruiter.post(f"{one}/notes", note="Comes on Monday.")
    script = file(AXE, how="python tools/install_parts.py, with npm installed").read_text(encoding="utf-8")
    page, wrong = context.new_page(), {}
    for path in (f"/jobs/{job}/applications", f"/jobs/{job}/applications?stage=offer", one):
        answer = page.goto(address + path)
        assert answer
        wrong[path] = problems(page, script) + html.validate(answer.text())
    assert {path: found for path, found in wrong.items() if found} == {}


def test_a_malicious_cv_is_downloaded_and_not_shown(
    hiring: HiringSite, reading: tuple[BrowserContext, str, HiringBrowser]
):
    context, address, _ = reading
    application = apply(hiring, hiring.office.add_vacancy(), cv=HOSTILE)
    page = context.new_page()
    page.goto(f"{address}/applications/{application}")
    with page.expect_download() as saved, context.expect_page() as opened:
        page.get_by_role("link", name="Open the CV").click()
    assert (saved.value.suggested_filename, Path(saved.value.path()).read_bytes()) == ("Ada Okafor.bin", HOSTILE)
    assert "ran" not in {each.title() for each in context.pages}
    assert opened.value
    expect(page).to_have_title("Ada Okafor – Acme Robotics")


def test_a_pdf_is_shown_in_the_browsers_viewer(
    chromium: Browser, hiring: HiringSite, reading: tuple[BrowserContext, str, HiringBrowser]
):
    context, address, _ = reading
    application = apply(hiring, hiring.office.add_vacancy(), cv=typeset())
    # The headless shell that other tests use has no PDF viewer.
    whole = chromium.browser_type.launch(
        executable_path=executable(),
        args=[*arguments(), "--headless=new"],
        ignore_default_args=["--headless", "--disable-extensions", *BACKGROUND],
    )
    page = whole.new_page()
    page.context.add_cookies(context.cookies())  # type: ignore[arg-type]  passed on unchanged
    page.goto(f"{address}/applications/{application}/cv")
    tries = 0
    while not any(frame.url.startswith("chrome-extension://") for frame in page.frames):
        tries += 1
        assert tries < 100, "the viewer does not start"
        page.wait_for_timeout(100)
    whole.close()
