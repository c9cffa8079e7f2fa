"""A CV is erased with the last application that contains it, even if the person has other applications."""

import pytest

from portal.tracker import candidates as records
from portal.tracker import revisions
from portal.tracker.hiring import privacy
from portal.tracker.tables import applications
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import RECRUITER, HiringSite
from tests.tracker.hiring.test_applications_to_a_closed_job_are_erased_in_time import close, left, pass_days

ADA = "ada@people.example"
CLOSED, OPEN = "Welder", "Driver"


def stored(hiring: HiringSite) -> list[str]:
    assert hiring.services.store
    return sorted(hiring.services.store.keys("acme/"))


def named(hiring: HiringSite) -> list[str]:
    """Return the CVs in the profile of the only candidate."""
    (ada,) = hiring.office.candidates()
    return [key for one in ada["customAttributes"] for key in one["value"]]


def apply_to(hiring: HiringSite, came: list[tuple[str, str]]) -> dict[str, str]:
    jobs = {name: hiring.office.add_vacancy(name=name) for name in (CLOSED, OPEN)}
    for name, key in came:
        apply(hiring, jobs[name], key=key, email=ADA)
    return jobs


def let_one_expire(hiring: HiringSite, jobs: dict[str, str]) -> None:
    close(hiring, jobs[CLOSED])
    for days in (180, 8):
        pass_days(hiring, days)
        left(hiring, jobs[CLOSED])
    assert [len(hiring.office.applications(jobs[name])) for name in (CLOSED, OPEN)] == [0, 1]


@pytest.mark.parametrize(
    ("came", "stay"),
    [
        ([(CLOSED, "a"), (OPEN, "b")], ["acme/b"]),
        ([(OPEN, "a"), (CLOSED, "b")], ["acme/a"]),
        ([(CLOSED, "a"), (OPEN, "a")], ["acme/a"]),
        ([(OPEN, "a"), (CLOSED, "b"), (OPEN, "c")], ["acme/c"]),
    ],
)
def test_a_person_with_another_application_keeps_only_its_cv(
    hiring_on_both: HiringSite, came: list[tuple[str, str]], stay: list[str]
):
    let_one_expire(hiring_on_both, apply_to(hiring_on_both, came))
    assert (stored(hiring_on_both), named(hiring_on_both)) == (stay, stay)


def many_cvs_follow(hiring: HiringSite) -> None:
    """Until the record has room for these alone."""
    (ada,) = hiring.office.candidates()
    with hiring.office.database.write() as connection:
        turn = revisions.require(connection, hiring.office.clock, hiring.company.id)
        person = records.get(connection, hiring.company.id, ada["id"])
        assert person
        for number in range(records.BROUGHT_MOST):
            records.add_cv(person.record, f"acme/later-{number}")
        records.keep(connection, turn, person)
    assert named(hiring) == [f"acme/later-{number}" for number in range(records.BROUGHT_MOST)]


def test_one_that_the_record_no_longer_lists_goes_with_its_application(hiring_on_both: HiringSite):
    jobs = apply_to(hiring_on_both, [(CLOSED, "a"), (OPEN, "b")])
    many_cvs_follow(hiring_on_both)
    let_one_expire(hiring_on_both, jobs)
    assert stored(hiring_on_both) == ["acme/b"]


def test_one_that_the_record_no_longer_lists_goes_with_its_person(hiring: HiringSite):
    apply_to(hiring, [(OPEN, "a"), (OPEN, "b")])
    many_cvs_follow(hiring)
    job = apply(hiring, hiring.office.add_vacancy(), key="c", email=ADA)
    company, clock = hiring.company, hiring.office.clock
    privacy.erase_applicant(hiring.office.database, hiring.services.store, company, job, by=RECRUITER, clock=clock)
    privacy.delete_files(hiring.office.database, hiring.services.store)  # which deletes a hundred at once
    assert stored(hiring) == []


def test_a_file_that_may_belong_to_an_application_of_an_earlier_release_is_kept(hiring: HiringSite):
    jobs = apply_to(hiring, [(OPEN, "a"), (OPEN, "b"), (CLOSED, "c")])
    with hiring.office.database.write() as connection:
        connection.execute(applications.update().where(applications.c.vacancy_id == jobs[OPEN]).values(cv=None))
    let_one_expire(hiring, jobs)
    assert stored(hiring) == named(hiring) == ["acme/a", "acme/b"]


def test_a_file_used_by_another_person_is_kept_until_they_are_erased(hiring: HiringSite):
    job, company, clock = hiring.office.add_vacancy(), hiring.company, hiring.office.clock
    ids = [apply(hiring, job, key="a", email=email) for email in (ADA, "bob@people.example")]
    for one, keys in zip(ids, (["acme/a"], []), strict=True):
        privacy.erase_applicant(hiring.office.database, hiring.services.store, company, one, by=RECRUITER, clock=clock)
        assert stored(hiring) == keys
