"""A profile form posted after the session's end is restored after a new sign-in of the same person."""

import httpx
import pytest

from tests.builders import Portal
from tests.site.account.candidate import ADA, Form, Visitor, at_service, candidate, code_in, mailbox
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Page

EVE = "eve@people.example"


def signed_out(acme: Portal, ada: Visitor, **typed: str) -> Page:
    """Return the response to a form whose session has ended."""
    form = ada.form()
    acme.parts.clock.pass_time(acme.parts.settings.session_ttl + 1)
    return Page(form.send(**typed))


def sign_in_from(acme: Portal, ada: Visitor, page: Page, address: str = ADA) -> httpx.Response:
    code_page = Page(ada.post("/profile", page, email=address))
    assert "Enter your code" in code_page.words
    acme.work.deliver_what_is_due()
    wrong = Page(ada.post("/profile/code", code_page, code="00000000"))
    assert wrong.status == 422
    return ada.post("/profile/code", wrong, code=code_in(mailbox(acme)[-1]))


def test_after_signing_in_again_the_form_is_restored_and_can_be_sent(acme: Portal, ada: Visitor):
    ada.sign_in()
    page = signed_out(acme, ada, firstName="Augusta", **{"phoneNumbers-0-phoneNumber": "030 7654321"})
    assert page.status == 403
    assert "to get back what you entered" in page.notice
    assert "Augusta" not in page.text
    back = Page(sign_in_from(acme, ada, page))
    assert "You are signed in again, and what you entered is still here." in back.notice
    assert (back.typed["firstName"], back.typed["phoneNumbers-0-phoneNumber"]) == ("Augusta", "030 7654321")
    confirm(ada, Form(ada, back).press())
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Augusta"


def test_a_file_posted_with_the_form_must_be_chosen_again_but_not_an_uploaded_one(acme: Portal, ada: Visitor):
    ada.sign_in()
    stored = Form(ada, Page(ada.form().send(("cv.txt", b"An older CV of hers.\n" * 9), do="emails.add")))
    acme.parts.clock.pass_time(acme.parts.settings.session_ttl + 1)
    back = Page(sign_in_from(acme, ada, Page(stored.send(firstName="Augusta"))))
    assert "cv.txt" in back.words
    assert back.summary == {}
    acme.parts.clock.pass_time(acme.parts.settings.session_ttl + 1)
    newer = Page(Form(ada, back).send(("newer.txt", b"A newer CV of hers.\n" * 9)))
    assert "Choose this file again" in Page(sign_in_from(acme, ada, newer)).words


def test_another_address_cannot_restore_the_form(acme: Portal, ada: Visitor):
    acme.service.load(
        "acme", [candidate("eves", firstName="Eve", emails=[{"email": EVE, "purpose": "personal", "isPrimary": True}])]
    )
    acme.parts.clock.pass_time(3_600)
    acme.work.index_what_is_due()
    ada.sign_in()
    page = signed_out(acme, ada, firstName="Augusta")
    answer = sign_in_from(acme, ada, page, EVE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/acme/profile/applications")
    assert "Augusta" not in ada.get("/profile/edit").text


@pytest.mark.parametrize("whose", [None, "", "forged", "gAAAAABrAqt"])
def test_an_unknown_form_leads_to_the_first_page(acme: Portal, ada: Visitor, whose: str | None):
    ada.sign_in()
    form = ada.form()
    acme.parts.clock.pass_time(acme.parts.settings.session_ttl + 1)
    answer = form.send(firstName="Augusta", whose=whose)
    assert (answer.status_code, answer.headers["location"]) == (303, "/acme/profile")


def test_a_form_returned_by_a_stranger_is_ignored(acme: Portal, ada: Visitor):
    ada.ask()
    page = ada.get("/profile/code")
    answer = ada.post("/profile/code", page, code=code_in(mailbox(acme)[-1]), typed="x" * 48_001)
    assert answer.status_code == 303


def test_a_form_of_the_previous_user_is_not_shown_to_the_current_one(acme: Portal, ada: Visitor):
    eves = [candidate("eves", firstName="Eve", emails=[{"email": EVE, "purpose": "personal", "isPrimary": True}])]
    acme.service.load("acme", eves)
    acme.parts.clock.pass_time(3_600)
    acme.work.index_what_is_due()
    ada.sign_in()
    hers = ada.form()
    eve = Visitor(acme)
    eve.sign_in(EVE)
    answer = Page(
        eve.client.post(
            "/acme/profile/edit",
            files={**{k: (None, v) for k, v in hers.page.hidden.items()}, "firstName": (None, "Augusta")},
        )
    )
    assert answer.status == 409
    assert "signed in with another address" in answer.notice
    assert "Augusta" not in answer.text
    assert ADA not in answer.text
    assert answer.typed["firstName"] == "Eve"
