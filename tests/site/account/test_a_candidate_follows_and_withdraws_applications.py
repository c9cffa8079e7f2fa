"""A candidate sees sent applications with their public status, and can withdraw them."""

import json

from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import requests
from portal.platform.crypto.sealing import Seal
from tests.builders import SECRET, Portal
from tests.site.account.candidate import ADA, CANARY, Visitor, folder_text, mailbox, text
from tests.site.account.conftest import FILE
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Applicant, Page

STATUS = FILE + '[profile]\nshow_status = true\n[profile.stages]\n"Phone screen" = "First conversation"\n'
CV_WORDS = b"A CV that is unlike any other.\n"


def apply(acme: Portal) -> str:
    with acme.browser() as client:
        address = Applicant(client).receipt(("cv.txt", CV_WORDS * 20), email=ADA)
    return address.rsplit("/", 1)[1]


def at_stage(acme: Portal, name: str, **members: object) -> None:
    record = {
        "id": "application-1",
        "stage": {"viewType": "applicationStage", "id": "s", "name": name, "order": 1},
        "candidate": {"id": CANARY, "firstName": "Ada", "emails": [{"email": ADA}]},
        "vacancy": {"id": "job-1", "viewType": "applicationVacancy"},
        "latestActivity": {"type": "stageChanged", "date": "2026-06-02T00:00:00Z"},
        "comments": [{"id": "c", "content": "a comment of theirs"}],
        "rejection": {"id": "r", "applicationId": "application-1", "reason": "a reason of theirs"},
        **members,
    }
    acme.service.load("acme", [json.dumps({"kind": "application", "record": record})])


def test_applications_are_listed_with_their_delivery_status(acme: Portal, ada: Visitor):
    apply(acme)
    ada.sign_in()
    page = ada.get("/profile/applications")
    assert "Welder" in page.words
    assert "With Acme" in page.words


def test_only_the_public_name_of_the_stage_is_shown(acme: Portal, ada: Visitor):
    acme.write_tenant("acme", "Acme", STATUS)
    acme.parts.clock.pass_time(1)
    apply(acme)
    acme.work.deliver_what_is_due()
    ada.sign_in()
    at_stage(acme, "Phone screen")
    page = ada.get("/profile/applications")
    assert "First conversation" in page.words
    at_stage(acme, "Rejected by the boss")
    page = ada.get("/profile/applications")
    assert "In progress" in page.words
    for word in ("Rejected", "boss", "comment of theirs", "reason of theirs"):
        assert word not in page.text


def test_no_stage_is_shown_unless_the_tenant_configures_it(acme: Portal, ada: Visitor):
    apply(acme)
    acme.work.deliver_what_is_due()
    ada.sign_in()
    at_stage(acme, "Phone screen")
    assert "Phone screen" not in ada.get("/profile/applications").text


def withdraw(ada: Visitor, reference: str) -> Page:
    path = f"/profile/applications/{reference}/withdraw"
    assert ada.post(path, ada.get(path)).status_code == 303
    return ada.get("/profile/applications")


def test_a_waiting_application_is_withdrawn_before_it_is_sent(acme: Portal, ada: Visitor):
    ada.sign_in()
    reference = apply(acme)
    page = withdraw(ada, reference)
    assert "Withdrawn" in page.words
    acme.work.deliver_what_is_due()
    acme.work.run_housekeeping()
    assert CV_WORDS not in folder_text(acme.folder / "attachments")
    to_operator = next(one for one in mailbox(acme) if one["To"] == "jobs@acme.example")
    assert reference in text(to_operator)
    assert ADA in text(to_operator)


def test_erasure_deletes_all_local_data_and_requests_deletion_at_the_company(acme: Portal, ada: Visitor):
    apply(acme)
    acme.work.deliver_what_is_due()
    ada.sign_in()
    page = ada.get("/profile/erase")
    assert "Erase everything?" in page.words
    erased = Page(ada.post("/profile/erase", page))
    assert "Erased" in erased.words
    assert ada.client.get("/acme/profile/edit").status_code == 303
    (owed,) = requests.all_open(acme.parts.database)
    assert owed.reference in erased.words
    assert (owed.due_at - owed.asked_at).days == 30
    acme.work.deliver_what_is_due()
    acme.work.run_housekeeping()
    assert any(one["To"] == "jobs@acme.example" and "erase" in one["Subject"] for one in mailbox(acme))
    assert requests.done(acme.parts.database, Seal(SECRET), owed.reference, acme.parts.clock)
    assert not requests.done(acme.parts.database, Seal(SECRET), owed.reference, acme.parts.clock)
    acme.work.deliver_what_is_due()
    assert mailbox(acme)[-1]["To"] == ADA
    assert "erased" in text(mailbox(acme)[-1])
    acme.parts.clock.pass_time(7_200)
    acme.work.run_housekeeping()
    acme.parts.database.close()
    stored = b"".join(path.read_bytes() for path in acme.folder.glob("portal.db*"))
    for word in (b"ada@people.example", b"Lovelace", b"+49301234567"):
        assert word not in stored


def test_all_stored_data_can_be_read_and_downloaded(acme: Portal, ada: Visitor):
    reference = apply(acme)
    ada.sign_in()
    assert "Lovelace" in ada.get("/profile/data").words
    answer = ada.client.get("/acme/profile/data.json")
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-my-data.json"'
    held = answer.json()
    assert held["email"] == ADA
    assert held["recordsFound"] == 1
    (application,) = held["applications"]
    assert application["reference"] == reference
    assert application["data"]["last_name"] == "Lovelace"
    assert application["cv"]["name"] == "cv.txt"
    assert [one["kind"] for one in held["signIns"]] == ["session", "code", "proof"]


def test_a_waiting_change_is_part_of_the_stored_data(ada: Visitor):
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta"))
    (held,) = ada.client.get("/acme/profile/data.json").json()["changes"]
    assert held["reference"] == change.rsplit("/", 1)[1]
    assert held["data"]["firstName"] == "Augusta"
    assert "Augusta" in ada.get("/profile/data").words


def test_a_delivered_application_is_withdrawn_once_despite_repeated_requests(acme: Portal, ada: Visitor):
    reference = apply(acme)
    acme.work.deliver_what_is_due()
    ada.sign_in()
    path = f"/profile/applications/{reference}/withdraw"
    form = ada.get(path)
    for _ in range(3):
        assert ada.post(path, form).status_code == 303
    page = ada.get("/profile/applications")
    assert "Withdrawn" in page.words
    assert f"{reference}/withdraw" not in page.text
    acme.work.deliver_what_is_due()
    assert len(requests.all_open(acme.parts.database)) == 1
    assert sum(one["To"] == "jobs@acme.example" for one in mailbox(acme)) == 1


def test_the_receipt_shows_the_withdrawal(acme: Portal, ada: Visitor):
    reference = apply(acme)
    ada.sign_in()
    withdraw(ada, reference)
    assert "You withdrew this application" in ada.get(f"/applications/{reference}").words


def test_an_application_after_a_withdrawal_is_sent(acme: Portal, ada: Visitor):
    first = apply(acme)
    acme.work.deliver_what_is_due()
    ada.sign_in()
    withdraw(ada, first)
    again = apply(acme)
    found = submissions.find(acme.parts.database, KINDS, again)
    assert found
    assert found.duplicate_of is None
    acme.work.deliver_what_is_due()
    found = submissions.find(acme.parts.database, KINDS, again)
    assert found
    assert found.state is OutboxState.DELIVERED


def test_a_repeated_application_is_listed_once_and_withdrawn_as_one(acme: Portal, ada: Visitor):
    first, second = apply(acme), apply(acme)
    assert first == second
    acme.work.deliver_what_is_due()
    ada.sign_in()
    page = ada.get("/profile/applications")
    assert len(page.by_class("timeline")) == 1
    assert "You sent the same application again on 1 June 2026" in page.words
    page = withdraw(ada, first)
    assert page.words.count("Withdrawn") == 1
    assert f"{first}/withdraw" not in page.text
