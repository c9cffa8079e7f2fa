"""Records exported from another service's interface can be loaded."""

import json

import pytest

from portal.contract.applications import Application, ApplicationSummary
from portal.contract.candidates import Candidate
from portal.contract.pipeline import PipelineStage
from portal.contract.vacancies import Vacancy, VacancyDetail
from tests.parts import tracker_edits
from tests.tracker import full
from tests.tracker.office import Json, Office


def without(record: Json, *members: str) -> Json:
    return {name: value for name, value in record.items() if name not in members}


def test_a_loaded_vacancy_is_returned_unchanged(office: Office):
    record = full.record(VacancyDetail)
    office.load(("vacancy", record))
    shown = office.recruiter.get(f"/vacancies/{record['id']}").json()
    assert shown == record
    assert full.paths_of(shown) == full.paths(VacancyDetail)
    [listed] = office.walk("/vacancies")
    assert listed == {name: record[name] for name in listed}
    assert full.paths_of(listed) == full.paths(Vacancy)


def test_a_loaded_candidate_is_returned_unchanged(office: Office):
    record = full.record(Candidate)
    office.load(("candidate", record))
    [shown] = office.candidates()
    assert shown == record
    assert full.paths_of(shown) == full.paths(Candidate)


def test_a_loaded_application_is_returned_unchanged(office: Office):
    vacancy, candidate, record = full.record(VacancyDetail), full.record(Candidate), full.record(Application)
    record["vacancy"]["id"], record["candidate"]["id"] = vacancy["id"], candidate["id"]
    record["interviews"][0]["startTime"] = "2026-06-02T09:00:00Z"
    office.load(("application", record), ("vacancy", vacancy), ("candidate", candidate))
    shown = office.recruiter.get(f"/applications/{record['id']}").json()
    assert shown == record
    assert full.paths_of(shown) == full.paths(Application)
    [summary] = office.applications(vacancy["id"])
    assert summary["candidate"]["firstName"] == record["candidate"]["firstName"]
    assert summary["nextInterview"] == record["interviews"][0]
    assert summary["noteCount"] == 1
    assert summary["isPlaced"] is True
    inside_of_nothing = {path for path in full.paths(ApplicationSummary) if "lastWorkExperience." in path}
    assert full.paths_of(summary) == full.paths(ApplicationSummary) - inside_of_nothing


def test_a_loaded_stage_is_returned_unchanged(office: Office):
    record = full.record(PipelineStage)
    office.load(("stage", record))
    shown = office.recruiter.get("/pipeline/applications/stages").json()["stages"]
    assert shown == [record]
    assert office.recruiter.get(f"/pipeline/applications/stages?templateId={record['templateId']}").json()["stages"]
    assert office.recruiter.get("/pipeline/applications/stages?templateId=none").json()["stages"] == []


def test_unknown_members_are_kept(office: Office):
    office.load(("vacancy", {"id": "v1", "mood": "good", "name": {"name": "A", "tone": 1}, "stage": {"stage": None}}))
    shown = office.recruiter.get("/vacancies/v1").json()
    assert shown["mood"] == "good"
    assert shown["name"] == {"viewType": "vacancyName", "name": "A", "tone": 1}


def test_missing_members_are_returned_as_empty(office: Office):
    office.load(("vacancy", {"id": "v1", "location": {"location": {"city": "Oslo"}}, "team": None}))
    shown = office.recruiter.get("/vacancies/v1").json()
    assert full.paths_of(shown) >= {
        path for path in full.paths(VacancyDetail) if "." not in path and "[]" not in path
    } - {"team"}
    assert shown["location"]["location"]["street2"] is None
    assert shown["salaryRange"] == {"viewType": "vacancySalaryRange", "salaryRange": None}
    assert shown["team"] is None
    assert shown["customAttributes"] == []


def test_served_records_can_be_loaded_again(office: Office):
    """Loading all records of one tenant into another gives the same responses."""
    vacancy = office.add_vacancy()
    office.apply(vacancy)
    neighbour = office.neighbour()
    whole = office.recruiter.get(f"/vacancies/{vacancy}").json()
    [application] = office.applications(vacancy)
    detail = office.recruiter.get(f"/applications/{application['id']}").json()
    stages = office.recruiter.get("/pipeline/applications/stages").json()["stages"]
    records = [("vacancy", whole), ("application", detail), *[("stage", stage) for stage in stages]]
    records += [("candidate", candidate) for candidate in office.candidates()]
    neighbour.load(*records)
    assert neighbour.recruiter.get(f"/vacancies/{vacancy}").json() == whole
    assert neighbour.recruiter.get(f"/applications/{application['id']}").json() == detail
    assert neighbour.applications(vacancy) == [application]
    assert neighbour.candidates() == office.candidates()
    assert neighbour.recruiter.get("/pipeline/applications/stages").json()["stages"] == stages


def test_loading_again_replaces_records(office: Office):
    for name in ("One", "Two"):
        office.load(("vacancy", {"id": "v1", "name": {"name": name}}))
    assert [r["name"]["name"] for r in office.walk("/vacancies")] == ["Two"]


def test_people_and_clients_inside_records_are_known(office: Office):
    vacancy, candidate, application = (full.record(shape) for shape in (VacancyDetail, Candidate, Application))
    office.load(("vacancy", vacancy), ("candidate", candidate), ("application", application))
    users = [
        vacancy["team"]["team"][0]["userId"],
        candidate["mainContact"]["user"]["userId"],
        application["owner"]["owner"]["id"],
        application["comments"][0]["createdBy"]["id"],
        application["placements"][0]["placedByUserBadge"]["id"],
    ]
    client = vacancy["client"]["client"]["id"]
    made = Office(office.database, office.clock, office.app, office.slug, office.key, client)
    made.add_vacancy(teamUserIds=users, clientTeamUserIds=[vacancy["clientTeam"]["clientTeam"][0]["id"]])


def test_a_loaded_application_shows_changes_of_its_vacancy(office: Office):
    vacancy, application = full.record(VacancyDetail), full.record(Application)
    application["vacancy"]["id"] = vacancy["id"]
    office.load(("vacancy", vacancy), ("application", application))
    tracker_edits.update_vacancy(office.database, office.clock, office.slug, vacancy["id"], name="Renamed")
    shown = office.recruiter.get(f"/applications/{application['id']}").json()
    assert shown["vacancy"]["title"] == "Renamed"
    assert shown["comments"] == application["comments"]


@pytest.mark.parametrize("stage", ["Filled", "Lost", "Closed", "On hold", "on HOLD"])
def test_a_loaded_vacancy_is_open_unless_its_stage_says_otherwise(office: Office, stage: str):
    office.load(
        ("vacancy", {"id": "v1", "stage": {"stage": {"id": "s1", "name": stage}}}),
        ("vacancy", {"id": "v2", "stage": {"stage": {"id": "s2", "name": "Sourcing"}}}),
    )
    assert office.apply("v1").status_code == 409
    assert office.apply("v2").status_code == 201


def test_timestamps_and_numbers_keep_their_notation(office: Office):
    text = '{"kind":"vacancy","record":{"id":"v1","startAt":{"startAt":"2026-03-01T09:30:00.5+02:00"}}}'
    office.load(("vacancy", json.loads(text)["record"]))
    assert "2026-03-01T09:30:00.5+02:00" in office.recruiter.get("/vacancies/v1").text
