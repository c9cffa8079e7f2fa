"""The review before a change is sent shows the changed values only."""

from tests.builders import Portal
from tests.site.account.candidate import Visitor
from tests.site.apply.applicant import Page


def rows(page: Page) -> list[str]:
    (table,) = page.by_class("compare")
    return ["".join(row.find("th").itertext()).strip() for row in table.find("tbody")]


def review(ada: Visitor, **changes: str) -> Page:
    page = ada.form().press(**changes).page
    assert "Nothing has been sent yet." in page.words
    return page


def test_a_changed_name_is_one_row(acme: Portal, ada: Visitor):
    ada.sign_in()
    assert rows(review(ada, firstName="Augusta")) == ["First name"]


def test_a_list_is_one_row_when_an_entry_changes(acme: Portal, ada: Visitor):
    ada.sign_in()
    page = review(ada, **{"lastName": "King", "phoneNumbers-0-phoneNumber": "+49 30 7654321"})
    assert rows(page) == ["Last name", "Phone numbers"]
