"""Bytes, entries, values, depth: the maximum is accepted, one more is rejected, with the reason in the response."""

import json

import httpx
import pytest

from portal.contract import bounds
from tests.tracker.office import Json, Office, submission, vacancy_body

NAMES = {"firstName": "Ada", "lastName": "Okafor"}
TYPE = {"Content-Type": "application/json"}


def padded(body: Json, size: int) -> bytes:
    """Return the body as JSON, padded to this number of bytes."""
    text = json.dumps(body)
    return text.encode() + b" " * (size - len(text))


def known_candidate(office: Office) -> str:
    office.apply(office.add_vacancy())
    return str(office.candidates()[0]["id"])


def sent(office: Office, operation: str, content: bytes) -> httpx.Response:
    """Post to one of the four operations with the required credentials."""
    if operation == "4.8":
        return office.public.post(f"/acme/vacancy-portal/jobs/{office.add_vacancy()}", content=content, headers=TYPE)
    if operation == "4.10":
        return office.public.post(f"/acme/candidate-portal/{known_candidate(office)}", content=content, headers=TYPE)
    path = "/candidates" if operation == "4.5" else f"/vacancies?companyId={office.company}"
    return office.recruiter.post(path, content=content, headers=TYPE)


@pytest.mark.parametrize(
    ("operation", "body", "most", "taken"),
    [
        ("4.4", vacancy_body(), 1_048_576, 201),
        ("4.5", NAMES, 1_048_576, 201),
        ("4.8", submission(), 65_536, 201),
        ("4.10", NAMES, 65_536, 200),
    ],
)
def test_the_size_limit_is_exact(sqlite_office: Office, operation: str, body: Json, most: int, taken: int):
    assert sent(sqlite_office, operation, padded(body, most)).status_code == taken
    refused = sent(sqlite_office, operation, padded(body, most + 1))
    assert refused.status_code == 413
    assert str(most) in refused.json()["detail"]


def test_the_size_limit_is_exact_for_chunked_bodies(sqlite_office: Office):
    def drip(size: int):
        yield padded(submission(), size)

    path = f"/acme/vacancy-portal/jobs/{sqlite_office.add_vacancy()}"
    answers = [sqlite_office.public.post(path, content=drip(size), headers=TYPE) for size in (65_536, 65_537)]
    assert [answer.status_code for answer in answers] == [201, 413]


ENTRY: dict[str, object] = {
    "emails": {"email": "a@b.example"},
    "phoneNumbers": {"phoneNumber": "+49301234567"},
    "socialMedia": {"url": "https://a.example"},
}
ENTRY_OF_A_RECRUITER = ENTRY | {
    "nationality": "German",
    "status": "any",
    "locations": {},
    "education": {},
    "workExperiences": {},
    "customAttributes": {},
    "languages": {},
}


@pytest.mark.parametrize(
    ("operation", "name", "entry"),
    [("4.10", *each) for each in ENTRY.items()] + [("4.5", *each) for each in ENTRY_OF_A_RECRUITER.items()],
)
def test_the_limit_of_list_entries_is_exact(office: Office, operation: str, name: str, entry: object):
    def of(many: int) -> httpx.Response:
        return sent(office, operation, json.dumps({**NAMES, name: [entry] * many}).encode())

    assert of(bounds.ENTRIES_MAX).is_success
    refused = of(bounds.ENTRIES_MAX + 1)
    assert refused.status_code == 422
    assert [(one["pointer"], "200 items" in one["detail"]) for one in refused.json()["errors"]] == [(f"#/{name}", True)]


@pytest.mark.parametrize("name", ["teamUserIds", "clientTeamUserIds"])
def test_the_limit_of_people_of_a_vacancy_is_exact(office: Office, name: str):
    def pointers(many: int) -> list[str]:
        body = vacancy_body(**{name: [f"u{number}" for number in range(many)]})
        answer = sent(office, "4.4", json.dumps(body).encode())
        assert answer.status_code == 422
        return [one["pointer"] for one in answer.json()["errors"]]

    assert pointers(bounds.ENTRIES_MAX) == [f"#/{name}/0"], "no user with this id exists"
    assert pointers(bounds.ENTRIES_MAX + 1) == [f"#/{name}"]


def test_the_limit_of_values_is_exact(sqlite_office: Office):
    def holding(many: int) -> httpx.Response:
        """4 values besides the entries: two names, the list, and its only entry."""
        body = {**NAMES, "customAttributes": [{"value": [1] * (many - 5)}]}
        return sent(sqlite_office, "4.5", json.dumps(body).encode())

    assert holding(bounds.VALUES_MAX).status_code == 201
    refused = holding(bounds.VALUES_MAX + 1)
    assert refused.status_code == 413
    assert str(bounds.VALUES_MAX) in refused.json()["detail"]


def test_the_limit_of_depth_is_exact(sqlite_office: Office):
    def deep(levels: int) -> httpx.Response:
        inside = "[" * (levels - 3) + "]" * (levels - 3)
        content = f'{{"firstName":"a","lastName":"b","customAttributes":[{{"value":{inside}}}]}}'
        return sent(sqlite_office, "4.5", content.encode())

    assert deep(bounds.DEPTH_MAX).status_code == 201
    assert deep(bounds.DEPTH_MAX + 1).status_code == 413


@pytest.mark.parametrize(("wrong", "named"), [(49, 49), (50, 50), (51, 50), (200, 50)])
def test_the_number_of_reported_errors_is_limited(sqlite_office: Office, wrong: int, named: int):
    answer = sent(sqlite_office, "4.10", json.dumps({**NAMES, "emails": [1] * wrong}).encode())
    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [f"#/emails/{place}" for place in range(named)]


@pytest.mark.parametrize(("length", "pointer"), [(118, "#/" + "x" * 118), (119, "#")])
def test_a_pointer_that_is_too_long_ends_at_the_parent(sqlite_office: Office, length: int, pointer: str):
    answer = sent(sqlite_office, "4.10", json.dumps({**NAMES, "x" * length: 1}).encode())
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


def test_domains_of_the_maximum_length_are_accepted(sqlite_office: Office):
    domain = ".".join(["x" * 63] * 4)
    assert len(domain) == 255
    for address, status in ((f"a@{domain}", 200), (f"a@{domain}x", 422)):
        body = {**NAMES, "emails": [{"email": address}]}
        assert sent(sqlite_office, "4.10", json.dumps(body).encode()).status_code == status
