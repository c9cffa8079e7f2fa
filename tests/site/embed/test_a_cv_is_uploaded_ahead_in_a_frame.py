"""In a frame, too, a CV is uploaded while its form is filled in."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from portal.delivery.uploads.tables import uploads
from tests.builders import portal
from tests.parts.process import free_port
from tests.site.apply.applicant import ADA, CV
from tests.site.apply.upload_ahead import let_browsers_in
from tests.site.embed.company_site import CompanySite, company_site, frame_of

pytestmark = pytest.mark.browser


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.xdist_group("radosgw"))])
def site(request: pytest.FixtureRequest, tmp_path: Path, chromium: Browser) -> Iterator[CompanySite]:
    store: dict[str, object] = {}
    if request.param == "s3":
        bucket = request.getfixturevalue("s3")
        let_browsers_in(bucket)
        store = {"attachments": f"s3://{bucket.bucket}", "s3_endpoint": bucket.endpoint}
    made = portal(tmp_path / "portal", base_url=f"http://127.0.0.1:{free_port()}", **store)
    made.add_tenant("acme", "Acme Robotics")
    with company_site(made, chromium) as company:
        yield company


def test_the_application_has_the_file_and_it_was_uploaded_to_the_storage(site: CompanySite, tmp_path: Path):
    page = site.open("/jobs?job=job-3")
    form = frame_of(page)
    form.locator(".job-end a", has_text="Apply for this job").click()
    (tmp_path / CV[0]).write_bytes(CV[1])
    form.locator("#cv").set_input_files(tmp_path / CV[0])
    expect(form.locator(".field-stored")).to_contain_text(CV[0])
    for name, typed in ADA.items():
        if name == "country":
            form.locator("#country").select_option(typed)
        else:
            form.locator(f"#{name}").fill(typed)
    form.get_by_role("button", name="Send application").click()
    expect(form.locator(".receipt")).to_contain_text(re.compile("Received|Sent"))
    through = f"{site.careers_origin}/acme/uploads/direct/file"
    store = site.portal.parts.store
    assert (through in site.asked) == (store.origin is None)
    assert store.origin is None or any(one.startswith(store.origin) for one in site.asked)
    with site.portal.parts.database.read() as connection:
        (stored,) = [row for row in connection.execute(uploads.select()) if row.claimed_by]
    with store.open(stored.key) as file:
        assert file.read() == CV[1]
