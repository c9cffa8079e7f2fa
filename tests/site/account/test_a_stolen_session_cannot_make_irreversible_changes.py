"""Irreversible actions need a code, at most five minutes old, to an address that the record has now."""

import pytest

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, at_service, candidate, code_in, mailbox, text
from tests.site.account.test_a_new_address_is_confirmed_before_it_is_sent import NEW, emails, post
from tests.site.account.test_an_erasure_covers_all_addresses_of_a_profile import TWO, WORK
from tests.site.apply.applicant import Page

FRESH = 300


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


@pytest.fixture
def ada(acme: Portal) -> Visitor:
    """Ada, who signed in more than five minutes ago."""
    visitor = Visitor(acme)
    visitor.sign_in()
    acme.parts.clock.pass_time(FRESH + 1)
    return visitor


def newest_code(acme: Portal, to: str = ADA) -> str:
    acme.work.deliver_what_is_due()
    letter = mailbox(acme)[-1]
    assert letter["To"] == to
    return code_in(letter)


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 10**8:08d}"


def test_erasure_requires_a_recent_code(acme: Portal, ada: Visitor):
    asks = Page(ada.post("/profile/erase", ada.get("/profile/erase")))
    assert asks.status == 200
    assert "Confirm that it is you" in asks.words
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"
    code = newest_code(acme)
    assert "erase it" in text(mailbox(acme)[-1])
    again = Page(ada.post("/profile/erase", asks, code=wrong(code)))
    assert again.status == 422
    erased = Page(ada.post("/profile/erase", again, code=code))
    assert "has been asked to erase the rest" in erased.words


def test_an_older_code_is_not_sufficient(acme: Portal, ada: Visitor):
    asks = Page(ada.post("/profile/erase", ada.get("/profile/erase")))
    code = newest_code(acme)
    acme.parts.clock.pass_time(FRESH)
    assert "Confirm that it is you" in Page(ada.post("/profile/erase", asks, code=code)).words
    assert ada.get("/profile/applications").status == 200


def test_a_sign_in_is_recent_for_five_minutes(acme: Portal):
    ada = Visitor(acme)
    ada.sign_in()
    acme.parts.clock.pass_time(FRESH)
    assert "has been asked to erase the rest" in Page(ada.post("/profile/erase", ada.get("/profile/erase"))).words


def test_viewing_and_downloading_all_data_requires_a_recent_code(acme: Portal, ada: Visitor):
    assert ada.client.get("/acme/profile/data.json").headers["location"] == "/acme/profile/data"
    before = len(mailbox(acme))
    asks = ada.get("/profile/data")
    assert (asks.status, "Download as JSON" in asks.words) == (200, False)
    acme.work.deliver_what_is_due()
    assert len(mailbox(acme)) == before, "a page that is opened sends nothing"
    enter = Page(ada.post("/profile/data", asks))
    answer = ada.post("/profile/data", enter, code=newest_code(acme))
    assert (answer.status_code, answer.headers["location"]) == (303, "/acme/profile/data")
    assert "Download as JSON" in ada.get("/profile/data").words
    assert ada.client.get("/acme/profile/data.json").json()["email"] == ADA


def test_replacing_the_address_that_signed_in_requires_a_recent_code(acme: Portal, ada: Visitor):
    prove = post(ada, ada.form().press(**{"emails-0-email": NEW}))
    confirm = post(ada, prove, code=newest_code(acme, NEW))
    assert "Confirm that it is you" in confirm.page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]
    skipped = post(ada, confirm, step="send", proving=NEW)
    assert "Confirm that it is you" in skipped.page.words
    sent = post(ada, confirm, code=newest_code(acme))
    assert "Received" in sent.page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [NEW]


@pytest.mark.parametrize("changes", [{"do": "emails.add"}, {"do": "emails.remove.1"}], ids=["added", "removed"])
def test_adding_or_removing_an_address_requires_a_recent_code(acme: Portal, ada: Visitor, changes: dict[str, str]):
    """Otherwise an address that was just added could confirm the removal of the others."""
    acme.service.load("acme", [candidate(emails=TWO)])
    form = ada.form().press(**changes)
    if changes["do"] == "emails.add":
        prove = post(ada, form.press(**{"emails-2-email": NEW}))
        asks = post(ada, prove, code=newest_code(acme, NEW))
    else:
        asks = post(ada, form.press())
    assert "Confirm that it is you" in asks.page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA, WORK]


def test_other_changes_require_no_code(acme: Portal, ada: Visitor):
    assert "Received" in post(ada, ada.form().press(firstName="Augusta")).page.words


def test_an_address_no_longer_in_the_profile_cannot_confirm(acme: Portal, ada: Visitor):
    page = ada.get("/profile/erase")
    acme.service.load("acme", [candidate(emails=[{"email": "somebody.else@people.example", "isPrimary": True}])])
    assert ada.post("/profile/erase", page).status_code == 404
    before = len(mailbox(acme))
    acme.work.deliver_what_is_due()
    assert len(mailbox(acme)) == before


def test_another_session_of_the_same_person_cannot_confirm(acme: Portal, ada: Visitor):
    asks = Page(ada.post("/profile/erase", ada.get("/profile/erase")))
    code = newest_code(acme)
    other = Visitor(acme)
    other.sign_in()
    acme.parts.clock.pass_time(FRESH + 1)
    assert ada.client.get("/acme/profile/applications").status_code == 303
    theirs = Page(other.post("/profile/erase", other.get("/profile/erase"), code=code, proving=ADA))
    assert theirs.status == 422
    assert asks.status == 200
