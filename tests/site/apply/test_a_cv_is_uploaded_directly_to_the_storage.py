"""With JavaScript, the file is uploaded separately while the candidate fills in the form, which then uses it."""

from portal.delivery.uploads.tables import asked, uploads
from tests.builders import Portal
from tests.site.apply.applicant import CV, Applicant
from tests.site.apply.direct import Sender, keys, rows


def test_the_application_has_the_uploaded_file(kept: Portal, sender: Sender):
    said = sender.bring("Ada's CV.txt")
    assert (said["name"], said["size"]) == ("Ada's CV.txt", "1 kB")
    assert sender.ada.receipt(cv=None, upload=said["upload"]).startswith("/acme/applications/")
    (stored,) = rows(kept, uploads)
    assert stored.claimed_by
    assert stored.key.startswith("acme/")
    with kept.parts.store.open(stored.key) as file:
        assert file.read() == CV[1]


def test_nothing_is_left_in_the_quarantine(kept: Portal, sender: Sender):
    before = keys(kept, "_incoming/")
    sender.bring()
    assert keys(kept, "_incoming/") == before


def test_the_storage_gets_the_content_type_when_the_file_is_accepted(kept: Portal, sender: Sender):
    sender.bring("Lebenslauf.pdf")
    (stored,) = rows(kept, uploads)
    assert (stored.media_type, stored.size) == ("text/plain", len(CV[1]))
    assert stored.etag


def test_a_form_with_errors_shows_the_file(sender: Sender):
    said = sender.bring("Ada.txt")
    page = sender.ada.send(cv=None, upload=said["upload"], firstName="")
    assert "Ada.txt" in page.words
    assert page.hidden["upload"]
    assert set(page.summary) == {"firstName"}


def test_another_file_replaces_the_first_one(kept: Portal, sender: Sender):
    sender.bring("first.txt")
    second = sender.bring("second.txt", CV[1] * 2)
    page = sender.ada.send(cv=None, upload=second["upload"], firstName="")
    assert "second.txt" in page.words
    assert len(rows(kept, uploads)) == 1


def test_the_page_may_upload_only_to_the_storage(kept: Portal, sender: Sender):
    page = sender.ada.page
    (field,) = [e for e in page.all("input") if e.get("type") == "file"]
    assert (field.attrib["data-direct"], field.attrib["data-checked"]) == (
        "/acme/uploads/direct",
        "/acme/uploads/checked",
    )
    store = kept.parts.store.origin
    expected = f"connect-src 'self' {store};" if store else "connect-src 'self';"
    assert expected in page.headers["content-security-policy"]
    job = sender.ada.client.get("/acme/jobs/job-1")
    assert "connect-src 'self';" in job.headers["content-security-policy"]


def test_a_form_in_a_frame_uploads_to_addresses_outside_of_the_frame(kept: Portal):
    with kept.browser() as client:
        ada = Applicant(client, "/acme/embed/jobs/job-1/apply")
        (field,) = [e for e in ada.page.all("input") if e.get("type") == "file"]
        assert field.attrib["data-direct"] == "/acme/uploads/direct"
        store = kept.parts.store.origin
        assert not store or f"connect-src 'self' {store};" in ada.page.headers["content-security-policy"]
        assert Sender(ada).bring()["name"] == "cv.txt"


def test_an_unchecked_upload_is_deleted_after_a_day(kept: Portal, sender: Sender):
    before = keys(kept, "_incoming/")
    sender.ask()
    assert sender.send().status_code == 204
    kept.parts.clock.pass_time(86_399)
    kept.work.run_housekeeping()
    assert len(keys(kept, "_incoming/")) == len(before) + 1
    kept.parts.clock.pass_time(2)
    kept.work.run_housekeeping()
    assert keys(kept, "_incoming/") == before
    assert rows(kept, asked) == []
