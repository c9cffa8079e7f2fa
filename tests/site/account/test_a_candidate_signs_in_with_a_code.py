"""The code goes to the mailbox, is typed into the page that asked for it, and opens a session."""

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, code_in, mailbox, text


def test_a_code_from_the_mailbox_opens_the_profile(acme: Portal, ada: Visitor):
    asked = ada.ask()
    assert asked.status_code == 303
    assert asked.headers["location"] == "/acme/profile/code"
    (letter,) = mailbox(acme)
    assert letter["To"] == ADA
    entered = ada.enter(code_in(letter))
    assert entered.status_code == 303
    assert entered.headers["location"] == "/acme/profile/applications"
    record = ada.get("/profile/edit")
    assert record.status == 200
    assert record.typed["firstName"] == "Ada"
    assert record.typed["emails-0-email"] == ADA
    assert record.typed["phoneNumbers-0-phoneNumber"] == "+49301234567"
    assert record.typed["phoneNumbers-0-purpose"] == "carrier pigeon"
    assert record.typed["socialMedia-0-url"] == "network.example/ada"


def test_an_address_without_a_profile_gets_an_email_that_says_so(acme: Portal, ada: Visitor):
    ada.ask("nobody@people.example")
    (letter,) = mailbox(acme)
    assert letter["To"] == "nobody@people.example"
    assert "There is no such profile" in text(letter)
    assert "/acme/" in text(letter)


def test_signing_out_ends_the_session_on_the_server_and_in_the_browser(ada: Visitor):
    ada.sign_in()
    token = ada.client.cookies["session-acme"]
    assert ada.post("/profile/sign-out", ada.get("/profile/edit")).status_code == 303
    assert "session-acme" not in ada.client.cookies
    ada.client.cookies.set("session-acme", token)
    assert ada.client.get("/acme/profile/edit").headers["location"] == "/acme/profile"


def test_an_old_session_expires(acme: Portal, ada: Visitor):
    ada.sign_in()
    acme.parts.clock.pass_time(acme.parts.settings.session_ttl - 1)
    assert ada.get("/profile/edit").status == 200
    acme.parts.clock.pass_time(acme.parts.settings.session_ttl - 1)
    assert ada.get("/profile/edit").status == 200
    acme.parts.clock.pass_time(acme.parts.settings.session_ttl)
    assert ada.client.get("/acme/profile/edit").status_code == 303
