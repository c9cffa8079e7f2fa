"""Session fixation, cookies of other tenants and forged tokens give no access."""

from tests.builders import Portal
from tests.site.account.candidate import Visitor, candidate, code_in, mailbox
from tests.site.account.conftest import FILE

OTHER = "bob@people.example"


def test_sign_in_creates_a_new_token_whatever_the_browser_sent(acme: Portal, ada: Visitor):
    planted = "planted-by-an-attacker-0123456789abcdef"
    ada.client.cookies.set("session-acme", planted, domain="127.0.0.1")
    ada.client.cookies.set("asked-acme", planted, domain="127.0.0.1")
    ada.sign_in()
    assert ada.client.cookies["session-acme"] != planted
    attacker = Visitor(acme)
    attacker.client.cookies.set("session-acme", planted)
    assert attacker.client.get("/acme/profile/edit").status_code == 303


def test_each_sign_in_rotates_the_token_and_ends_the_previous_session(acme: Portal, ada: Visitor):
    ada.sign_in()
    first = ada.client.cookies["session-acme"]
    ada.sign_in()
    assert ada.client.cookies["session-acme"] != first
    thief = Visitor(acme)
    thief.client.cookies.set("session-acme", first)
    assert thief.client.get("/acme/profile/edit").status_code == 303


def test_signing_in_with_another_address_ends_the_browsers_session(acme: Portal, ada: Visitor):
    acme.service.load("acme", [candidate("another-candidate", emails=[{"email": OTHER, "isPrimary": True}])])
    acme.parts.clock.pass_time(61)
    acme.work.index_what_is_due()
    ada.sign_in()
    first = ada.client.cookies["session-acme"]
    ada.ask(OTHER)
    ada.enter(code_in(mailbox(acme)[-1]))
    assert ada.client.get("/acme/profile/edit").status_code == 200
    thief = Visitor(acme)
    thief.client.cookies.set("session-acme", first)
    assert thief.client.get("/acme/profile/edit").status_code == 303


def test_the_token_of_a_code_request_is_no_session(acme: Portal, ada: Visitor):
    ada.ask()
    thief = Visitor(acme)
    thief.client.cookies.set("session-acme", ada.client.cookies["asked-acme"])
    ada.enter(code_in(mailbox(acme)[-1]))
    assert thief.client.get("/acme/profile/edit").status_code == 303


def test_a_code_or_cookie_of_one_tenant_is_invalid_at_another(acme: Portal, ada: Visitor):
    acme.add_tenant("globex", "Globex", FILE)
    acme.service.load("globex", [candidate("globex-candidate", firstName="Globex")])
    acme.parts.clock.pass_time(1)
    acme.work.index_what_is_due()
    ada.ask()
    code, asked = code_in(mailbox(acme)[-1]), ada.client.cookies["asked-acme"]
    there = Visitor(acme, "globex")
    there.client.cookies.set("asked-globex", asked)
    assert there.enter(code).status_code == 422
    ada.enter(code)
    there.client.cookies.set("session-globex", ada.client.cookies["session-acme"])
    assert there.client.get("/globex/profile/edit").status_code == 303
