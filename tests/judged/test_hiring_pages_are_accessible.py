"""Every hiring page, full, empty and with errors: axe and the W3C's checker find nothing, and no target is too small.

Pages are visited as the colleague with most permissions, in English in both schemes; some in every language."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response

from portal.tenants.languages import COMPLETE
from portal.tracker.hiring.colleagues import Role
from tests.browser.test_pictures import SIZES
from tests.judged.test_public_pages_are_accessible import AXE, problems
from tests.parts.chromium import goto
from tests.parts.html import HtmlChecker
from tests.parts.missing import file
from tests.parts.wsgi import serving
from tests.schemas import TRACKER, sqlite_copy
from tests.told_clock import ToldClock
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.job_writing import TEXT, draft, published
from tests.tracker.hiring.site import OWNER, HiringBrowser, HiringSite, opened_hiring

pytestmark = [pytest.mark.browser, pytest.mark.verify, pytest.mark.xdist_group("judged")]
PEOPLE = ("Ada Okafor", "Grace Lindqvist", "Tomasz Wójcik", "José O'Brien", "ليلى منصور")
TOO_SMALL = """() => [...document.querySelectorAll('a, button, main input, main select')]
  .filter(one => one.checkVisibility() && !one.closest('p:has(> a):not(.desk-acts), li:has(> a), dd'))
  .map(one => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 2 && (box.width < 24 || box.height < 24))
  .map(([one, box]) => `${one.tagName} ${one.textContent.trim().slice(0, 30)} ${box.width}x${box.height}`)"""


@dataclass
class Office:
    """Acme with data and Globex without. paths: of Acme's pages after /hiring, by their names."""

    site: HiringSite
    origin: str
    acme: HiringBrowser
    globex: HiringBrowser
    paths: dict[str, str]

    def context(self, chromium: Browser, browser: HiringBrowser, **how: object) -> BrowserContext:
        """Return this colleague's browser context. The check is itself a script that the pages' policy would block."""
        context = chromium.new_context(bypass_csp=True, **how)  # type: ignore[arg-type]  passed on unchanged
        cookies = [
            {"name": one.name, "value": one.value or "", "url": self.origin} for one in browser.client.cookies.jar
        ]
        context.add_cookies(cookies)  # type: ignore[arg-type]  as Playwright has them
        return context


def fill(site: HiringSite, recruiter: HiringBrowser) -> dict[str, str]:
    """Create jobs and applications, and respond; return the pages by name."""
    job = published(recruiter, title="Welder", description=TEXT)
    published(recruiter, title="Electrical engineer for robot arms", place="Berlin, Germany")
    draft(recruiter, title="Team lead, assembly")
    ids = []
    for number, name in enumerate(PEOPLE):
        first, _, last = name.partition(" ")
        who = {"firstName": first, "lastName": last, "email": f"a{number}@people.example"}
        ids.append(apply(site, job, key=f"cv-{number}", networkUrl="https://people.example/me", **who))
    one = f"/applications/{ids[0]}"
    recruiter.get(one)
    recruiter.post(f"{one}/rating", rating="4")
    recruiter.post(f"{one}/notes", note="Called. Can begin in March, and knows our robots from the last company.")
    recruiter.post(f"{one}/stage", stage="interview", seen="new")
    fields = {"kind": "rejection", "locale": "en", "subject": "Your application", "body": "Hello", "then": "send"}
    recruiter.client.post("/acme/hiring/reply", data={"token": recruiter.token, "to": ids[2:4]} | fields)
    return {
        "jobs": "/jobs",
        "new-job": "/jobs/new",
        "job": f"/jobs/{job}",
        "preview": f"/jobs/{job}/preview",
        "applications": f"/jobs/{job}/applications",
        "application": one,
        "erase": f"{one}/erase",
        "reply": f"/reply?to={ids[0]}&kind=invitation",
        "reply-several": f"/reply?to={ids[0]}&to={ids[1]}",
        "words": "/words/rejection",
        "requests": "/requests",
        "colleagues": "/colleagues",
        "activity": "/log",
        "settings": "/settings",
        "account": "/account",
        "nothing": "/nothing",
    }


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder = tmp_path_factory.mktemp("hiring")
    with opened_hiring(sqlite_copy(folder / "tracker.db", TRACKER), ToldClock(), folder) as site:
        site.office.neighbour()
        site.add("owner@globex.example", Role.OWNER, "globex")
        acme, globex = site.signed_in(OWNER), site.signed_in("owner@globex.example", "globex")
        paths = fill(site, acme)
        with serving(site.office.app) as origin:
            yield Office(site, origin, acme, globex, paths)


def every_page(page: Page, office: Office) -> Iterator[str]:
    """Yield each of Acme's pages by name, then those with errors after an invalid entry."""
    start = f"{office.origin}/acme/hiring"
    for name, path in office.paths.items():
        goto(page, start + path, status=404 if name == "nothing" else 200)
        yield name
    for name, path, field, button in (
        ("job-wrong", "/jobs/new", "salary_min", "Save"),
        ("colleagues-wrong", "/colleagues", "email", "Send invitation"),
        ("settings-wrong", "/settings", "retention_days", "Save"),
        ("note-wrong", office.paths["application"], "note", "Save the note"),
        ("reply-wrong", office.paths["reply"], "subject", "Preview"),
    ):
        page.goto(start + path)
        entry = page.locator(f"main [name={field}]:not([type=hidden])").last
        entry.fill("" if field in {"note", "subject"} else "x")
        page.get_by_role("button", name=button, exact=True).last.click()
        page.wait_for_selector("[aria-invalid=true]")
        yield name
    page.goto(start + office.paths["reply"])
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Send", exact=True).wait_for()
    yield "reply-preview"
    page.goto(start + office.paths["applications"])
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("alert").wait_for()
    yield "none-selected"


def empty_pages(page: Page, office: Office) -> Iterator[str]:
    """Yield the pages of a company without data."""
    for path in ("/jobs", "/jobs/new", "/requests", "/colleagues", "/log", "/settings", "/account"):
        page.goto(f"{office.origin}/globex/hiring{path}")
        yield f"empty {path}"


def pages_without_session(page: Page, office: Office) -> Iterator[str]:
    """Yield the sign-in pages, without and with errors."""
    for path, field, value in (("", "email", "x"), ("/code", "code", "1")):
        page.goto(f"{office.origin}/acme/hiring{path}")
        yield f"sign-in {path}"
        page.locator(f"main [name={field}]").fill(value)
        page.locator("main button").click()
        page.wait_for_selector("[aria-invalid=true]")
        yield f"sign-in {path} wrong"


@pytest.fixture
def script() -> str:
    return file(AXE, how="python tools/install_parts.py, with npm installed").read_text(encoding="utf-8")


def small(page: Page) -> list[str]:
    """Return targets under 24 px that are not part of a text (WCAG 2.2, 2.5.8), on the smallest phone."""
    page.set_viewport_size({"width": 320, "height": 800})
    return list(page.evaluate(TOO_SMALL))


def test_every_page_passes_the_checks(chromium: Browser, html: HtmlChecker, office: Office, script: str):
    sources, wrong = dict[str, str](), dict[str, list[str]]()

    def keep(told: Response) -> None:
        if told.request.resource_type == "document" and not 300 <= told.status < 400:
            sources[f"{told.request.method} {told.url} {told.status}"] = told.text()

    for browser, visit in (
        (office.acme, every_page),
        (office.globex, empty_pages),
        (office.site.browser(), pages_without_session),
    ):
        context = office.context(chromium, browser)
        page = context.new_page()
        page.on("response", keep)
        wrong |= {name: found for name in visit(page, office) if (found := problems(page, script) + small(page))}
        context.close()
    assert wrong == {}
    assert len(sources) > 30
    invalid = {url: html.validate(source) for url, source in sources.items()}
    assert {url: found for url, found in invalid.items() if found} == {}


@pytest.mark.parametrize("language", COMPLETE)
def test_pages_in_every_language_pass_the_checks(
    chromium: Browser, html: HtmlChecker, office: Office, script: str, language: str
):
    office.acme.get("/account")
    office.acme.post("/account", locale=language, notify="none")
    context = office.context(chromium, office.acme)
    page, wrong = context.new_page(), dict[str, list[str]]()
    for name in ("jobs", "new-job", "applications", "application", "colleagues"):
        answer = page.goto(f"{office.origin}/acme/hiring{office.paths[name]}")
        assert answer
        found = [*problems(page, script, ("light",)), *html.validate(answer.text()), *small(page)]
        wrong |= {name: found} if found else {}
        said = page.evaluate("[document.documentElement.lang, document.documentElement.dir]")
        assert said == [language, "rtl" if language == "ar" else "ltr"]
    assert (page.get_by_role("heading", name="Colleagues").count() == 1) is (language == "en")
    context.close()
    office.acme.get("/account")
    office.acme.post("/account", locale="en", notify="none")
    assert wrong == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_the_manual_shows_the_pages(chromium: Browser, office: Office, tmp_path: Path, size: str, scheme: str):
    """`make pictures` stores these; docs/hiring.md shows those of a desktop in light colours."""
    kept = Path(os.environ.get("PORTAL_PICTURES", tmp_path))
    width, height = SIZES[size]
    context = office.context(chromium, office.acme, viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    for name in ("jobs", "job", "applications", "application"):
        page.goto(f"{office.origin}/acme/hiring{office.paths[name]}")
        shown = kept if (size, scheme) == ("desktop", "light") else kept / "all" / f"{size}-{scheme}"
        page.screenshot(path=shown / f"hiring-{name}.png")
        assert (shown / f"hiring-{name}.png").stat().st_size > 5_000
    context.close()
