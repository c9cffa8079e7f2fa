"""Signing out elsewhere needs a code at most five minutes old: who only has the session cannot lock others out."""

import pytest

from tests.tracker.hiring.site import READER, HiringBrowser, HiringSite

FIVE_MINUTES = 300


def is_in(browser: HiringBrowser) -> bool:
    return browser.get("/account").url.path == "/acme/hiring/account"


def test_with_an_older_code_the_others_stay_and_the_page_says_what_to_do(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    here, there = hiring.signed_in(READER), hiring.signed_in(READER)
    hiring.office.clock.pass_time(FIVE_MINUTES + 1)  # type: ignore[attr-defined]  the clock of tests
    here.get("/account")
    assert here.post("/account/sessions").status_code == 409
    assert "sign in again" in here.words
    assert "Where you are signed in" in here.words
    assert is_in(there)
    again = hiring.signed_in(READER)
    again.get("/account")
    assert again.post("/account/sessions").status_code == 200
    assert [is_in(one) for one in (here, there, again)] == [False, False, True]


@pytest.mark.parametrize("seconds", [0, FIVE_MINUTES])
def test_with_a_fresh_one_they_end(hiring: HiringSite, seconds: float):
    there, here = hiring.signed_in(READER), hiring.signed_in(READER)
    hiring.office.clock.pass_time(seconds)  # type: ignore[attr-defined]  as above
    here.get("/account")
    assert here.post("/account/sessions").status_code == 200
    assert [is_in(one) for one in (there, here)] == [False, True]
