"""§4.5: creating candidates, as shown by §4.2."""

import pytest

from tests.tracker.office import Json, Office

WHOLE: Json = {
    "firstName": "Mei",
    "lastName": "Tan",
    "gender": "female",
    "nationality": ["Singaporean"],
    "status": ["actively_looking", "a word of ours"],
    "acquisitionSource": "sourcing_tool",
    "avatarUrl": "https://people.example/mei.png",
    "emails": [{"purpose": "personal", "email": "Mei@People.example", "isPrimary": True}],
    "phoneNumbers": [{"purpose": "work", "phoneNumber": "+6580000000", "isPrimary": True}],
    "locations": [{"type": "primary_home", "city": "Singapore", "latitude": 1, "longitude": 103.8}],
    "dateOfBirth": "1990-05-05T00:00:00Z",
    "socialMedia": [{"url": "https://social.example/mei", "type": "PROFESSIONAL_NETWORK", "isPrimary": True}],
    "education": [{"degree": "BACHELOR", "fieldOfStudy": "Welding", "startDate": "2008-01-01T00:00:00Z"}],
    "workExperiences": [
        {"jobTitle": "Welder", "startDate": "2012-01-01T00:00:00Z", "endDate": "2014-01-01T00:00:00Z"},
        {"jobTitle": "Foreman", "startDate": "2014-01-01T00:00:00Z", "endDate": None},
    ],
    "customAttributes": [{"value": [1, {"a": None}], "attributeDefinitionId": "x", "label": "X", "filledByAI": True}],
    "mainContact": {"userId": "u1"},
    "languages": [{"id": "l1", "language": "Malay", "fluency": "Native"}],
    "compensation": {"id": "k1", "currency": "SGD", "totalCompensation": 90000, "baseCompensation": 80000.5},
}


def enter(office: Office, **changes: object) -> str:
    answer = office.recruiter.post("/candidates", json=WHOLE | changes)
    assert answer.status_code == 201, answer.text
    assert isinstance(answer.json(), str)
    return str(answer.json())


def test_a_created_candidate_is_returned_completely(office: Office):
    office.load(("user", {"userId": "u1", "name": "Ito"}))
    known_as = enter(office)
    [shown] = office.candidates()
    assert shown["id"] == known_as
    assert shown["name"]["firstName"] == "Mei"
    assert shown["gender"]["gender"] == "female"
    assert shown["status"]["status"] == WHOLE["status"]
    assert shown["emails"]["emails"] == WHOLE["emails"]
    assert shown["locations"]["locations"][0]["latitude"] == 1
    assert shown["dateOfBirth"]["dateOfBirth"] == WHOLE["dateOfBirth"]
    assert shown["mainContact"]["user"]["name"] == "Ito"
    assert shown["languages"]["languages"] == WHOLE["languages"]
    assert shown["compensation"]["compensation"] == WHOLE["compensation"]
    assert shown["customAttributes"][0]["value"] == [1, {"a": None}]
    assert shown["acquisitionSource"]["acquisitionSource"] == "sourcing_tool"
    assert shown["createdAt"] == shown["modifiedAt"] == shown["lastActivityDate"]


def test_the_latest_job_is_included_in_an_application(office: Office):
    office.load(("user", {"userId": "u1"}))
    enter(office)
    vacancy = office.add_vacancy()
    office.apply(vacancy, email="mei@people.EXAMPLE")
    [application] = office.applications(vacancy)
    assert application["candidate"]["lastWorkExperience"]["jobTitle"] == "Foreman"
    assert application["candidate"]["firstName"] == "Mei"


def test_the_company_of_the_latest_job_is_named(office: Office):
    office.load(("user", {"userId": "u1"}), ("company", {"id": "c1", "name": "Hull & Sons", "size": "11-50"}))
    jobs = [WHOLE["workExperiences"][0], WHOLE["workExperiences"][1] | {"companyId": "c1"}]
    enter(office, workExperiences=jobs)
    vacancy = office.add_vacancy()
    office.apply(vacancy, email="mei@people.example")
    [application] = office.applications(vacancy)
    latest = application["candidate"]["lastWorkExperience"]
    assert (latest["companyId"], latest["companyName"], latest["companySize"]) == ("c1", "Hull & Sons", "11-50")


def test_a_company_has_its_current_name(office: Office):
    office.load(("user", {"userId": "u1"}), ("company", {"id": "c1", "name": "Hull & Sons"}))
    enter(office, workExperiences=[{"jobTitle": "Foreman", "companyId": "c1"}])
    vacancy = office.add_vacancy()
    office.apply(vacancy, email="mei@people.example")
    office.load(("company", {"id": "c1", "name": "Hull & Daughters"}))
    [application] = office.applications(vacancy)
    assert application["candidate"]["lastWorkExperience"]["companyName"] == "Hull & Daughters"


def test_a_company_of_another_tenant_is_not_named(office: Office):
    office.neighbour().load(("company", {"id": "c1", "name": "Not theirs to see"}))
    office.load(("user", {"userId": "u1"}), ("company", {"id": "c1", "name": "Hull & Sons"}))
    enter(office, workExperiences=[{"jobTitle": "Foreman", "companyId": "c1"}])
    vacancy = office.add_vacancy()
    office.apply(vacancy, email="mei@people.example")
    [application] = office.applications(vacancy)
    assert application["candidate"]["lastWorkExperience"]["companyName"] == "Hull & Sons"


def test_a_name_is_sufficient(office: Office):
    answer = office.recruiter.post("/candidates", json={"firstName": "李", "lastName": "小龙"})
    assert answer.status_code == 201
    [shown] = office.candidates()
    assert shown["gender"] == {"viewType": "candidateGender", "gender": None}
    assert shown["emails"] == {"viewType": "candidateEmails", "emails": []}
    assert shown["acquisitionSource"]["acquisitionSource"] == "manual"


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"mainContact": {"userId": "nobody"}}, "#/mainContact/userId"),
        ({"education": [{"companyId": "nobody"}]}, "#/education/0/companyId"),
        ({"workExperiences": [{}, {"companyId": "nobody"}]}, "#/workExperiences/1/companyId"),
        ({"acquisitionSource": "manual"}, "#/acquisitionSource"),
        ({"acquisitionSource": None}, "#/acquisitionSource"),
        ({"gender": "unknown"}, "#/gender"),
        ({"emails": [{"email": "no address"}]}, "#/emails/0/email"),
        ({"emails": [{"purpose": "personal"}]}, "#/emails/0/email"),
        ({"emails": None}, "#/emails"),
        ({"dateOfBirth": "1990-05-05"}, "#/dateOfBirth"),
        ({"first_name": "Mei"}, "#/first_name"),
        ({"lastName": None}, "#/lastName"),
    ],
)
def test_errors_are_located_in_the_body(office: Office, changes: Json, pointer: str):
    body = {"firstName": "Mei", "lastName": "Tan"} | changes
    answer = office.recruiter.post("/candidates", json=body)
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert office.candidates() == []
