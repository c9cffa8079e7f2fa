"""Colleagues write notes and rate applicants from one to five; each changes only their own, and no note is lost."""

import re
import threading

import pytest

from portal.tracker.hiring import application_changes
from tests.tracker.hiring.applicants import apply, as_read
from tests.tracker.hiring.site import OWNER, RECRUITER, HiringBrowser, HiringSite


def opened(hiring: HiringSite, application: str, email: str = RECRUITER) -> HiringBrowser:
    browser = hiring.signed_in(email)
    browser.get(f"/applications/{application}")
    return browser


def test_a_note_is_shown_with_its_author_and_not_in_the_interface(hiring_on_both: HiringSite):
    application = apply(hiring_on_both, hiring_on_both.office.add_vacancy())
    before = as_read(hiring_on_both.office, application)
    recruiter = opened(hiring_on_both, application)
    recruiter.post(f"/applications/{application}/notes", note="Called.\r\n\r\nComes on <b>Monday</b>.")
    owner = opened(hiring_on_both, application, OWNER)
    assert "Called.\n\nComes on &lt;b&gt;Monday&lt;/b&gt;." in owner.page
    assert RECRUITER in owner.words
    assert as_read(hiring_on_both.office, application) == before


def test_only_its_author_deletes_a_note(hiring: HiringSite):
    application = apply(hiring, hiring.office.add_vacancy())
    recruiter = opened(hiring, application)
    recruiter.post(f"/applications/{application}/notes", note="Mine.")
    number = re.search(r'name="note" value="(\d+)"', recruiter.page)
    assert number
    owner = opened(hiring, application, OWNER)
    assert 'name="note" value' not in owner.page
    assert owner.post(f"/applications/{application}/notes/delete", note=number[1]).status_code == 404
    recruiter.post(f"/applications/{application}/notes/delete", note=number[1])
    assert "Mine." not in recruiter.page


@pytest.mark.parametrize(
    ("note", "told"),
    [("", "Enter a text."), (" \r\n ", "Enter a text."), ("x" * 5_001, "too long"), ("a\u202eb", "invisible")],
)
def test_a_note_that_cannot_be_stored_is_kept_in_the_form(hiring: HiringSite, note: str, told: str):
    application = apply(hiring, hiring.office.add_vacancy())
    recruiter = opened(hiring, application)
    assert recruiter.post(f"/applications/{application}/notes", note=note).status_code == 422
    assert told in recruiter.words
    assert note.strip().replace("\u202e", "\ufffd") in recruiter.page


def test_the_longest_note_is_stored(hiring: HiringSite):
    application = apply(hiring, hiring.office.add_vacancy())
    recruiter = opened(hiring, application)
    assert recruiter.post(f"/applications/{application}/notes", note="x" * 5_000).status_code == 200
    assert "Saved." in recruiter.words


def test_too_many_notes_are_rejected_and_the_text_is_kept(hiring: HiringSite):
    application = apply(hiring, hiring.office.add_vacancy())
    office, visit = hiring.office, hiring.visit(OWNER)
    for number in range(application_changes.NOTES_MOST):
        application_changes.add_note(office.database, visit, application, f"n{number}", office.clock.now())
    recruiter = opened(hiring, application)
    assert recruiter.post(f"/applications/{application}/notes", note="One more.").status_code == 409
    assert "One more.</textarea>" in recruiter.page


def test_simultaneous_notes_are_all_stored(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    application = apply(hiring, hiring.office.add_vacancy())

    def write(who: str) -> None:
        for number in range(5):
            now, visit = hiring.office.clock.now(), hiring.visit(OWNER)
            application_changes.add_note(hiring.office.database, visit, application, f"{who}{number}.", now)

    threads = [threading.Thread(target=write, args=(who,)) for who in "abcd"]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    browser = opened(hiring, application)
    assert all(f"{who}{number}." in browser.words for who in "abcd" for number in range(5))


def test_a_rating_is_changed_and_averaged(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    job = hiring.office.add_vacancy()
    application = apply(hiring, job)
    recruiter, owner = opened(hiring, application), opened(hiring, application, OWNER)
    recruiter.post(f"/applications/{application}/rating", rating="1")
    recruiter.post(f"/applications/{application}/rating", rating="5")
    owner.post(f"/applications/{application}/rating", rating="2")
    recruiter.get(f"/jobs/{job}/applications")
    assert "3.5 of 5" in recruiter.words
    recruiter.get(f"/applications/{application}")
    recruiter.post(f"/applications/{application}/rating", rating="0")
    recruiter.get(f"/jobs/{job}/applications")
    assert "2 of 5" in recruiter.words


@pytest.mark.parametrize("rating", ["", "6", "-1", "1.5", "x", "٣"])
def test_invalid_ratings_are_rejected(hiring: HiringSite, rating: str):
    application = apply(hiring, hiring.office.add_vacancy())
    recruiter = opened(hiring, application)
    assert recruiter.post(f"/applications/{application}/rating", rating=rating).status_code == 400


def test_notes_and_ratings_are_logged(hiring: HiringSite):
    application = apply(hiring, hiring.office.add_vacancy())
    recruiter = opened(hiring, application)
    recruiter.post(f"/applications/{application}/notes", note="Mine.")
    number = re.search(r'name="note" value="(\d+)"', recruiter.page)
    assert number
    recruiter.post(f"/applications/{application}/notes/delete", note=number[1])
    recruiter.post(f"/applications/{application}/rating", rating="4")
    owner = hiring.signed_in()
    owner.get("/log")
    for done in ("wrote a note about", "deleted a note about", "rated"):
        assert f"{RECRUITER} {done} the application of Ada Okafor" in owner.words
