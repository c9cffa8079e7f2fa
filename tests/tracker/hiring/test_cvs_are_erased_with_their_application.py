"""A CV is erased with the last application that contains it, even if the person has other applications."""

import pytest

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
