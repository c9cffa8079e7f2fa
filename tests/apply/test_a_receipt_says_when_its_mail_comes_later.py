"""Every application is accepted, also when its mailbox has had its share of letters; the receipt says so."""

from tests.apply.applicant import Applicant, Page
from tests.builders import Portal

LATER = "comes later, together with others"


def receipts(ada: Applicant, number: int) -> list[Page]:
    found = []
    for n in range(number):
        ada.open()
        found.append(Page(ada.client.get(ada.receipt(firstName=f"Ada{n}"))))
    return found


def test_the_sixth_of_a_day_says_that_its_mail_comes_later(ada: Applicant):
    assert [LATER in page.words for page in receipts(ada, 6)] == [False] * 5 + [True]


def test_it_names_no_address_and_no_other_application(ada: Applicant):
    *others, last = receipts(ada, 7)
    assert "people.example" not in last.text
    references = [page.by_class("receipt-facts")[0].find(".//code").text for page in (*others, last)]
    assert [reference in last.text for reference in references] == [False] * 6 + [True]


def test_once_the_mail_is_sent_it_says_so_no_more(acme: Portal, ada: Applicant):
    for n in range(6):
        ada.open()
        address = ada.receipt(firstName=f"Ada{n}")
    acme.parts.clock.pass_time(3_600)
    acme.work.deliver_what_is_due()
    assert LATER not in Page(ada.client.get(address)).words
