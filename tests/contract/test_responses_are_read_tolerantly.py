"""Syncing works with missing, additional or unexpected values in responses."""

import pytest

from portal.contract.applications import Application
from portal.contract.candidates import Candidate, CandidatePage
from portal.contract.model import Read, Write
from portal.contract.vacancies import Vacancy, VacancyPage
from tests.contract.code_facts import every_shape, rows

READ: list[type[Read]] = [model for model in every_shape() if not issubclass(model, Write)]


def _needed(model: type[Read]) -> dict[str, object]:
    samples = {"string": "v1", "boolean": False}
    needed = [row for row in rows(model) if row.required == "yes"]
    return {r.member: [] if r.type.startswith("array") else samples.get(r.type, {"hasNextPage": False}) for r in needed}


@pytest.mark.parametrize("model", [m for m in READ if m.__name__ not in {"VacancyApplications", "VacancyDetail"}])
def test_absent_null_and_unknown_members_are_accepted(model: type[Read]) -> None:
    needed = _needed(model)
    assert model.model_validate(needed)
    members = [info.alias or name for name, info in model.model_fields.items()]
    assert model.model_validate({**dict.fromkeys(members), **needed})
    assert model.model_validate({**needed, "addedLater": {"a": [1, None]}})


def test_unknown_values_of_enums_are_kept() -> None:
    vacancy = Vacancy.model_validate(
        {"id": "v1", "employmentType": {"viewType": "somethingElse", "employmentType": "gig"}}
    )
    assert vacancy.employment_type is not None
    assert (vacancy.employment_type.employment_type, vacancy.employment_type.view_type) == ("gig", "somethingElse")
    candidate = Candidate.model_validate({"id": "c1", "gender": {"gender": "other"}})
    assert candidate.gender is not None
    assert candidate.gender.gender == "other"
    assert Application.model_validate({"id": "a", "candidateApplicationType": "x"}).candidate_application_type == "x"


def test_times_without_an_offset_are_utc_and_invalid_ones_cause_no_error() -> None:
    candidate = Candidate.model_validate_json('{"id": "c1", "createdAt": "2026-01-02T03:04:05"}')
    assert candidate.created_at is not None
    assert candidate.created_at.isoformat() == "2026-01-02T03:04:05+00:00"
    with pytest.raises(ValueError, match="outside the years"):
        Candidate.model_validate_json('{"id": "c1", "createdAt": "0001-01-01T00:00:00+10:00"}')


@pytest.mark.parametrize("missing", ["items", "pageInfo"])
def test_a_page_without_its_two_members_is_rejected(missing: str) -> None:
    page = {"items": [], "pageInfo": {"hasNextPage": False}}
    del page[missing]
    for model in (VacancyPage, CandidatePage):
        with pytest.raises(ValueError, match="Field required"):
            model.model_validate(page)
