"""Each of two new addresses needs the code that was sent to it."""

import pytest

from tests.builders import Portal
from tests.site.account.candidate import ADA, Form, Visitor, code_in, mailbox
from tests.site.account.test_a_new_address_is_confirmed_before_it_is_sent import emails, post

FIRST, SECOND = "augusta@people.example", "countess@people.example"


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


def ask_to_add_both(ada: Visitor) -> Form:
    """Add both addresses; return the page that asks for the code of the first one."""
    form = ada.form().press(do="emails.add").press(do="emails.add")
    review = form.press(**{"emails-1-email": FIRST, "emails-2-email": SECOND})
    assert "each of the 2 new addresses" in review.page.words
    return post(ada, review)


def code_to(acme: Portal, address: str) -> str:
    acme.work.deliver_what_is_due()
    return code_in(next(one for one in reversed(mailbox(acme)) if one["To"] == address))


def is_asked_for(page: Form, address: str) -> bool:
    return "Confirm your new email address" in page.page.words and page.page.hidden["proving"] == address


def test_each_code_confirms_its_own_address(acme: Portal, ada: Visitor):
    ada.sign_in()
    prove = ask_to_add_both(ada)
    assert is_asked_for(prove, FIRST)
    prove = post(ada, prove, code=code_to(acme, FIRST))
    assert is_asked_for(prove, SECOND)
    assert "Received" in post(ada, prove, code=code_to(acme, SECOND)).page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA, FIRST, SECOND]


def test_the_code_of_one_address_does_not_confirm_the_other(acme: Portal, ada: Visitor):
    ada.sign_in()
    prove = ask_to_add_both(ada)
    of_first = code_to(acme, FIRST)
    wrong = post(ada, prove, code=of_first, proving=SECOND)
    assert is_asked_for(wrong, FIRST)
    prove = post(ada, wrong, code=of_first)
    of_second = code_to(acme, SECOND)
    assert of_first != of_second
    again = post(ada, prove, code=of_first)
    assert is_asked_for(again, SECOND)
    assert again.page.status == 422
    back = post(ada, again, code=of_first, proving=FIRST)
    assert is_asked_for(back, SECOND)
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]


def test_codes_are_not_interchangeable_while_both_are_valid(acme: Portal, ada: Visitor):
    ada.sign_in()
    prove = ask_to_add_both(ada)
    of_first = code_to(acme, FIRST)
    # The other address first: now each has a valid code, and the later one is the second address's.
    swapped = post(ada, prove, **{"emails-1-email": SECOND, "emails-2-email": FIRST})
    assert is_asked_for(swapped, SECOND)
    of_second = code_to(acme, SECOND)
    assert is_asked_for(post(ada, swapped, code=of_first, proving=SECOND), SECOND)
    assert is_asked_for(post(ada, swapped, code=of_second, proving=FIRST), SECOND)
    first_proven = post(ada, swapped, code=of_first, proving=FIRST)
    assert is_asked_for(first_proven, SECOND)
    assert "Received" in post(ada, first_proven, code=of_second).page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA, SECOND, FIRST]
