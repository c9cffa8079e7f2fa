"""Another site cannot make a browser request a code, sign in, change, withdraw, erase or sign out."""

import pytest

from tests.builders import Portal
from tests.site.account.candidate import Visitor, at_service, mailbox

POSTS = ["/profile", "/profile/code", "/profile/record", "/profile/edit", "/profile/erase", "/profile/sign-out"]
LED = [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"}]


@pytest.mark.parametrize("headers", LED, ids=str)
def test_a_cross_site_post_is_rejected(acme: Portal, ada: Visitor, headers: dict[str, str]):
    ada.sign_in()
    hidden = ada.get("/profile/edit").hidden
    letters = len(mailbox(acme))
    for path in POSTS:
        fields = {**hidden, "email": "victim@people.example", "code": "12345678", "step": "send"}
        answer = ada.client.post(ada.at(path), files={k: (None, v) for k, v in fields.items()}, headers=headers)
        assert answer.status_code == 403, path
    acme.work.deliver_what_is_due()
    assert len(mailbox(acme)) == letters
    assert ada.get("/profile/edit").status == 200


@pytest.mark.parametrize("path", ["/profile", "/profile/code", "/profile/edit"])
def test_a_form_without_its_token_is_rejected(ada: Visitor, path: str):
    ada.sign_in()
    page = ada.get(path)
    answer = ada.post(path, page, token="", email="ada@people.example", step="send", firstName="Eve", lastName="X")
    assert answer.status_code == 422


def test_a_form_of_another_session_is_rejected(acme: Portal, ada: Visitor):
    ada.sign_in()
    old = ada.form()
    ada.sign_in()
    assert old.send(firstName="Eve", step="send").status_code == 422
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"


def test_get_and_head_change_nothing(acme: Portal, ada: Visitor):
    ada.sign_in()
    for path in ("/profile/sign-out", "/profile/erase", "/profile/edit?do=emails.remove.0&step=send", "/profile"):
        ada.client.get(ada.at(path))
        ada.client.head(ada.at(path))
    assert ada.get("/profile/edit").status == 200
