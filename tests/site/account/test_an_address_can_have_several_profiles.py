"""With several records for one address, the candidate chooses."""

from tests.builders import Portal
from tests.site.account.candidate import CANARY, Form, Visitor, at_service, candidate, code_in, mailbox
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Page


def two_records(acme: Portal, ada: Visitor) -> Page:
    acme.service.load("acme", [candidate("second-id", firstName="Augusta", lastName="King")])
    acme.parts.clock.pass_time(61)
    acme.work.index_what_is_due()
    ada.ask()
    entered = ada.enter(code_in(mailbox(acme)[-1]))
    assert entered.headers["location"] == "/acme/profile/record"
    return ada.get("/profile/record")


def test_a_candidate_chooses_a_profile_and_changes_only_that_one(acme: Portal, ada: Visitor):
    page = two_records(acme, ada)
    assert "Ada Lovelace" in page.words
    assert "Augusta King" in page.words
    assert "second-id" not in page.text
    assert CANARY not in page.text
    choices = [one.attrib["value"] for one in page.all("input") if one.get("name") == "record"]
    assert ada.client.get("/acme/profile/edit").headers["location"] == "/acme/profile/record"
    assert ada.post("/profile/record", page, record=choices[1]).status_code == 303
    form = ada.form()
    assert form.page.typed["firstName"] == "Augusta"
    confirm(ada, form.press(firstName="Countess"))
    acme.work.deliver_what_is_due()
    assert {one["id"]: one["name"]["firstName"] for one in at_service(acme)} == {CANARY: "Ada", "second-id": "Countess"}


def test_an_invented_choice_is_rejected(acme: Portal, ada: Visitor):
    page = two_records(acme, ada)
    for choice in ("0", "1", CANARY, "second-id", ""):
        assert ada.post("/profile/record", page, record=choice).status_code == 422
    assert Form(ada, ada.get("/profile/record")).page.status == 200
