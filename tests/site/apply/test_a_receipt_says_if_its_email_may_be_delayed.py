"""A receipt says that its email may be sent later, if the mailbox may have used up its quota.

When the email is sent depends on recent sign-ins with the address, and a stranger may have sent the form."""

from tests.builders import Portal
from tests.site.apply.applicant import Applicant, Page

LATER = "one email may confirm them all"


def receipts(ada: Applicant, number: int) -> list[Page]:
    found = []
    for n in range(number):
        ada.open()
        found.append(Page(ada.client.get(ada.receipt(firstName=f"Ada{n}"))))
    return found


def test_the_sixth_receipt_of_a_day_says_the_same_about_its_email_as_the_first(ada: Applicant):
    assert [LATER in page.words for page in receipts(ada, 6)] == [True] * 6


def test_the_receipt_names_no_address_and_no_other_application(ada: Applicant):
    *others, last = receipts(ada, 7)
    assert "people.example" not in last.text
    references = [page.by_class("summary-facts")[0].find(".//code").text for page in (*others, last)]
    assert [reference in last.text for reference in references] == [False] * 6 + [True]


def test_the_message_is_unchanged_when_the_email_is_sent(acme: Portal, ada: Applicant):
    for n in range(6):
        ada.open()
        address = ada.receipt(firstName=f"Ada{n}")
    acme.parts.clock.pass_time(3_600)
    acme.work.deliver_what_is_due()
    assert LATER in Page(ada.client.get(address)).words
