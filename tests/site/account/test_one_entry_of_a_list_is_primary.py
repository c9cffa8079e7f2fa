"""Primary entries are radio buttons on the page; a program uses the contract's fields, and both are understood."""

from tests.builders import Portal
from tests.site.account.candidate import ADA, Form, Visitor, at_service, candidate
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Page

WORK = "ada@work.example"
TWO = [
    {"purpose": "personal", "email": ADA, "isPrimary": True},
    {"purpose": "work", "email": WORK, "isPrimary": False},
]


def radios(page: Page, name: str) -> list[bool]:
    found = [e for e in page.all("input") if e.get("type") == "radio" and e.attrib["name"] == f"{name}-primary"]
    assert [e.attrib["value"] for e in found] == [str(number) for number in range(len(found))]
    return ["checked" in e.attrib for e in found]


def signed_in(acme: Portal, ada: Visitor) -> Form:
    acme.service.load("acme", [candidate(emails=TWO)])
    ada.sign_in()
    return ada.form()


def primaries(acme: Portal) -> list[bool]:
    return [one["isPrimary"] for one in at_service(acme)[0]["emails"]["emails"]]


def test_exactly_one_entry_of_each_list_can_be_chosen(acme: Portal, ada: Visitor):
    page = signed_in(acme, ada).page
    assert radios(page, "emails") == [True, False]
    assert radios(page, "phoneNumbers") == [True]
    assert not [e for e in page.all("input") if e.get("type") == "checkbox"]


def test_another_choice_is_sent(acme: Portal, ada: Visitor):
    confirm(ada, signed_in(acme, ada).press(**{"emails-primary": "1"}))
    acme.work.deliver_what_is_due()
    assert primaries(acme) == [False, True]


def test_the_choice_moves_with_its_row(acme: Portal, ada: Visitor):
    moved = signed_in(acme, ada).press(**{"emails-primary": "1", "do": "emails.up.1"})
    assert radios(moved.page, "emails") == [True, False]
    assert moved.page.typed["emails-0-email"] == WORK


def test_a_client_can_send_the_contracts_field(acme: Portal, ada: Visitor):
    form = signed_in(acme, ada)
    by_contract = {"emails-primary": None, "emails-1-isPrimary": "true"}
    assert radios(form.press(**by_contract, do="emails.add").page, "emails") == [False, True, False]
    both = {"emails-primary": "0", "emails-1-isPrimary": "true"}
    assert radios(form.press(**both, do="emails.add").page, "emails") == [False, True, False]


def test_the_number_of_a_missing_row_makes_the_first_one_primary(acme: Portal, ada: Visitor):
    confirm(ada, signed_in(acme, ada).press(firstName="Augusta", **{"emails-primary": "7"}))
    acme.work.deliver_what_is_due()
    assert primaries(acme) == [True, False]
