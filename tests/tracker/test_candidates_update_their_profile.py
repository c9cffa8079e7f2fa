"""§4.10: clients that know a candidate's id can update the profile, and others learn nothing."""

import statistics
import time
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from portal.tracker import tables
from tests.tracker.office import Json, Office


def candidate(office: Office) -> str:
    office.apply(office.add_vacancy(), networkUrl="https://social.example/ada")
    [ada] = office.candidates()
    return str(ada["id"])


def update(office: Office, known_as: str, key: str | None = None, **body: object):
    headers = {} if key is None else {"Idempotency-Key": key}
    names: Json = {"firstName": "Ada", "lastName": "Lovelace"}
    return office.public.post(f"/acme/candidate-portal/{known_as}", json=names | body, headers=headers)


def test_lists_in_an_update_are_replaced_and_missing_ones_kept(office: Office):
    known_as = candidate(office)
    before = office.candidates()[0]
    emails = [{"purpose": "work", "email": "new@people.example", "isPrimary": True}]
    assert update(office, known_as, emails=emails, socialMedia=[]).status_code == 200
    [after] = office.candidates()
    assert after["name"]["lastName"] == "Lovelace"
    assert after["emails"]["emails"] == emails
    assert after["socialMedia"]["socialMedia"] == []
    assert after["phoneNumbers"] == before["phoneNumbers"]
    assert after["locations"] == before["locations"]
    assert after["modifiedAt"] > before["modifiedAt"]


def test_applications_show_the_new_name(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy)
    [application] = office.applications(vacancy)
    update(office, application["candidate"]["id"])
    assert office.applications(vacancy)[0]["candidate"]["lastName"] == "Lovelace"
    whole = office.recruiter.get(f"/applications/{application['id']}").json()
    assert whole["candidate"]["lastName"] == "Lovelace"


def test_a_person_is_found_by_the_new_address_only(office: Office):
    known_as = candidate(office)
    update(office, known_as, emails=[{"email": "new@people.example"}])
    office.apply(office.add_vacancy(), email="new@people.example")
    assert len(office.candidates()) == 1
    office.apply(office.add_vacancy())
    assert len(office.candidates()) == 2


def test_a_new_cv_is_the_latest(office: Office):
    known_as = candidate(office)
    update(office, known_as, latestCvAttachmentId="acme/cv-9")
    assert office.candidates()[0]["customAttributes"][0]["value"] == ["acme/cv-1", "acme/cv-9"]


def test_repeating_an_update_is_harmless(office: Office):
    known_as = candidate(office)
    assert update(office, known_as, "ref-1").content == update(office, known_as, "ref-1").content
    assert update(office, known_as, "ref-1", emails=[]).status_code == 409


@pytest.mark.parametrize("known_as", ["nobody", "0" * 48, "%00", "x" * 500])
def test_an_unknown_candidate_is_not_found(office: Office, known_as: str):
    candidate(office)
    assert update(office, known_as, "ref-1", emails=[{"email": "x@people.example"}]).status_code == 404
    assert update(office, known_as, "ref-1").status_code == 404


def test_a_candidate_of_another_tenant_is_not_found(office: Office):
    known_as = candidate(office)
    neighbour = office.neighbour()
    body = {"firstName": "A", "lastName": "B"}
    assert office.public.post(f"/{neighbour.slug}/candidate-portal/{known_as}", json=body).status_code == 404
    assert office.candidates()[0]["name"]["firstName"] == "Ada"


def test_updates_of_an_unknown_candidate_are_not_stored(office: Office):
    update(office, "0" * 48, emails=[{"email": "secret@people.example"}], phoneNumbers=[{"phoneNumber": "+49555"}])
    with office.database.read() as connection:
        everything = [
            str(value)
            for table in tables.metadata.sorted_tables
            for row in connection.execute(sa.select(table))
            for value in row
        ]
    assert not [value for value in everything if "secret" in value or "+49555" in value or "Lovelace" in value]


def test_response_times_do_not_reveal_whether_a_candidate_exists(office: Office):
    known_as = candidate(office)
    entries = [{"email": f"a{n}@people.example"} for n in range(3)]

    def seconds(target: str) -> float:
        started = time.perf_counter()
        update(office, target, emails=entries)
        return time.perf_counter() - started

    for _ in range(3):
        seconds(known_as), seconds("0" * 48)
    # A busy machine can distort one round; an exploitable difference shows in every round.
    ratios = [_ratio(known_as, seconds) for _ in range(5)]
    assert any(0.6 < ratio < 1.5 for ratio in ratios), ratios


def _ratio(known_as: str, seconds: Callable[[str], float]) -> float:
    taken = [(seconds(known_as), seconds("0" * 48)) for _ in range(20)]
    known, unknown = (statistics.median(times) for times in zip(*taken, strict=True))
    return unknown / known


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"firstName": "x" * 101}, "#/firstName"),
        ({"latestCvAttachmentId": ""}, "#/latestCvAttachmentId"),
        ({"latestCvAttachmentId": None}, "#/latestCvAttachmentId"),
        ({"emails": [{"email": "nothing"}]}, "#/emails/0/email"),
        ({"phoneNumbers": [{}]}, "#/phoneNumbers/0/phoneNumber"),
        ({"emails": None}, "#/emails"),
        ({"locations": []}, "#/locations"),
    ],
)
def test_errors_are_located_whether_or_not_the_candidate_exists(office: Office, changes: Json, pointer: str):
    for known_as in (candidate(office), "0" * 48):
        answer = update(office, known_as, **changes)
        assert answer.status_code == 422
        assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
