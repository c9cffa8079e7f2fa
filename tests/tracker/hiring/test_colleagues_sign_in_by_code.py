"""A colleague signs in with a code by email; other people see the same page and get an email without a code."""

import pytest

from portal.tracker.hiring import guard
from tests.tracker.hiring.site import OWNER, READER, HiringSite


def test_a_colleague_gets_a_code_and_signs_in(hiring: HiringSite):
    browser = hiring.browser()
    browser.get()
    page = browser.post(email=OWNER.upper())
    assert (page.status_code, page.url.path) == (200, "/acme/hiring/code")
    browser.post("/code", code=hiring.code_for(OWNER))
    assert browser.get("/account").status_code == 200
    assert OWNER in browser.words
    assert {one.name for one in browser.client.cookies.jar} == {"hiring-acme"}


def test_an_unknown_address_sees_the_same_page_and_gets_no_code(hiring: HiringSite):
    pages = []
    for email in (OWNER, "stranger@people.example"):
        browser = hiring.browser()
        browser.get()
        browser.post(email=email)
        pages.append(browser.words)
    assert pages[0] == pages[1]
    assert hiring.code_for("stranger@people.example") == ""
    assert "does not belong to a colleague" in hiring.outbox.to("stranger@people.example")[-1].text


def test_a_code_is_invalid_in_another_browser_and_at_another_company(hiring: HiringSite):
    hiring.office.neighbour()
    hiring.add(OWNER, guard.Role.OWNER, "globex")
    browser, other = hiring.browser(), hiring.browser("globex")
    browser.get()
    browser.post(email=OWNER)
    code = hiring.code_for(OWNER)
    for elsewhere in (hiring.browser(), other):
        elsewhere.get("/code")
        assert elsewhere.post("/code", code=code).status_code == 422
    assert browser.post("/code", code=code).url.path != "/acme/hiring/code"
    assert other.get("/account").url.path == "/globex/hiring"


def test_a_code_expires(hiring: HiringSite):
    browser = hiring.browser()
    browser.get()
    browser.post(email=OWNER)
    code = hiring.code_for(OWNER)
    hiring.office.clock.pass_time(guard.CODE_TTL)  # type: ignore[attr-defined]  the clock of tests
    browser.get("/code")
    assert browser.post("/code", code=code).status_code == 422


@pytest.mark.parametrize(("seconds", "is_in"), [(guard.SESSION_TTL - 1, True), (guard.SESSION_TTL + 1, False)])
def test_an_unused_session_expires(hiring: HiringSite, seconds: float, *, is_in: bool):
    browser = hiring.signed_in(READER)
    hiring.office.clock.pass_time(seconds)  # type: ignore[attr-defined]  as above
    assert (browser.get("/account").url.path == "/acme/hiring/account") is is_in


def test_a_new_sign_in_ends_the_previous_session_of_the_browser(hiring: HiringSite):
    browser = hiring.browser()
    page = browser.get().text
    browser.post(email=READER)
    browser.post("/code", code=hiring.code_for(READER))
    former = browser.client.cookies["hiring-acme"]
    browser.page = page  # a second tab still shows the sign-in page
    browser.post(email=OWNER)
    browser.post("/code", code=hiring.code_for(OWNER))
    assert browser.get("/account").status_code == 200
    assert OWNER in browser.words
    thief = hiring.browser()
    thief.client.cookies.set("hiring-acme", former)
    assert thief.get("/account").url.path == "/acme/hiring"


def test_a_colleague_signs_out_here_and_on_all_devices(hiring: HiringSite):
    here, there = hiring.signed_in(READER), hiring.signed_in(READER)
    assert here.get("/account").text.count("<li>Since") == 2
    here.post("/account/sessions")
    assert there.get("/account").url.path == "/acme/hiring"
    here.get("/account")
    here.post("/sign-out")
    assert here.get("/account").url.path == "/acme/hiring"
