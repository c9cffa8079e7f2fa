"""What a form says counts, whatever the address says that it was posted to: nobody's link can add to it."""

import pytest

from tests.tracker.hiring.site import RECRUITER, HiringBrowser, HiringSite


@pytest.fixture
def desk(hiring: HiringSite) -> tuple[HiringBrowser, list[str], str]:
    """A recruiter's browser, the ids of two applications, and their job."""
    job = hiring.office.add_vacancy()
    for number in range(2):
        assert hiring.office.apply(job, email=f"ada{number}@people.example").status_code == 201
    browser = hiring.signed_in(RECRUITER)
    browser.get("/account")
    return browser, [one["id"] for one in hiring.office.applications(job)], job


def test_nobody_else_gets_a_reply(hiring: HiringSite, desk: tuple[HiringBrowser, list[str], str]):
    browser, (first, second), _job = desk
    words = {"to": first, "kind": "invitation", "locale": "en", "subject": "Come", "body": "Come soon", "then": "send"}
    assert browser.post(f"/reply?to={second}", **words).status_code == 200
    hiring.office.clock.pass_time(7_200)  # type: ignore[attr-defined]  the clock of tests
    hiring.mails.send_what_is_due()
    assert sum(len(hiring.outbox.to(f"ada{number}@people.example")) for number in range(2)) == 1


def test_it_chooses_no_kind_and_no_language(desk: tuple[HiringBrowser, list[str], str]):
    browser, (first, _second), _job = desk
    words = {"to": first, "subject": "Come", "body": "Come soon", "then": "preview"}
    assert browser.post("/reply?kind=rejection&locale=de", **words).status_code == 200
    assert 'name="kind" value="invitation"' in browser.page
    assert 'name="locale" value="en"' in browser.page


def test_it_chooses_no_page_and_no_stage_of_a_search(desk: tuple[HiringBrowser, list[str], str]):
    browser, ids, job = desk
    assert browser.post(f"/jobs/{job}/applications?page=2&in=rejected", name="a").status_code == 200
    assert [one for one in ids if one not in browser.page] == []
