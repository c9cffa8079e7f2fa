"""A reply or a note that is posted after the session ended is shown again, so that nobody has to write it twice."""

import pytest

from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import RECRUITER, HiringSite

TYPED = "Dear Ada,\nplease come </textarea><script>alert(1)</script>"


@pytest.mark.parametrize(("way", "field"), [("reply", "body"), ("note", "note")])
def test_the_entered_text_is_shown_again(hiring: HiringSite, way: str, field: str):
    application = apply(hiring, hiring.office.add_vacancy())
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{application}")
    recruiter.client.cookies.clear()
    path = "/reply" if way == "reply" else f"/applications/{application}/notes"
    answer = recruiter.post(path, **{field: TYPED, "to": application, "then": "send"})
    assert (answer.status_code, answer.headers["cache-control"]) == (403, "no-store")
    assert "Dear Ada, please come </textarea><script>alert(1)</script>" in recruiter.words
    assert "<script>alert" not in recruiter.page
    assert application not in recruiter.page


def test_without_a_text_the_sign_in_page_is_shown(hiring: HiringSite):
    application = apply(hiring, hiring.office.add_vacancy())
    stranger = hiring.browser()
    answer = stranger.post(f"/applications/{application}/rating", rating="3")
    assert answer.url.path == "/acme/hiring"
