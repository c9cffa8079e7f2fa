"""Emails and self-service mention an earlier application for the same job; no other page does."""

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, mailbox, text
from tests.site.apply.applicant import Applicant, Page

ALSO = "You also applied for this job on 1 June 2026 with different details or a different CV."


def apply(acme: Portal, **typed: str) -> str:
    """Apply; return the receipt as the sender sees it."""
    with acme.browser() as client:
        one = Applicant(client)
        answer = client.get(one.receipt(("cv.txt", b"A CV of twenty lines.\n" * 20), **{"email": ADA, **typed}))
    return Page(answer).words


def receipts(acme: Portal, address: str = ADA) -> list[str]:
    acme.work.deliver_what_is_due()
    found = [text(one) for one in mailbox(acme) if one["To"] == address and "has been received" in one["Subject"]]
    return [" ".join(one.split()) for one in found]


def test_the_email_names_the_date_of_the_first_application(acme: Portal, ada: Visitor):
    apply(acme)
    acme.parts.clock.pass_time(2 * 86_400)
    apply(acme, city="Bonn")
    first, second = receipts(acme)
    assert "also applied" not in first
    assert ALSO in second
    assert "That application is still valid too." in second


def test_the_page_that_a_stranger_would_see_does_not_mention_it(acme: Portal, ada: Visitor):
    apply(acme)
    acme.parts.clock.pass_time(2 * 86_400)
    assert "also applied" not in apply(acme, city="Bonn")


def test_the_email_to_another_address_does_not_mention_it(acme: Portal, ada: Visitor):
    apply(acme)
    apply(acme, email="eve@people.example", city="Bonn")
    assert "also applied" not in receipts(acme, "eve@people.example")[0]


def test_my_applications_mentions_it_with_the_later_one(acme: Portal, ada: Visitor):
    apply(acme)
    acme.parts.clock.pass_time(2 * 86_400)
    apply(acme, city="Bonn")
    ada.sign_in()
    page = ada.get("/profile/applications")
    later, earlier = page.by_class("profile-list")[0]
    assert ALSO in " ".join("".join(later.itertext()).split())
    assert "also applied" not in "".join(earlier.itertext())


def test_a_withdrawn_application_is_not_mentioned(acme: Portal, ada: Visitor):
    apply(acme)
    ada.sign_in()
    (one,) = ada.get("/profile/applications").by_class("profile-list")[0]
    path = next(a.attrib["href"] for a in one.iter("a") if "/withdraw" in a.attrib["href"]).removeprefix("/acme")
    ada.post(path, ada.get(path))
    acme.parts.clock.pass_time(2 * 86_400)
    apply(acme, city="Bonn")
    ada.sign_in()
    assert "also applied" not in ada.get("/profile/applications").words
    assert "also applied" not in receipts(acme)[-1]
