"""One click moves an application; the documented interface shows it, counts stay correct, and no move is lost."""

import threading

import pytest

from portal.tracker.hiring import application_changes
from tests.told_clock import ToldClock
from tests.tracker.hiring.applicants import apply, as_read, totals
from tests.tracker.hiring.site import OWNER, RECRUITER, HiringBrowser, HiringSite


def pressed(browser: HiringBrowser) -> str:
    """Return the stage of the button that is shown as pressed."""
    return browser.page.partition('aria-pressed="true">')[2].partition("<")[0]


def test_a_click_moves_an_application(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    application = apply(hiring, job)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{application}")
    recruiter.post(f"/applications/{application}/stage", stage="interview", seen="new")
    assert (pressed(recruiter), "Saved." in recruiter.words) == ("Interview", True)
    read = as_read(hiring.office, application)
    assert (read["stage"]["id"], read["applicationState"]["state"]) == ("interview", "in-progress")
    assert (read["rejection"], totals(hiring.office, job)) == (None, {"interview": 1})
    owner = hiring.signed_in()
    owner.get("/log")
    assert f"{RECRUITER} changed the stage of the application of Ada Okafor" in owner.words


def test_a_rejection_is_shown_in_the_interface_until_it_is_reverted(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    application = apply(hiring, job)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{application}")
    recruiter.post(f"/applications/{application}/stage", stage="rejected", seen="new")
    rejection = as_read(hiring.office, application)["rejection"]
    assert rejection["applicationId"] == application
    assert set(rejection) == {"id", "applicationId", "createdAt", "modifiedAt", "reason", "createdBy"}
    assert totals(hiring.office, job) == {"rejected": 1}
    recruiter.post(f"/applications/{application}/stage", stage="offer", seen="rejected")
    assert as_read(hiring.office, application)["rejection"] is None
    assert totals(hiring.office, job) == {"offer": 1}


def test_a_rejected_applicant_may_apply_again(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    application = apply(hiring, job)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{application}")
    recruiter.post(f"/applications/{application}/stage", stage="rejected", seen="new")
    assert apply(hiring, job, key="cv-2") != application


def test_loaded_counts_are_updated_with_loaded_applications(hiring: HiringSite):
    stage = {"id": "new", "name": "New", "type": "new"}
    said = [{"id": "new", "name": "New", "total": 7}, {"id": "offer", "name": "Offer", "total": 2}]
    hiring.office.load(
        ("vacancy", {"id": "v1", "name": {"name": "Welder"}, "stageTotals": {"totals": said}}),
        ("application", {"id": "a1", "vacancy": {"id": "v1"}, "stage": stage}),
    )
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get("/applications/a1")
    recruiter.post("/applications/a1/stage", stage="offer", seen="new")
    assert totals(hiring.office, "v1") == {"new": 6, "offer": 3}


def test_changes_of_a_colleague_are_not_overwritten(hiring: HiringSite):
    application = apply(hiring, hiring.office.add_vacancy())
    one, other = hiring.signed_in(RECRUITER), hiring.signed_in(OWNER)
    for browser in (one, other):
        browser.get(f"/applications/{application}")
    one.post(f"/applications/{application}/stage", stage="interview", seen="new")
    answer = other.post(f"/applications/{application}/stage", stage="rejected", seen="new")
    assert (answer.status_code, pressed(other)) == (409, "Interview")
    assert "A colleague has changed the stage meanwhile." in other.words


def test_several_applications_are_moved_except_those_changed_meanwhile(hiring: HiringSite, clock: ToldClock):
    job = hiring.office.add_vacancy()
    ids = []
    for number in range(3):
        clock.pass_time(1)
        ids.append(apply(hiring, job, cv=None, email=f"p{number}@people.example", firstName=f"P{number}"))
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{ids[0]}")
    recruiter.post(f"/applications/{ids[0]}/stage", stage="offer", seen="new")
    recruiter.get(f"/jobs/{job}/applications")
    path = f"/jobs/{job}/applications/stage"
    seen = [f"{one}:new" for one in ids]  # as on the page that was opened earlier
    fields = {"to": [ids[0], ids[1]], "seen": seen, "stage": "rejected"}
    answer = recruiter.post(path, **fields)  # type: ignore[arg-type]  the form repeats a field
    assert answer.status_code == 409
    assert recruiter.page.count(" checked>") == 1
    assert f'value="{ids[0]}" checked' in recruiter.page
    assert totals(hiring.office, job) == {"new": 1, "offer": 1, "rejected": 1}


@pytest.mark.parametrize("fields", [{}, {"to": ""}, {"to": "nobody"}, {"to": "nobody", "seen": "nobody:new"}])
def test_an_empty_selection_moves_nobody(hiring: HiringSite, fields: dict[str, str]):
    job = hiring.office.add_vacancy()
    apply(hiring, job)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/jobs/{job}/applications")
    answer = recruiter.post(f"/jobs/{job}/applications/stage", stage="offer", **fields)
    assert answer.status_code in {409, 422}
    assert totals(hiring.office, job) == {"new": 1}


@pytest.mark.parametrize("stage", ["", "nope", "x" * 500])
def test_an_unknown_stage_changes_nothing(hiring: HiringSite, stage: str):
    job = hiring.office.add_vacancy()
    application = apply(hiring, job)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{application}")
    assert recruiter.post(f"/applications/{application}/stage", stage=stage, seen="new").status_code == 400
    assert totals(hiring.office, job) == {"new": 1}


def test_one_of_two_simultaneous_moves_is_rejected(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    job = hiring.office.add_vacancy()
    ids = [apply(hiring, job, cv=None, email=f"p{number}@people.example") for number in range(8)]
    owner = hiring.signed_in()
    owner.get("/account")
    late: list[str] = []
    company = hiring.company

    def move(stage: str) -> None:
        for one in ids:
            db, clock = hiring.office.database, hiring.office.clock
            late.extend(application_changes.move(db, clock, company, {one: "new"}, stage, by=OWNER) or [])

    threads = [threading.Thread(target=move, args=(stage,)) for stage in ("offer", "interview")]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(late) == sorted(ids)
    assert sum(totals(hiring.office, job).values()) == len(ids)
