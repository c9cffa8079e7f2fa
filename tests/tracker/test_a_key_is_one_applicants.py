"""An Idempotency-Key is the sender's own: a stranger with the same one stands in nobody's way and learns nothing."""

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


def make_it_the_former_releases(office: Office) -> None:
    """Of what is remembered, that release did not write whose it is."""
    with office.database.write() as connection:
        connection.execute(sa.update(answered).values(applicant=None))


def test_a_stranger_with_the_same_key_blocks_nobody(office: Office):
    vacancy = office.add_vacancy()
    assert office.apply(vacancy, "ref-1", email="stranger@people.example").status_code == 201
    for _ in range(2):
        assert office.apply(vacancy, "ref-1").status_code == 201
    assert emails(office, vacancy) == {"stranger@people.example", "ada@people.example"}
    assert len(office.applications(vacancy)) == 2


def test_each_ones_own_key_still_tells_another_request(office: Office):
    vacancy = office.add_vacancy()
    for email in ("stranger@people.example", "ada@people.example"):
        assert office.apply(vacancy, "ref-1", email=email).status_code == 201
    for email in ("stranger@people.example", "ada@people.example", "ADA@people.example"):
        assert office.apply(vacancy, "ref-1", email=email, lastName="Other").status_code == 409
        assert office.apply(office.add_vacancy(), "ref-1", email=email).status_code == 409


def test_the_second_ones_answer_comes_again_after_the_posting_closed(office: Office):
    vacancy = office.add_vacancy()
    for email in ("stranger@people.example", "ada@people.example"):
        office.apply(vacancy, "ref-1", email=email)
    tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy, status="closed")
    for email in ("stranger@people.example", "ada@people.example"):
        assert office.apply(vacancy, "ref-1", email=email).status_code == 201
    assert office.apply(vacancy, "ref-1", email="third@people.example").status_code == 409, "it is closed"


def test_a_record_has_keys_of_its_own(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy, email="one@people.example")
    office.apply(vacancy, email="other@people.example")
    one, other = (candidate["id"] for candidate in office.candidates())
    assert update(office, one, "ref-1", lastName="A") == 200
    assert update(office, other, "ref-1", lastName="B") == 200
    assert update(office, one, "ref-1", lastName="C") == 409
    assert update(office, other, "ref-1", lastName="C") == 409
    assert office.apply(vacancy, "ref-1").status_code == 201, "nor does an update stand in the way of an application"


def test_a_retry_that_began_before_the_upgrade_is_recognised(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy, "ref-1")
    make_it_the_former_releases(office)
    tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy, status="closed")
    assert office.apply(vacancy, "ref-1").status_code == 201
    assert len(office.applications(vacancy)) == 1


def test_what_was_stored_before_the_upgrade_blocks_nobody(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy, "ref-1", email="stranger@people.example")
    make_it_the_former_releases(office)
    for _ in range(2):
        assert office.apply(vacancy, "ref-1").status_code == 201
    assert office.apply(vacancy, "ref-1", lastName="Other").status_code == 409
    assert len(office.applications(vacancy)) == 2


def test_a_server_of_the_former_release_finds_the_answer(office: Office):
    """It looks for the key as it was sent, and compares the request's hash."""
    office.apply(office.add_vacancy(), "ref-1")
    with office.database.read() as connection:
        (row,) = connection.execute(sa.select(answered)).all()
    assert (row.key, row.status, row.body) == ("ref-1", 201, '{"received":true}')


def test_nobody_sends_the_key_that_the_service_made(office: Office):
    vacancy = office.add_vacancy()
    for email in ("stranger@people.example", "ada@people.example"):
        office.apply(vacancy, "ref-1", email=email)
    with office.database.read() as connection:
        made = next(key for key in connection.execute(sa.select(answered.c.key)).scalars() if key != "ref-1")
    assert "ada" not in made
    assert office.apply(vacancy, made).status_code == 400
