"""Records are created as the interface defines, and their ids are returned."""

import json

import pytest

from portal.adapters.tracker_client.errors import NotTheService
from portal.contract.bodies import NewCandidate, NewVacancy, SalaryRangeBody, VacancyLocationBody, VacancyStatus
from tests.adapters.tracker_client.calling import KEY, client
from tests.parts.misbehaving import answer, misbehaving

VACANCY = NewVacancy(
    status=VacancyStatus.OPEN,
    name="Welder",
    description=None,
    salary_range=SalaryRangeBody(currency="EUR"),
    location=VacancyLocationBody(type="primary_home"),
    start_at=None,
    end_at=None,
    team_user_ids=[],
    client_team_user_ids=[],
)


def test_required_members_are_sent_as_null_and_optional_ones_left_out() -> None:
    with misbehaving(answer({"id": "v9"}, status=201)) as server, client(server.url) as upstream:
        assert upstream.create_vacancy("company 1", VACANCY) == "v9"
    (seen,) = server.seen
    assert (seen.target, seen.headers["x-api-key"]) == ("/vacancies?companyId=company+1", KEY)
    assert json.loads(seen.body) == {
        "status": "open",
        "name": "Welder",
        "description": None,
        "salaryRange": {"currency": "EUR"},
        "location": {"type": "primary_home"},
        "startAt": None,
        "endAt": None,
        "teamUserIds": [],
        "clientTeamUserIds": [],
    }
    assert NewVacancy.model_validate_json(seen.body) == VACANCY


def test_creating_a_candidate_returns_a_plain_string() -> None:
    with misbehaving(answer("c9"), answer({"id": "c9"})) as server, client(server.url) as upstream:
        assert upstream.create_candidate(NewCandidate(first_name="A", last_name="B")) == "c9"
        with pytest.raises(NotTheService):
            upstream.create_candidate(NewCandidate(first_name="A", last_name="B"))
