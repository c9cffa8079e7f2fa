"""The service reads as much for a candidate who applies again, however many others have applied for the same job."""

from tests.parts.sqlite_steps import steps
from tests.tracker.office import Office

OTHERS = 150


def test_applications_of_others_are_not_read(sqlite_office: Office):
    vacancy = sqlite_office.add_vacancy()

    def apply_again() -> None:
        assert sqlite_office.apply(vacancy).status_code == 201

    apply_again()
    before = steps(sqlite_office.database, apply_again)
    for number in range(OTHERS):
        assert sqlite_office.apply(vacancy, email=f"other.{number}@people.example").status_code == 201
    assert steps(sqlite_office.database, apply_again) < before + OTHERS
