"""A job's applications are listed newest first, by stage and name; new ones are marked until somebody views them."""

import re

import pytest

from tests.told_clock import ToldClock
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import READER, RECRUITER, HiringBrowser, HiringSite

PEOPLE = (("Zoë", "Müller"), ("Łukasz", "Żak"), ("Ada", "Okafor"))


def people_apply(hiring: HiringSite, clock: ToldClock) -> tuple[str, list[str]]:
    job = hiring.office.add_vacancy()
    ids = []
    for number, (first, last) in enumerate(PEOPLE):
        clock.pass_time(60)
        ids.append(apply(hiring, job, cv=None, firstName=first, lastName=last, email=f"p{number}@people.example"))
    return job, ids


def listed(browser: HiringBrowser) -> list[str]:
    """Return the names in the list, in their order."""
    return re.findall(r'card-title"><a [^>]+><bdi>([^<]+)</bdi>', browser.page)


def test_the_newest_applications_come_first(hiring: HiringSite, clock: ToldClock):
    job, _ = people_apply(hiring, clock)
    reader = hiring.signed_in(READER)
    reader.get(f"/jobs/{job}/applications")
    assert listed(reader) == ["Ada Okafor", "Łukasz Żak", "Zoë Müller"]


def test_a_stage_lists_its_applicants(hiring: HiringSite, clock: ToldClock):
    job, (zoe, *_) = people_apply(hiring, clock)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{zoe}")
    recruiter.post(f"/applications/{zoe}/stage", stage="interview", seen="new")
    recruiter.get(f"/jobs/{job}/applications?stage=interview")
    assert listed(recruiter) == ["Zoë Müller"]
    recruiter.get(f"/jobs/{job}/applications?stage=new")
    assert listed(recruiter) == ["Ada Okafor", "Łukasz Żak"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("MULLER", ["Zoë Müller"]),
        ("zoë mü", ["Zoë Müller"]),
        ("zak lukasz", ["Łukasz Żak"]),
        ("o", ["Ada Okafor", "Zoë Müller"]),
        ("nobody", []),
        ("%", []),
        ("x" * 500, []),
    ],
)
def test_names_are_found_regardless_of_case_and_accents(
    hiring_on_both: HiringSite, clock: ToldClock, typed: str, found: list[str]
):
    job, _ = people_apply(hiring_on_both, clock)
    reader = hiring_on_both.signed_in(READER)
    reader.get(f"/jobs/{job}/applications")
    assert reader.post(f"/jobs/{job}/applications", name=typed).status_code == 200
    assert listed(reader) == found


def test_new_applications_are_marked_until_somebody_views_them(hiring: HiringSite, clock: ToldClock):
    job, _ = people_apply(hiring, clock)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/jobs/{job}/applications")
    recruiter.get(f"/jobs/{job}/applications")
    assert recruiter.page.count('class="badge"') == len(PEOPLE)
    until = re.search(r'name="until" value="(\d+)"', recruiter.page)
    clock.pass_time(60)
    apply(hiring, job, cv=None, firstName="Late", email="late@people.example")  # after the page was made
    assert until
    recruiter.post(f"/jobs/{job}/applications/seen", until=until[1])
    assert recruiter.page.count('class="badge"') == 1
    reader = hiring.signed_in(READER)
    reader.get(f"/jobs/{job}/applications")
    assert reader.page.count('class="badge"') == 1


def test_applications_with_a_rating_note_or_reply_are_not_new(hiring: HiringSite, clock: ToldClock):
    job, ids = people_apply(hiring, clock)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/applications/{ids[0]}")
    recruiter.post(f"/applications/{ids[0]}/rating", rating="4")
    recruiter.post(f"/applications/{ids[1]}/notes", note="Called")
    recruiter.get("/jobs")
    assert f"{len(PEOPLE) - 2} new" in recruiter.words
    recruiter.get(f"/jobs/{job}/applications")
    assert recruiter.page.count('class="badge"') == len(PEOPLE) - 2
    recruiter.post("/reply", to=ids[2], subject="Hello", body="Hello", kind="invitation", locale="en", then="send")
    recruiter.get(f"/jobs/{job}/applications")
    assert recruiter.page.count('class="badge"') == len(PEOPLE) - 3


def test_viewed_applications_stay_viewed(hiring: HiringSite, clock: ToldClock):
    job, _ = people_apply(hiring, clock)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/jobs/{job}/applications")
    until = re.search(r'name="until" value="(\d+)"', recruiter.page)
    assert until
    recruiter.post(f"/jobs/{job}/applications/seen", until=until[1])
    recruiter.post(f"/jobs/{job}/applications/seen", until="1")
    assert 'class="badge"' not in recruiter.page


def test_more_applications_than_a_page_have_a_next_page(hiring: HiringSite, clock: ToldClock):
    job = hiring.office.add_vacancy()
    for number in range(51):
        clock.pass_time(1)
        apply(hiring, job, cv=None, firstName=f"P{number:02}", lastName="X", email=f"p{number}@people.example")
    reader = hiring.signed_in(READER)
    reader.get(f"/jobs/{job}/applications")
    assert (len(listed(reader)), "page=2" in reader.page) == (50, True)
    reader.get(f"/jobs/{job}/applications?page=2")
    assert listed(reader) == ["P00 X"]
    reader.post(f"/jobs/{job}/applications", name="x", page="2")
    assert listed(reader) == ["P00 X"]


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=9999999999", "page=x", "stage=nope", "stage=" + "x" * 201]
)
def test_unusual_query_parameters_are_handled(hiring: HiringSite, clock: ToldClock, query: str):
    job, _ = people_apply(hiring, clock)
    assert hiring.signed_in(READER).get(f"/jobs/{job}/applications?{query}").status_code == 200
