"""An OpenAPI document and an HTML page are generated from the contract."""

import jsonschema_rs
import pytest

from portal.contract.applications import Application
from portal.contract.candidates import Candidate
from portal.contract.operations import OPERATIONS
from portal.contract.pipeline import PipelineStage
from portal.contract.vacancies import VacancyDetail
from portal.platform.errors import SettingsError
from tests.tracker import full
from tests.tracker.office import Json, Office


@pytest.fixture
def document(sqlite_office: Office) -> Json:
    answer = sqlite_office.public.get("/openapi.json")
    assert answer.headers["Content-Type"] == "application/json"
    found: Json = answer.json()
    return found


def test_every_operation_is_described(document: Json):
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert described == {(operation.method, operation.path) for operation in OPERATIONS}
    assert document["openapi"] == "3.1.0"


def test_operations_that_need_a_key_are_marked(document: Json):
    for operation in OPERATIONS:
        described = document["paths"][operation.path][operation.method.lower()]
        assert bool(described["security"]) is operation.needs_key
        assert ("401" in described["responses"]) is operation.needs_key


def test_responses_match_the_description(office: Office):
    document = office.public.get("/openapi.json").json()
    vacancy, candidate, application = (full.record(shape) for shape in (VacancyDetail, Candidate, Application))
    application["vacancy"]["id"], application["candidate"]["id"] = vacancy["id"], candidate["id"]
    office.load(
        ("vacancy", vacancy),
        ("candidate", candidate),
        ("application", application),
        ("stage", full.record(PipelineStage)),
    )
    asked = {
        "VacancyPage": "/vacancies",
        "CandidatePage": "/candidates",
        "VacancyDetail": f"/vacancies/{vacancy['id']}",
        "VacancyApplications": f"/applications/vacancy/{vacancy['id']}",
        "Application": f"/applications/{application['id']}",
        "PipelineStages": "/pipeline/applications/stages",
    }
    for name, path in asked.items():
        schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
        answer = office.recruiter.get(path)
        assert answer.status_code == 200
        jsonschema_rs.validator_for(schema, validate_formats=True).validate(answer.json())


@pytest.mark.parametrize(
    ("shape", "member", "values"),
    [
        ("VacancyEmploymentType", "employmentType", ["fullTime", "partTime", "temporary", "internship"]),
        ("VacancyLocationType", "locationType", ["remote", "hybrid", "onsite"]),
        ("CandidateGender", "gender", ["male", "female"]),
        ("Application", "candidateApplicationType", ["speculativeApplication", "standardApplication"]),
    ],
)
def test_enumerations_are_described_completely(document: Json, shape: str, member: str, values: list[str]):
    described = document["components"]["schemas"][shape]["properties"][member]
    assert described["anyOf"] == [{"type": "string", "enum": values}, {"type": "null"}]


@pytest.mark.parametrize(
    ("kind", "record", "where"),
    [
        ("vacancy", {"employmentType": {"employmentType": "sometimes"}}, "/employmentType/employmentType"),
        ("vacancy", {"locationType": {"locationType": "moon"}}, "/locationType/locationType"),
        ("candidate", {"gender": {"gender": "unknown"}}, "/gender/gender"),
        ("application", {"candidateApplicationType": "bribe"}, "/candidateApplicationType"),
    ],
)
def test_records_that_contradict_the_description_are_not_loaded(
    sqlite_office: Office, kind: str, record: Json, where: str
):
    with pytest.raises(SettingsError, match=f"line 1: {kind} {where}: expected one of") as caught:
        sqlite_office.load((kind, {"id": "x"} | record))
    assert "sometimes" not in str(caught.value)


def test_sizes_of_lists_and_bodies_are_described(document: Json):
    schemas = document["components"]["schemas"]
    for name, member in (("CandidateUpdate", "emails"), ("NewCandidate", "education"), ("NewVacancy", "teamUserIds")):
        assert schemas[name]["properties"][member]["maxItems"] == 200
    assert schemas["Problem"]["properties"]["errors"]["maxItems"] == 50
    sizes = {"4.4": "1048576 bytes", "4.5": "1048576 bytes", "4.8": "65536 bytes", "4.10": "65536 bytes"}
    for operation in OPERATIONS:
        if operation.section in sizes:
            described = document["paths"][operation.path][operation.method.lower()]["requestBody"]["description"]
            assert sizes[operation.section] in described
            assert "5000 values" in described


def test_the_html_page_is_valid_and_has_no_scripts(sqlite_office: Office, html):
    answer = sqlite_office.public.get("/")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    for operation in OPERATIONS:
        assert f"{operation.method} {operation.path}" in answer.text
    assert "Idempotency-Key" in answer.text
    assert sqlite_office.public.get("/reference.css").headers["Content-Type"].startswith("text/css")
    assert html.validate(answer.text) == []
