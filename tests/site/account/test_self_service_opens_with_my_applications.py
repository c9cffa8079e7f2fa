"""After sign-in, self-service shows the applications, the masked address, and a way to sign out."""

import pytest

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, code_in, mailbox
from tests.site.apply.applicant import Page, words


def header(page: Page) -> str:
    return words(page.by_class("site-header")[0])


def test_the_code_leads_to_my_applications(acme: Portal, ada: Visitor):
    ada.ask()
    answer = ada.enter(code_in(mailbox(acme)[-1]))
    assert (answer.status_code, answer.headers["location"]) == (303, "/acme/profile/applications")
    page = ada.get("/profile/applications")
    assert words(page.all("h1")[0]) == "My applications"
    assert ada.get("/profile/edit").status == 200


@pytest.mark.parametrize("path", ["/profile/applications", "/profile/edit", "/profile/data", "/profile/erase"])
def test_the_header_shows_the_masked_address_and_a_sign_out_button(ada: Visitor, path: str):
    ada.sign_in()
    page = ada.get(path)
    assert "a…@people.example" in header(page)
    assert ADA not in header(page)
    (out,) = [form for form in page.all("form") if form.attrib["action"].endswith("/sign-out")]
    assert words(out) == "Sign out"
    assert ada.post("/profile/sign-out", page).status_code == 303
    assert "a…@" not in ada.get("/profile").text


def test_a_public_page_has_the_same_link_for_everyone(ada: Visitor):
    def shown() -> str:
        answer = ada.client.get("/acme/")
        assert "set-cookie" not in answer.headers
        return answer.text

    before = shown()
    assert 'href="/acme/profile/applications"' in before
    assert "My applications" in header(Page(ada.client.get("/acme/")))
    ada.sign_in()
    assert shown() == before


def test_a_visitor_who_is_not_signed_in_is_asked_to_sign_in(ada: Visitor):
    answer = ada.client.get("/acme/profile/applications")
    assert (answer.status_code, answer.headers["location"]) == (303, "/acme/profile")


def test_erasure_has_its_own_section_below_the_data(ada: Visitor):
    ada.sign_in()
    page = ada.get("/profile/data")
    (link,) = page.by_class("button-erase")
    assert words(link).startswith("Erase")
    assert "asks Acme to erase" in page.words
    assert [words(one).startswith("Erase") for one in page.by_class("button")] == [False, False, True]


def test_the_erase_button_is_second_and_red_and_says_what_it_does(ada: Visitor):
    ada.sign_in()
    page = ada.get("/profile/erase")
    (actions,) = page.by_class("profile-actions")
    first, second = list(actions)
    assert "button-erase" in second.attrib["class"].split()
    assert "button-erase" not in first.attrib["class"].split()
    assert words(second).startswith("Erase")
    assert "asks Acme to erase" in page.words or "Acme is asked to erase" in page.words
