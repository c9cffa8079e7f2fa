"""The front end in docs/embedding.md, copied into a company's own page, sends an application that arrives."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from portal.delivery.uploads.storing import FileFacts
from portal.delivery.uploads.tables import uploads
from tests.site.apply.applicant import ADA, CV
from tests.site.apply.direct import rows
from tests.site.embed.company_site import CompanySite

pytestmark = pytest.mark.browser
DOCUMENT = Path(__file__).parents[3] / "docs" / "embedding.md"


@pytest.fixture
def front_end(company: CompanySite) -> CompanySite:
    (example,) = re.findall(r'(?s)```html\n(<form id="application">.*?)```', DOCUMENT.read_text(encoding="utf-8"))
    company.body = example.replace("https://careers.example", company.careers_origin).replace("JOB-ID", "job-3")
    company.policy = "default-src 'none'; style-src 'self'; script-src 'unsafe-inline'; connect-src {portal}"
    return company


def test_an_application_with_a_japanese_file_name_arrives(front_end: CompanySite, tmp_path: Path):
    cv = tmp_path / "履歴書 (Ada's).txt"
    cv.write_bytes(CV[1])
    page = front_end.open()
    for name, typed in ADA.items():
        control = page.locator(f"[name$='/{name}']")
        control.select_option(typed) if name == "country" else control.fill(typed)
    page.locator("[name='#/email']").fill("ada@")
    page.locator("[name='#/cvAttachmentId']").set_input_files(cv)
    page.evaluate("document.querySelector('form').noValidate = true")
    page.get_by_role("button", name="Send application").click()
    expect(page.locator("[id='error #/email']")).to_have_text("Enter an email address, like name@example.com.")
    page.locator("[name='#/email']").fill("ada@people.example")
    page.get_by_role("button", name="Send application").click()
    receipt = page.get_by_role("link", name="See where your application stands").get_attribute("href")
    assert receipt
    portal = front_end.portal
    assert {FileFacts.opened(portal.parts.seal, row.sealed).filename for row in rows(portal, uploads)} == {cv.name}
    portal.work.deliver_what_is_due()
    with httpx.Client(transport=portal.service.transport, base_url="http://127.0.0.1") as recruiter:
        arrived = recruiter.get("/applications/vacancy/job-3", headers={"x-api-key": portal.keys["acme"]}).json()
    assert [one["candidate"]["emails"] for one in arrived["applications"]] == [["ada@people.example"]]
    assert [said for said in front_end.said if "422" not in said] == [], "the browser has nothing against it"
