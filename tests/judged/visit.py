"""Visits to every page in every state, in one language; controls are found by field names, not by text."""

import re
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.test_a_candidate_maintains_her_record import code_for
from tests.parts.chromium import goto
from tests.parts.demo import RunningDemo


def public_pages(page: Page, demo: RunningDemo, language: str) -> Iterator[str]:
    """Open each public page, and yield its name."""
    site = f"{demo.portal}/acme/"
    said = f"lang={language}"
    page.goto(f"{site}?{said}")
    jobs = page.locator("main a[href*='/jobs/']").evaluate_all("all => all.map(a => a.href)")
    jobs = list(dict.fromkeys(one for one in jobs if "/apply" not in one))
    assert jobs, "the list shows no job"
    yield "list"
    for name, address in {
        "search": f"{site}?{said}&q=engineer&employmentType=fullTime",
        "misspelt": f"{site}?{said}&q=enginer",
        "nothing": f"{site}?{said}&q=astronaut",
        "near": f"{site}?{said}&near=Berlin&within=25",
        "nowhere": f"{site}?{said}&near=Zzyzzyx-on-Sea&within=25",
        "job": jobs[0],
        "other-job": jobs[-1],
        "other-company": f"{demo.portal}/globex/",
        "front": f"{demo.portal}/",
        "no-job": f"{site}jobs/no-such-job?{said}",
        "no-company": f"{demo.portal}/nosuch/",
        "frame": f"{demo.portal}/acme/embed?{said}",
        "sign-in": f"{site}profile?{said}",
    }.items():
        goto(page, address, status=404 if name in {"no-job", "no-company"} else 200)
        yield name


def application(page: Page, demo: RunningDemo, language: str, cv: Path, email: str) -> Iterator[str]:
    """Open the empty form, the form with errors, and the receipt."""
    page.goto(f"{demo.portal}/acme/?lang={language}")
    job = page.locator("main a[href*='/jobs/']").first.evaluate("a => a.pathname")
    page.goto(f"{demo.portal}{job.removesuffix('/apply')}/apply?lang={language}")
    yield "form"
    page.locator("[name=firstName]").fill("Ada")
    page.locator("[name=email]").fill("not an address")
    page.locator("form[data-apply] button[type=submit]").last.click()
    page.wait_for_selector("[aria-invalid=true]")
    yield "form-wrong"
    page.locator("[name=lastName]").fill("Lovelace")
    page.locator("[name=email]").fill(email)
    page.locator("[name=phoneNumber]").fill("+49 30 901820")
    page.locator("[name=city]").fill("Berlin")
    page.locator("[name=country]").select_option("DE")
    page.locator("[name=cv]").set_input_files(cv)
    page.locator("[name=consent]").check()
    page.locator("form[data-apply] button[type=submit]").last.click()
    page.wait_for_url(re.compile(r"/applications/"))
    yield "receipt"


def own_pages(page: Page, demo: RunningDemo, language: str, email: str) -> Iterator[str]:
    """Open the pages of self-service, from the code to a sent change."""
    said = f"?lang={language}"
    profile = f"{demo.portal}/acme/profile"
    page.goto(profile + said)
    page.locator("main [name=email]").fill(email)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/profile/code"))
    yield "code"
    page.locator("[name=code]").fill("00000000")
    page.keyboard.press("Enter")
    page.wait_for_selector("[aria-invalid=true]")
    yield "code-wrong"
    page.locator("[name=code]").fill(code_for(demo, email))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/profile/(edit|applications)"))
    for name in ("applications", "data", "erase", "edit"):
        page.goto(f"{profile}/{name}{said}")
        yield name
    page.locator("[name=lastName]").fill("")
    page.locator("[name=lastName]").press("Enter")
    page.wait_for_selector("[aria-invalid=true]")
    yield "edit-wrong"
    page.locator("[name=lastName]").fill(f"King of {language}")
    page.locator("[name=lastName]").press("Enter")
    page.wait_for_selector("form [name=lastName]", state="hidden")
    yield "review"


def every_page(page: Page, demo: RunningDemo, language: str, cv: Path, email: str) -> Iterator[str]:
    """Open all pages; names are unique within a language."""
    yield from public_pages(page, demo, language)
    yield from application(page, demo, language, cv, email)
    yield from own_pages(page, demo, language, email)
