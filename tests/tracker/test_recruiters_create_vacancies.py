"""§4.4: creating vacancies, as shown by §4.3."""

import pytest

from tests.tracker.office import Office, vacancy_body

BADGE = {"userId": "u1", "name": "Ito", "email": "ito@acme.example", "avatarUrl": None, "deactivatedAt": None}


def test_a_created_vacancy_is_returned_completely(office: Office):
    member = {"id": "p1", "firstName": "Lee"}
    office.load(("user", BADGE), ("vacancy", {"id": "other", "clientTeam": {"clientTeam": [member]}}))
    vacancy = office.add_vacancy(
        startAt="2026-09-01T08:00:00+02:00",
        endAt="2026-12-01T00:00Z",
        teamUserIds=["u1"],
        clientTeamUserIds=["p1"],
        employmentType="partTime",
        locationType="hybrid",
    )
    shown = office.recruiter.get(f"/vacancies/{vacancy}").json()
    assert shown["name"] == {"viewType": "vacancyName", "name": "Welder"}
    assert shown["client"]["client"]["name"] == "Acme Robotics"
    assert shown["salaryRange"]["salaryRange"] == {"currency": "EUR", "min": 30000, "max": 40000.5}
    assert shown["startAt"]["startAt"] == "2026-09-01T08:00:00+02:00"
    assert shown["endAt"]["endAt"] == "2026-12-01T00:00:00.000000Z"
    assert shown["team"]["team"] == [BADGE]
    assert shown["clientTeam"]["clientTeam"][0]["firstName"] == "Lee"
    assert shown["employmentType"]["employmentType"] == "partTime"
    assert shown["locationType"]["locationType"] == "hybrid"
    assert shown["createdAt"]["createdAt"].startswith("2026-06-01T12:00:00.0000")


@pytest.mark.parametrize(
    ("status", "stage"),
    [("open", "Open"), ("filled", "Filled"), ("lost", "Lost"), ("closed", "Closed"), ("hold", "On hold")],
)
def test_a_vacancy_without_a_stage_gets_the_stage_of_its_status(office: Office, status: str, stage: str):
    vacancy = office.add_vacancy(status=status)
    assert office.recruiter.get(f"/vacancies/{vacancy}").json()["stage"]["stage"]["name"] == stage


def test_a_given_stage_is_used(office: Office):
    own = {"id": "sourcing", "order": 9, "name": "Sourcing", "colorHex": "#000000"}
    office.load(("vacancy", {"id": "other", "stage": {"stage": own}}))
    vacancy = office.add_vacancy(stageId="sourcing")
    assert office.recruiter.get(f"/vacancies/{vacancy}").json()["stage"]["stage"] == own


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"teamUserIds": ["nobody"]}, "#/teamUserIds/0"),
        ({"clientTeamUserIds": ["nobody"]}, "#/clientTeamUserIds/0"),
        ({"stageId": "nowhere"}, "#/stageId"),
        ({"status": "paused"}, "#/status"),
        ({"employmentType": "sometimes"}, "#/employmentType"),
        ({"name": None}, "#/name"),
        ({"salaryRange": None}, "#/salaryRange"),
        ({"stageId": None}, "#/stageId"),
        ({"startAt": "2026-09-01"}, "#/startAt"),
        ({"startAt": 1788220800}, "#/startAt"),
        ({"location": {"rawCityCountry": "Leipzig"}}, "#/location/rawCityCountry"),
        ({"location": {"a/b~c": 1}}, "#/location/a~1b~0c"),
        ({"salaryRange": {"min": "30000"}}, "#/salaryRange/min"),
        ({"color": "blue"}, "#/color"),
    ],
)
def test_errors_are_located_in_the_body(office: Office, changes: dict[str, object], pointer: str):
    answer = office.recruiter.post("/vacancies", params={"companyId": office.company}, json=vacancy_body(**changes))
    assert answer.status_code == 422
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


@pytest.mark.parametrize("member", list(vacancy_body()))
def test_every_required_member_is_required(sqlite_office: Office, member: str):
    body = vacancy_body()
    del body[member]
    answer = sqlite_office.recruiter.post("/vacancies", params={"companyId": sqlite_office.company}, json=body)
    assert [error["pointer"] for error in answer.json()["errors"]] == [f"#/{member}"]


def test_the_company_must_exist_and_belong_to_the_tenant(office: Office):
    neighbour = office.neighbour()
    for company in ("nobody", neighbour.company):
        answer = office.recruiter.post("/vacancies", params={"companyId": company}, json=vacancy_body())
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["parameter"] == "companyId"
    assert office.recruiter.post("/vacancies", json=vacancy_body()).status_code == 400
