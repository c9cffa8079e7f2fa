"""§4.8 and §4.10 need no API key: requests of a network are limited, and failed requests store nothing."""

from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from portal.tracker import tables
from portal.tracker.candidates import BROUGHT_MOST, CV_ATTRIBUTE
from tests.schemas import TRACKER, sqlite_copy
from tests.told_clock import ToldClock
from tests.tracker.office import Office, opened, submission

UPDATE = {"firstName": "Ada", "lastName": "Okafor", "emails": [{"email": "x@people.example"}]}


def of(office: Office, address: str) -> httpx.Client:
    """Return a client with this IP address."""
    return httpx.Client(transport=httpx.WSGITransport(office.app, remote_addr=address), base_url="http://service")


def rows(office: Office) -> dict[str, int]:
    with office.database.read() as connection:
        return {
            table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in tables.metadata.sorted_tables
        }


def test_requests_of_a_network_are_limited_without_affecting_others(tmp_path: Path):
    with opened(sqlite_copy(tmp_path / "tracker.db", TRACKER), ToldClock(), public=3) as office:
        path = f"/acme/vacancy-portal/jobs/{office.add_vacancy()}"
        one, other = of(office, "192.0.2.7"), of(office, "192.0.2.200")
        answers = [who.post(path, json=submission()) for who in (one, other, one, other)]
        assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
        assert [answer.headers["RateLimit"] for answer in answers[:3]] == [
            f'"network";r={left};t=60' for left in (2, 1, 0)
        ]
        assert answers[3].headers["RateLimit-Policy"] == '"network";q=3;w=60'
        assert answers[3].headers["Retry-After"] == "60"
        assert answers[3].headers["Content-Type"] == "application/problem+json"
        assert of(office, "192.0.3.7").post(path, json=submission()).status_code == 201
        assert office.recruiter.get("/vacancies").status_code == 200


@pytest.mark.parametrize(
    ("one", "neighbour", "stranger"),
    [
        ("192.0.2.1", "192.0.2.254", "192.0.3.1"),
        ("2001:db8:1::1", "2001:db8:1:ffff::1", "2001:db8:2::1"),
        ("::ffff:192.0.2.1", "192.0.2.9", "::1"),
    ],
)
def test_networks_are_24_bits_of_ipv4_and_48_of_ipv6(tmp_path: Path, one: str, neighbour: str, stranger: str):
    with opened(sqlite_copy(tmp_path / "tracker.db", TRACKER), ToldClock(), public=1) as office:
        answers = [
            of(office, address).post("/acme/candidate-portal/nobody", json=UPDATE) for address in (one, stranger)
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert of(office, neighbour).post("/acme/candidate-portal/nobody", json=UPDATE).status_code == 429


def test_the_limit_is_checked_before_the_body(tmp_path: Path):
    with opened(sqlite_copy(tmp_path / "tracker.db", TRACKER), ToldClock(), public=1) as office:
        path, broken = (
            "/acme/vacancy-portal/jobs/v1",
            {"content": b"{", "headers": {"Content-Type": "application/json"}},
        )
        assert [of(office, "192.0.2.7").post(path, **broken).status_code for _ in range(2)] == [400, 429]


def test_requests_for_unknown_records_store_nothing(office: Office):
    vacancy, before = office.add_vacancy(), 0
    paths = ("/nobody/vacancy-portal/jobs/v1", "/acme/vacancy-portal/jobs/v1", "/acme/candidate-portal/nobody")
    for number in range(5):
        for path in paths:
            body = UPDATE if "candidate" in path else submission()
            answer = office.public.post(path, json=body, headers={"Idempotency-Key": f"key-{number}"})
            assert answer.status_code == 404, answer.text
        before = before or sum(rows(office).values())
        assert sum(rows(office).values()) == before
    # The key can then be used for an existing record.
    assert office.apply(vacancy, key="key-1").status_code == 201


def test_an_idempotency_key_used_for_an_unknown_candidate_can_be_reused(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy)
    (candidate,) = office.candidates()
    for candidate_id, status in (("nobody", 404), (candidate["id"], 200), (candidate["id"], 200)):
        answer = office.public.post(
            f"/acme/candidate-portal/{candidate_id}", json=UPDATE, headers={"Idempotency-Key": "mine"}
        )
        assert answer.status_code == status


def test_the_growth_of_a_profile_is_limited(sqlite_office: Office):
    vacancy = sqlite_office.add_vacancy()
    for number in range(BROUGHT_MOST + 1):
        answer = sqlite_office.apply(
            vacancy,
            phoneNumber=f"+4930{number:06}",
            networkUrl=f"https://people.example/{number}",
            cvAttachmentId=f"acme/cv-{number}",
            location={"type": "primary_home", "city": f"Town {number}", "country": "DE"},
        )
        assert answer.status_code == 201
    (candidate,) = sqlite_office.candidates()
    for name in ("phoneNumbers", "socialMedia", "locations"):
        assert len(candidate[name][name]) == BROUGHT_MOST
    assert candidate["phoneNumbers"]["phoneNumbers"][0]["phoneNumber"] == "+4930000000"
    (attribute,) = (one for one in candidate["customAttributes"] if one["attributeDefinitionId"] == CV_ATTRIBUTE)
    assert attribute["value"] == [f"acme/cv-{number}" for number in range(1, BROUGHT_MOST + 1)]


def test_overlong_phone_numbers_and_locations_are_not_stored(sqlite_office: Office):
    vacancy = sqlite_office.add_vacancy()
    long = {"phoneNumber": "+49" + "1" * 60_000, "location": {"type": "primary_home", "city": "x" * 60_000}}
    for changes in ({}, {"phoneNumber": long["phoneNumber"]}, {"location": long["location"]}):
        assert sqlite_office.apply(vacancy, **changes).status_code == 201
    (candidate,) = sqlite_office.candidates()
    assert len(candidate["phoneNumbers"]["phoneNumbers"]) == 1
    assert len(candidate["locations"]["locations"]) == 1


def test_a_page_of_long_records_is_shorter_and_the_next_one_continues(sqlite_office: Office):
    long = {"description": "x" * 900_000}
    for _ in range(9):
        sqlite_office.add_vacancy(**long)
    first = sqlite_office.recruiter.get("/vacancies", params={"limit": 50})
    assert len(first.content) < 5_000_000
    assert first.json()["pageInfo"]["hasNextPage"]
    assert len({one["id"] for one in sqlite_office.walk("/vacancies", limit=50)}) == 9
