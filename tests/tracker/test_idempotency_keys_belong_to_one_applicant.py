"""Idempotency keys are separate for each applicant: another person with the same key causes and sees no conflict."""

from typing import Any

import sqlalchemy as sa

from portal.tracker.tables import answered
from tests.parts import tracker_edits
from tests.tracker.office import Office


def update(office: Office, candidate: str, key: str, **changes: Any) -> int:
    body = {"firstName": "Ada", "lastName": "Okafor"} | changes
    path = f"/acme/candidate-portal/{candidate}"
    return office.public.post(path, json=body, headers={"Idempotency-Key": key}).status_code


def emails(office: Office, vacancy: str) -> set[str]:
    return {email for one in office.applications(vacancy) for email in one["candidate"]["emails"]}


def as_stored_by_the_former_release(office: Office) -> None:
    """Remove the owner of each stored key, which that release did not store."""
    with office.database.write() as connection:
        connection.execute(sa.update(answered).values(applicant=None))


def test_another_person_with_the_same_key_causes_no_conflict(office: Office):
    vacancy = office.add_vacancy()
    assert office.apply(vacancy, "ref-1", email="stranger@people.example").status_code == 201
    for _ in range(2):
        assert office.apply(vacancy, "ref-1").status_code == 201
    assert emails(office, vacancy) == {"stranger@people.example", "ada@people.example"}
    assert len(office.applications(vacancy)) == 2


def test_each_applicants_key_still_detects_a_different_request(office: Office):
    vacancy = office.add_vacancy()
    for email in ("stranger@people.example", "ada@people.example"):
        assert office.apply(vacancy, "ref-1", email=email).status_code == 201
    for email in ("stranger@people.example", "ada@people.example", "ADA@people.example"):
        assert office.apply(vacancy, "ref-1", email=email, lastName="Other").status_code == 409
        assert office.apply(office.add_vacancy(), "ref-1", email=email).status_code == 409


def test_a_retry_of_the_second_applicant_gets_its_response_after_closing(office: Office):
    vacancy = office.add_vacancy()
    for email in ("stranger@people.example", "ada@people.example"):
        office.apply(vacancy, "ref-1", email=email)
    tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy, status="closed")
    for email in ("stranger@people.example", "ada@people.example"):
        assert office.apply(vacancy, "ref-1", email=email).status_code == 201
    assert office.apply(vacancy, "ref-1", email="third@people.example").status_code == 409, "the posting is closed"


def test_keys_of_profile_updates_are_separate(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy, email="one@people.example")
    office.apply(vacancy, email="other@people.example")
    one, other = (candidate["id"] for candidate in office.candidates())
    assert update(office, one, "ref-1", lastName="A") == 200
    assert update(office, other, "ref-1", lastName="B") == 200
    assert update(office, one, "ref-1", lastName="C") == 409
    assert update(office, other, "ref-1", lastName="C") == 409
    assert office.apply(vacancy, "ref-1").status_code == 201, "an update does not conflict with an application either"


def test_a_retry_that_began_before_the_upgrade_is_recognised(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy, "ref-1")
    as_stored_by_the_former_release(office)
    tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy, status="closed")
    assert office.apply(vacancy, "ref-1").status_code == 201
    assert len(office.applications(vacancy)) == 1


def test_keys_stored_before_the_upgrade_cause_no_conflict(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy, "ref-1", email="stranger@people.example")
    as_stored_by_the_former_release(office)
    for _ in range(2):
        assert office.apply(vacancy, "ref-1").status_code == 201
    assert office.apply(vacancy, "ref-1", lastName="Other").status_code == 409
    assert len(office.applications(vacancy)) == 2


def test_a_server_of_the_former_release_finds_the_response(office: Office):
    """It looks up the key as sent, and compares the request's hash."""
    office.apply(office.add_vacancy(), "ref-1")
    with office.database.read() as connection:
        (row,) = connection.execute(sa.select(answered)).all()
    assert (row.key, row.status, row.body) == ("ref-1", 201, '{"received":true}')


def test_internal_keys_cannot_be_sent_by_clients(office: Office):
    vacancy = office.add_vacancy()
    for email in ("stranger@people.example", "ada@people.example"):
        office.apply(vacancy, "ref-1", email=email)
    with office.database.read() as connection:
        made = next(key for key in connection.execute(sa.select(answered.c.key)).scalars() if key != "ref-1")
    assert "ada" not in made
    assert office.apply(vacancy, made).status_code == 400
