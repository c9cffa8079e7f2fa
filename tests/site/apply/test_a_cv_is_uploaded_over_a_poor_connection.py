"""A CV is uploaded in the background, also over slow and interrupted connections."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.parts.files import pdf_of
from tests.site.apply.upload_ahead import MOST, SEND, Ahead, ahead, fill, has_sent, slow_down

pytestmark = pytest.mark.browser


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.xdist_group("radosgw"))])
def site(request: pytest.FixtureRequest, tmp_path: Path, chromium: Browser) -> Iterator[Ahead]:
    bucket = request.getfixturevalue("s3") if request.param == "s3" else None
    with ahead(tmp_path, chromium, bucket) as made:
        yield made


@pytest.fixture
def cv(tmp_path: Path) -> Path:
    path = tmp_path / "Ada Lovelace.pdf"
    path.write_bytes(pdf_of(MOST))
    return path


@pytest.mark.verify
def test_ten_megabytes_arrive_once_over_a_slow_connection_with_two_interruptions(site: Ahead, cv: Path) -> None:
    with site.window() as page:
        slow_down(page, 1_500_000)
        page.set_input_files("#cv", cv)
        has_sent(page, 0.3)
        site.cut()
        expect(page.locator("[data-cv-said]")).to_contain_text("There is no connection right now.")
        fill(page)
        site.mend()
        has_sent(page, 0.3)
        page.context.set_offline(True)
        expect(page.locator("[data-cv-said]")).to_contain_text("There is no connection right now.")
        page.context.set_offline(False)
        expect(page.locator(".field-stored")).to_contain_text("Ada Lovelace.pdf (PDF, 1 page, 10 MB)")
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url(re.compile("/applications/"))
    assert site.files() == [cv.read_bytes()]
    if len(site.lines) > 1:  # the bucket's share: the portal receives none of the file
        assert {one for one in site.posts if "careers" in one} == {f"{site.lines[1].origin}/careers"}


def test_a_submitted_form_waits_for_its_cv_and_is_sent_automatically(site: Ahead, cv: Path) -> None:
    with site.window() as page:
        slow_down(page, 3_000_000)
        fill(page)
        page.set_input_files("#cv", cv)
        has_sent(page, 0.1)
        page.get_by_role("button", name=SEND).click()
        expect(page.locator(".form-wait")).to_contain_text("Your application will be sent as soon as your CV is ready.")
        expect(page.locator(".form-wait")).to_contain_text(re.compile(r"Your CV is being uploaded: \d+%\."))
        page.wait_for_url(re.compile("/applications/"))
    assert site.files() == [cv.read_bytes()]
