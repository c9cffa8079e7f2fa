"""Entries of the service that the candidate did not change are sent back unchanged."""

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, at_service, candidate
from tests.site.account.test_a_candidate_changes_her_profile import confirm


def test_entries_that_the_form_would_reject_are_sent_back_unchanged(acme: Portal, ada: Visitor):
    emails = [{"purpose": "Sent by\u2028an import", "email": ADA, "isPrimary": True}]
    numbers = [
        {"purpose": "k" * 150, "phoneNumber": "call the office", "isPrimary": None},
        {"purpose": " work ", "phoneNumber": "+4930", "isPrimary": False},
    ]
    acme.service.load("acme", [candidate(emails=emails, phoneNumbers=numbers)])
    acme.work.index_what_is_due()
    ada.sign_in()
    review = ada.form().press(firstName="Augusta")
    assert review.page.status == 200, review.page.summary
    confirm(ada, review)
    acme.work.deliver_what_is_due()
    (record,) = at_service(acme)
    assert record["name"]["firstName"] == "Augusta"
    assert record["emails"]["emails"] == emails
    assert record["phoneNumbers"]["phoneNumbers"] == numbers


def test_an_empty_type_is_no_change(acme: Portal, ada: Visitor):
    acme.service.load("acme", [candidate(emails=[{"purpose": "", "email": ADA, "isPrimary": True}])])
    acme.work.index_what_is_due()
    ada.sign_in()
    assert "nothing to send" in ada.form().press().page.words


def test_a_row_without_visible_text_is_no_entry(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = ada.form().press(**{"socialMedia-0-url": "\u200d", "phoneNumbers-0-phoneNumber": " "})
    assert review.page.status == 200, review.page.summary
    confirm(ada, review)
    acme.work.deliver_what_is_due()
    (record,) = at_service(acme)
    assert record["socialMedia"]["socialMedia"] == []
    assert record["phoneNumbers"]["phoneNumbers"] == []


def test_a_list_without_a_primary_entry_stays_so_until_it_changes(acme: Portal, ada: Visitor):
    links = [{"url": f"network.example/{name}", "type": "ODD", "isPrimary": False} for name in ("ada", "countess")]
    acme.service.load("acme", [candidate(socialMedia=links)])
    acme.work.index_what_is_due()
    ada.sign_in()
    assert "nothing to send" in ada.form().press().page.words
    confirm(ada, ada.form().press(do="socialMedia.remove.0").press())
    acme.work.deliver_what_is_due()
    (record,) = at_service(acme)
    assert record["socialMedia"]["socialMedia"] == [{**links[1], "isPrimary": True}]
