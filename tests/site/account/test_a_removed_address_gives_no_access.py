"""The service decides which addresses a record has, before the index is updated."""

import pytest

from tests.builders import Portal
from tests.site.account.candidate import Visitor, at_service, candidate


@pytest.mark.parametrize("other", [[], [{"email": "somebody.else@people.example", "isPrimary": True}]])
def test_a_removed_address_can_neither_view_nor_change_the_profile(acme: Portal, ada: Visitor, other: list):
    ada.sign_in()
    review = ada.form().press(firstName="Mallory")
    acme.service.load("acme", [candidate(emails=other)])
    gone = ada.get("/profile/edit")
    assert gone.status == 404
    assert "no profile with the email address you signed in with" in gone.words
    assert "Lovelace" not in gone.text
    answer = ada.client.post("/acme/profile/edit", files={k: (None, v) for k, v in review.page.hidden.items()})
    assert answer.status_code == 404
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"
