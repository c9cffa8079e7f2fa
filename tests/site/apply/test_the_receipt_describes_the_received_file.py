"""The receipt shows the file's type, pages and size, and its name only to a signed-in candidate."""

import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from pypdf import PdfWriter

from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.person import withdraw
from portal.delivery.uploads.tables import uploads
from tests.builders import Portal
from tests.site.apply.applicant import ADA, CV, Applicant, Page, words
from tests.site.apply.direct import Sender, keys, rows
from tests.site.apply.upload_ahead import SEND, ahead, fill


def pdf(pages: int) -> bytes:
    writer, made = PdfWriter(), io.BytesIO()
    for _ in range(pages):
        writer.add_blank_page(595, 842)
    writer.write(made)
    return made.getvalue()


def facts(page: Page) -> dict[str, str]:
    (box,) = page.by_class("summary-facts")
    return {words(dt): words(dd) for dt, dd in zip(box.iter("dt"), box.iter("dd"), strict=True)}


def test_the_receipt_shows_type_pages_and_size_and_no_file_name(kept: Portal, sender: Sender):
    said = sender.bring("Ada Lovelace.pdf", pdf(2))
    assert said["pages"] == 2
    page = Page(sender.ada.client.get(sender.ada.receipt(cv=None, upload=said["upload"])))
    assert facts(page)["Your CV"] == "PDF, 2 pages, 1 kB"
    assert "Lovelace" not in page.text


def test_a_file_type_without_pages_shows_none(ada: Applicant):
    assert facts(Page(ada.client.get(ada.receipt())))["Your CV"] == "TXT, 1 kB"


def test_an_erased_file_is_no_longer_described(acme: Portal, ada: Applicant):
    address = ada.receipt()
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(7 * 86_400 - 1)
    acme.work.run_housekeeping()
    assert "Your CV" in facts(Page(ada.client.get(address)))
    acme.parts.clock.pass_time(2)
    acme.work.run_housekeeping()
    assert "Your CV" not in facts(Page(ada.client.get(address)))


def test_withdrawing_before_delivery_deletes_the_stored_file(kept: Portal, sender: Sender):
    before = keys(kept, "")
    said = sender.bring()
    address = sender.ada.receipt(cv=None, upload=said["upload"])
    (stored,) = rows(kept, uploads)
    assert stored.key in keys(kept, "acme/")
    parts = kept.parts
    with parts.database.write() as connection:
        taken_back = withdraw(
            connection,
            parts.seal,
            tenant="acme",
            kind=APPLICATION.name,
            email=ADA["email"],
            reference=address.rpartition("/")[2],
            now=parts.clock.now(),
        )
    assert len(taken_back) == 1
    kept.work.run_housekeeping()
    assert keys(kept, "") == before
    assert "Your CV" not in facts(Page(sender.ada.client.get(address)))


@pytest.mark.browser
@pytest.mark.parametrize("ahead_of_form", [True, False], ids=["that went ahead", "that goes with the form"])
def test_only_the_tab_that_sent_the_file_knows_its_name(tmp_path: Path, chromium: Browser, ahead_of_form: bool):
    with ahead(tmp_path, chromium) as site, site.window() as page:
        if not ahead_of_form:
            page.route("**/uploads/direct", lambda route: route.fulfill(status=404))
        page.set_input_files("#cv", {"name": CV[0], "mimeType": "text/plain", "buffer": CV[1]})
        fill(page)
        page.get_by_role("button", name=SEND).click()
        page.wait_for_url(re.compile("/applications/"))
        expect(page.locator("[data-file]")).to_have_text(f"{CV[0]} · TXT, 1 kB")
        page.reload()
        expect(page.locator("[data-file]")).to_contain_text(CV[0])
        other = chromium.new_context().new_page()
        other.goto(page.url)
        expect(other.locator("[data-file]")).to_have_text("TXT, 1 kB")
        other.context.close()
