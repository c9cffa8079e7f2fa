"""The candidate id is in no page, header, cookie, URL, email, log line or stored byte."""

import html
import logging

import pytest
import sqlalchemy as sa

from portal.delivery.uploads.tables import uploads
from tests.builders import Portal
from tests.site.account.candidate import CANARY, Form, Visitor, at_service, candidate, folder_text, mailbox
from tests.site.account.test_a_candidate_changes_her_profile import CV, confirm
from tests.site.apply.applicant import Page

PATHS = ["", "/code", "/edit", "/record", "/applications", "/data", "/data.json", "/erase", "/changes/NOSUCHREFERENCE"]


def test_the_candidate_id_is_in_no_page_header_email_log_or_file(
    acme: Portal, ada: Visitor, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    ada.client.event_hooks["response"].append(
        lambda answer: seen.append(f"{answer.request.url} {answer.read()!r} {answer.headers!r}")
    )
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta"))
    acme.work.deliver_what_is_due()
    ada.client.get(change)
    ada.form().send(CV, lastName="")
    for path in PATHS:
        ada.client.get(f"/acme/profile{path}")
    # An unavailable service, a profile changed in the meantime, and a deleted one.
    confirm(ada, ada.form().press(firstName="Ada"))
    acme.service.load("acme", [candidate(lastName="Byron")])
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["id"] == CANARY
    acme.write_tenant("acme", "Acme")
    (acme.folder / "acme.key").write_text("a-key-that-opens-nothing")
    acme.parts.clock.pass_time(120)
    acme.work.index_what_is_due()
    acme.work.run_housekeeping()
    ada.client.get("/acme/profile/edit")
    assert len(seen) > 20
    assert CANARY not in "".join(seen)
    assert CANARY not in caplog.text
    assert all(CANARY not in letter.as_string() for letter in mailbox(acme))
    for part in ("mail", "attachments"):
        assert CANARY.encode() not in folder_text(acme.folder / part)
    acme.parts.database.close()
    stored = b"".join(path.read_bytes() for path in acme.folder.glob("portal.db*"))
    assert len(stored) > 10_000
    assert CANARY.encode() not in stored


def test_no_profile_data_remains_after_delivery(acme: Portal, ada: Visitor):
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Canarius", **{"socialMedia-0-url": "https://canary.example/x"}))
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(86_400)
    acme.work.run_housekeeping()
    acme.parts.database.close()
    stored = b"".join(path.read_bytes() for path in acme.folder.glob("portal.db*"))
    for word in (b"Canarius", b"canary.example", b"ada@people.example", b"+49301234567", b"Lovelace"):
        assert word not in stored


def test_the_storage_key_of_an_attachment_does_not_contain_the_candidate_id(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = Form(ada, Page(ada.form().send(("cv.txt", b"A new CV of many words.\n" * 20), firstName="Augusta")))
    confirm(ada, review)
    with acme.parts.database.read() as connection:
        (key,) = connection.execute(sa.select(uploads.c.key)).scalars()
    for path in ("/profile/data", "/profile/data.json"):
        held = html.unescape(ada.client.get(f"/acme{path}").text)
        assert "Augusta" in held
        assert key not in held
        assert "latestCvAttachmentId" not in held
