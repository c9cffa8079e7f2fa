"""§4.8: which data an application adds and changes."""

import pytest

from tests.parts import tracker_edits
from tests.told_clock import ToldClock
from tests.tracker.office import Json, Office, submission


def test_an_application_starts_in_the_first_stage(office: Office):
    vacancy = office.add_vacancy()
    assert office.apply(vacancy).status_code == 201
    [summary] = office.applications(vacancy)
    assert summary["stage"]["name"] == "New"
    assert summary["stage"]["status"]["name"] == "For review"
    assert summary["applicationState"] == {"state": "for-review", "viewType": "applicationState"}
    assert summary["candidate"]["emails"] == ["ada@people.example"]
    whole = office.recruiter.get(f"/applications/{summary['id']}").json()
    assert whole["candidateApplicationType"] == "standardApplication"
    assert whole["latestActivity"]["type"] == "applicationCreated"
    assert whole["latestActivity"]["isInbound"] is True
    assert whole["latestActivity"]["date"] == office.candidates()[0]["createdAt"]
    assert whole["vacancy"]["title"] == "Welder"
    assert whole["client"]["client"]["name"] == "Acme Robotics"


def test_submitted_details_become_entries_of_the_profile(office: Office):
    office.apply(office.add_vacancy(), networkUrl="https://social.example/ada")
    [ada] = office.candidates()
    assert ada["name"] | {"viewType": ""} == {
        "viewType": "",
        "avatarUrl": None,
        "firstName": "Ada",
        "lastName": "Okafor",
    }
    assert ada["emails"]["emails"] == [{"purpose": "personal", "email": "ada@people.example", "isPrimary": True}]
    assert ada["phoneNumbers"]["phoneNumbers"] == [
        {"purpose": "personal", "phoneNumber": "+4915112345678", "isPrimary": True}
    ]
    assert ada["socialMedia"]["socialMedia"] == [
        {"url": "https://social.example/ada", "type": "PROFESSIONAL_NETWORK", "isPrimary": True}
    ]
    [home] = ada["locations"]["locations"]
    assert (home["type"], home["city"], home["country"], home["street1"]) == ("primary_home", "Leipzig", "DE", None)
    assert ada["customAttributes"][0]["value"] == ["acme/cv-1"]


def test_a_retry_with_the_same_key_and_body_gets_the_first_response(office: Office):
    vacancy = office.add_vacancy()
    first, second = office.apply(vacancy, "ref-1"), office.apply(vacancy, "ref-1")
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert len(office.applications(vacancy)) == 1


def test_a_retry_gets_the_first_response_even_after_the_posting_closed(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy, "ref-1")
    tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy, status="closed")
    assert office.apply(vacancy, "ref-1").status_code == 201
    assert office.apply(vacancy, "ref-2").status_code == 409


def test_rejections_are_not_stored_under_the_key(office: Office):
    vacancy = office.add_vacancy(status="hold")
    assert office.apply(vacancy, "ref-1").status_code == 409
    tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy, status="open")
    assert office.apply(vacancy, "ref-1").status_code == 201


def test_the_same_key_with_another_body_is_rejected(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy, "ref-1")
    assert office.apply(vacancy, "ref-1", lastName="Other").status_code == 409
    assert office.apply(office.add_vacancy(), "ref-1").status_code == 409


def test_idempotency_keys_expire_after_seven_days(office: Office, clock: ToldClock):
    vacancy = office.add_vacancy()
    office.apply(vacancy, "ref-1")
    clock.pass_time(7 * 86_400 - 10)
    assert office.apply(vacancy, "ref-1", lastName="Other").status_code == 409
    clock.pass_time(20)
    assert office.apply(vacancy, "ref-1", lastName="Other").status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 256, "with space"])
def test_invalid_idempotency_keys_are_rejected(sqlite_office: Office, key: str):
    vacancy = sqlite_office.add_vacancy()
    answer = sqlite_office.public.post(
        f"/acme/vacancy-portal/jobs/{vacancy}", json=submission(), headers={"Idempotency-Key": key}
    )
    assert answer.status_code == 400


def test_applying_again_adds_no_second_application(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy)
    office.apply(vacancy, email="ADA@people.example")
    assert len(office.applications(vacancy)) == 1
    assert len(office.candidates()) == 1


def test_a_rejected_applicant_may_apply_again(office: Office):
    vacancy = office.add_vacancy()
    office.load(
        ("candidate", {"id": "c1", "emails": {"emails": [{"email": "ada@people.example"}]}}),
        (
            "application",
            {"id": "a1", "candidate": {"id": "c1"}, "vacancy": {"id": vacancy}, "rejection": {"id": "r1"}},
        ),
    )
    office.apply(vacancy)
    assert len(office.applications(vacancy)) == 2
    office.apply(vacancy)
    assert len(office.applications(vacancy)) == 2


def test_details_of_a_known_person_are_added_and_replace_nothing(office: Office):
    first, second = office.add_vacancy(), office.add_vacancy()
    office.apply(first)
    office.apply(
        second,
        firstName="Mallory",
        lastName="X",
        phoneNumber="+33100000000",
        networkUrl="https://social.example/new",
        cvAttachmentId="acme/cv-2",
        location={"city": "Lyon"},
    )
    [ada] = office.candidates()
    assert ada["name"]["firstName"] == "Ada"
    assert [(p["phoneNumber"], p["isPrimary"]) for p in ada["phoneNumbers"]["phoneNumbers"]] == [
        ("+4915112345678", True),
        ("+33100000000", False),
    ]
    assert [place["city"] for place in ada["locations"]["locations"]] == ["Leipzig", "Lyon"]
    assert [link["url"] for link in ada["socialMedia"]["socialMedia"]] == ["https://social.example/new"]
    assert ada["customAttributes"][0]["value"] == ["acme/cv-1", "acme/cv-2"]
    assert len(office.applications(first)) == len(office.applications(second)) == 1


def test_equal_details_are_not_added_twice(office: Office):
    for _ in range(2):
        office.apply(office.add_vacancy(), networkUrl="https://social.example/ada")
    [ada] = office.candidates()
    assert len(ada["phoneNumbers"]["phoneNumbers"]) == len(ada["locations"]["locations"]) == 1
    assert len(ada["socialMedia"]["socialMedia"]) == len(ada["customAttributes"][0]["value"]) == 1


def test_the_response_does_not_reveal_whether_the_address_was_known(office: Office):
    vacancy = office.add_vacancy()
    assert office.apply(vacancy).content == office.apply(vacancy).content


@pytest.mark.parametrize("status", ["filled", "lost", "closed", "hold"])
def test_a_closed_posting_accepts_no_applications(office: Office, status: str):
    vacancy = office.add_vacancy(status=status)
    assert office.apply(vacancy).status_code == 409
    assert office.candidates() == []


def test_unknown_tenants_and_postings_are_not_found(office: Office):
    vacancy = office.add_vacancy()
    neighbour = office.neighbour()
    places = (
        f"/nobody/vacancy-portal/jobs/{vacancy}",
        "/acme/vacancy-portal/jobs/none",
        "/acme/vacancy-portal/jobs/%00",
    )
    for path in (*places, f"/{neighbour.slug}/vacancy-portal/jobs/{vacancy}"):
        assert office.public.post(path, json=submission()).status_code == 404, path


def test_an_api_key_in_the_request_is_ignored(office: Office):
    vacancy = office.add_vacancy()
    answer = office.client({"x-api-key": "wrong"}).post(f"/acme/vacancy-portal/jobs/{vacancy}", json=submission())
    assert answer.status_code == 201
    assert answer.headers["RateLimit-Policy"].startswith('"network"')


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"firstName": ""}, "#/firstName"),
        ({"firstName": "x" * 101}, "#/firstName"),
        ({"lastName": "😀" * 101}, "#/lastName"),
        ({"email": "a@"}, "#/email"),
        ({"email": "a b@c.example"}, "#/email"),
        ({"email": f"{'a' * 249}@b.cd"}, "#/email"),
        ({"networkUrl": ""}, "#/networkUrl"),
        ({"networkUrl": "social.example/ada"}, "#/networkUrl"),
        ({"networkUrl": "https://social.example/a b"}, "#/networkUrl"),
        ({"networkUrl": "https://x.example/" + "y" * 2040}, "#/networkUrl"),
        ({"cvAttachmentId": "x" * 101}, "#/cvAttachmentId"),
        ({"cvAttachmentId": None}, "#/cvAttachmentId"),
        ({"phoneNumber": 49151}, "#/phoneNumber"),
        ({"location": None}, "#/location"),
        ({"location": {"planet": "Earth"}}, "#/location/planet"),
        ({"consent": True}, "#/consent"),
    ],
)
def test_errors_are_located_in_the_body(office: Office, changes: Json, pointer: str):
    answer = office.apply(office.add_vacancy(), **changes)
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert "x" * 101 not in answer.text


@pytest.mark.parametrize("member", list(submission()))
def test_every_member_is_required(sqlite_office: Office, member: str):
    body = submission()
    del body[member]
    vacancy = sqlite_office.add_vacancy()
    answer = sqlite_office.public.post(f"/acme/vacancy-portal/jobs/{vacancy}", json=body)
    assert [error["pointer"] for error in answer.json()["errors"]] == [f"#/{member}"]


@pytest.mark.parametrize(
    "changes",
    [
        {"firstName": "😀" * 100},
        {"lastName": "O'Brien-李小龙"},
        {"email": "józef@bücher.example"},
        {"email": '"odd local"@example.org'},
        {"networkUrl": "https://social.example/in/jos%C3%A9?a=b#c"},
        {"location": {}},
    ],
)
def test_realistic_values_are_accepted(office: Office, changes: Json):
    assert office.apply(office.add_vacancy(), **changes).status_code == 201
