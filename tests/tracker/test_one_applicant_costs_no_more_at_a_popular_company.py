"""SQLite reads as much for one candidate, however many others have applied at the same company."""

from collections.abc import Callable
from functools import partial

import pytest

from portal.tracker.hiring import application_list, replies
from portal.tracker.hiring.colleagues import tenant
from tests.parts.sqlite_steps import steps
from tests.tracker.office import Office

OTHERS = 150


def apply(office: Office, vacancy: str, email: str = "ada@people.example") -> None:
    assert office.apply(vacancy, email=email).status_code == 201


def open_application(office: Office, _vacancy: str, application: str) -> None:
    company = tenant(office.database, "acme")
    assert company
    assert application_list.detail(office.database, company, application)


def choose_for_reply(office: Office, _vacancy: str, application: str) -> None:
    assert replies.applicants(office.database, 1, [application])


def apply_again(office: Office, vacancy: str, _application: str) -> None:
    apply(office, vacancy)


@pytest.mark.parametrize("job", [apply_again, open_application, choose_for_reply])
def test_applications_of_others_are_not_read(sqlite_office: Office, job: Callable[[Office, str, str], None]) -> None:
    vacancy = sqlite_office.add_vacancy()
    apply(sqlite_office, vacancy)
    run = partial(job, sqlite_office, vacancy, sqlite_office.applications(vacancy)[0]["id"])
    run()
    before = steps(sqlite_office.database, run)
    for number in range(OTHERS):
        apply(sqlite_office, vacancy, f"other.{number}@people.example")
    assert steps(sqlite_office.database, run) < before + OTHERS
