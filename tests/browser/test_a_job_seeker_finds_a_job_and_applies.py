"""The product's main task, in a real browser on the whole demo: search, read, apply, receipt, delivery."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.parts.demo import RunningDemo

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]


def find_a_job(page: Page, demo: RunningDemo) -> str:
    """Search Acme's jobs and open the first; returns its id."""
    page.goto(f"{demo.portal}/acme/")
    page.get_by_role("searchbox").first.fill("engineer")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"[?&]q=engineer"))
    page.locator("main a[href*='/jobs/']").first.click()
    page.wait_for_url(re.compile(r"/acme/jobs/[^/]+$"))
    return page.url.rsplit("/", 1)[1].split("?")[0]


def fill_in(page: Page, cv: Path, email: str) -> None:
    page.locator("[name=firstName]").fill("José")
    page.locator("[name=lastName]").fill("O'Brien 李小龙")
    page.locator("[name=email]").fill(email)
    page.locator("[name=phoneNumber]").fill("030 901820")
    page.locator("[name=networkUrl]").fill("people.example/jose")
    page.locator("[name=city]").fill("Berlin")
    page.locator("[name=country]").select_option("DE")
    page.locator("[name=cv]").set_input_files(cv)
    consent = page.locator("[name=consent]")
    if consent.count():
        consent.check()


def applications(demo: RunningDemo, vacancy: str) -> list[dict]:
    answer = httpx.get(
        f"{demo.service}/applications/vacancy/{vacancy}", headers={"x-api-key": demo.key("acme")}, trust_env=False
    )
    assert answer.status_code == 200
    return answer.json()["applications"]


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_job_seeker_applies_and_the_service_has_the_application(
    chromium, demo: RunningDemo, files: Path, scripts: bool
):
    context = chromium.new_context(viewport={"width": 360, "height": 740}, java_script_enabled=scripts)
    page = context.new_page()
    vacancy = find_a_job(page, demo)
    page.locator("a[href*='/apply']").locator("visible=true").first.click()
    email = f"jose.{'with' if scripts else 'without'}@people.example"
    fill_in(page, files / "cv.pdf", email)
    page.locator("form[method=post] button[type=submit]").last.click()
    page.wait_for_url(re.compile(r"/acme/applications/[A-Z0-9]{20}"))
    reference = re.search(r"/applications/([A-Z0-9]{20})", page.url)[1]
    expect(page.locator(".receipt")).to_have_attribute("data-state", "sent")
    expect(page.locator("main")).to_contain_text(reference[:4])
    assert email not in context.request.get(page.url).text()  # a script shows it, in this tab only
    (application,) = [one for one in applications(demo, vacancy) if email in one["candidate"]["emails"]]
    assert (application["candidate"]["firstName"], application["candidate"]["lastName"]) == ("José", "O'Brien 李小龙")
    assert application["latestActivity"]["type"] == "applicationCreated"
    assert application["latestActivity"]["isInbound"] is True
    assert context.cookies() == []
    context.close()


def test_nothing_typed_is_lost_when_a_field_is_invalid(phone: Page, demo: RunningDemo, files: Path):
    find_a_job(phone, demo)
    phone.locator("a[href*='/apply']").locator("visible=true").first.click()
    fill_in(phone, files / "cv.docx", "not an address")
    phone.locator("form[method=post]").last.evaluate("form => form.noValidate = true")
    phone.locator("form[method=post] button[type=submit]").last.click()
    expect(phone.get_by_role("alert").first).to_be_visible()
    expect(phone.locator("[name=firstName]")).to_have_value("José")
    expect(phone.locator("[name=email]")).to_have_value("not an address")
    expect(phone.locator("main")).to_contain_text("cv.docx")
    phone.get_by_role("alert").get_by_role("link").first.click()
    assert phone.evaluate("document.activeElement.name") == "email"
    phone.locator("[name=email]").fill("jose.corrected@people.example")
    phone.locator("form[method=post] button[type=submit]").last.click()
    phone.wait_for_url(re.compile(r"/acme/applications/"))


def test_no_page_is_wider_than_the_smallest_phone(chromium, demo: RunningDemo):
    context = chromium.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    page.goto(f"{demo.portal}/acme/")
    jobs = page.locator("main a[href*='/jobs/']").evaluate_all("links => links.map(a => a.href)")
    for address in [f"{demo.portal}/", f"{demo.portal}/globex/", *jobs[:12], f"{jobs[0].split('?')[0]}/apply"]:
        page.goto(address)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 320, f"{address} is {width} px wide"
    context.close()
