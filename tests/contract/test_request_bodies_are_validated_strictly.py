"""A body that does not match the interface exactly is rejected, in either direction."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from portal.contract.bodies import CandidateUpdate, LocationBody, NewCandidate, NewVacancy, Submission
from portal.contract.model import Write

SUBMISSION: dict[str, Any] = {
    "networkUrl": None,
    "firstName": "José",
    "lastName": "O'Brien",
    "cvAttachmentId": "acme/1",
    "email": "jose@mail.example",
    "phoneNumber": "+34600000000",
    "location": {"type": "primary_home", "latitude": 1, "longitude": 1.5},
}
UPDATE: dict[str, Any] = {"firstName": "José", "lastName": "O'Brien"}
VACANCY: dict[str, Any] = {
    "status": "open",
    "name": "Welder",
    "description": None,
    "salaryRange": {"currency": "EUR", "min": 1, "max": 2.5},
    "location": {"type": "primary_home"},
    "startAt": "2026-03-01T09:30:00Z",
    "endAt": None,
    "teamUserIds": [],
    "clientTeamUserIds": [],
}
CANDIDATE: dict[str, Any] = {"firstName": "José", "lastName": "O'Brien"}
WHOLE: list[tuple[type[Write], dict[str, Any]]] = [
    (Submission, SUBMISSION),
    (CandidateUpdate, UPDATE),
    (NewVacancy, VACANCY),
    (NewCandidate, CANDIDATE),
]


def _taken(model: type[Write], body: dict[str, Any], **changed: Any) -> bool:
    try:
        model.model_validate_json(json.dumps({**body, **changed}))
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(("model", "body"), WHOLE)
def test_a_minimal_body_is_accepted_and_required_members_must_be_present(
    model: type[Write], body: dict[str, Any]
) -> None:
    assert _taken(model, body)
    for member in body:
        assert not _taken(model, {k: v for k, v in body.items() if k != member}), member


@pytest.mark.parametrize(("model", "body"), WHOLE)
def test_unknown_members_and_python_names_are_rejected(model: type[Write], body: dict[str, Any]) -> None:
    assert not _taken(model, body, surprise=1)
    first = next(name for name, info in model.model_fields.items() if info.alias != name)
    alias = model.model_fields[first].alias or ""
    assert not _taken(model, {k: v for k, v in body.items() if k != alias}, **{first: body.get(alias)})
    assert not _taken(model, body, **{first: body.get(alias)})


def test_unknown_members_of_nested_shapes_are_rejected_with_their_location() -> None:
    body = {**UPDATE, "emails": [{"email": "a@b.example", "is_primary": True}]}
    with pytest.raises(ValidationError) as caught:
        CandidateUpdate.model_validate_json(json.dumps(body))
    assert [error["loc"] for error in caught.value.errors()] == [("emails", 0, "is_primary")]
    assert not _taken(Submission, SUBMISSION, location={"planet": "Earth"})
    assert not _taken(NewVacancy, VACANCY, location={"formattedAddress": "only in the whole shape"})


@pytest.mark.parametrize(
    ("member", "least", "most"),
    [
        ("firstName", 1, 100),
        ("lastName", 1, 100),
        ("cvAttachmentId", 1, 100),
        ("email", 3, 254),
        ("networkUrl", 1, 2048),
    ],
)
def test_length_limits_are_exact(member: str, least: int, most: int) -> None:
    for letter in ("x", "é", "😀"):
        assert _taken(Submission, SUBMISSION, **{member: letter * least})
        assert _taken(Submission, SUBMISSION, **{member: letter * most})
        assert not _taken(Submission, SUBMISSION, **{member: letter * (least - 1)})
        assert not _taken(Submission, SUBMISSION, **{member: letter * (most + 1)})


@pytest.mark.parametrize("member", ["firstName", "lastName", "latestCvAttachmentId"])
def test_length_limits_of_an_update_are_exact(member: str) -> None:
    assert _taken(CandidateUpdate, UPDATE, **{member: "x"})
    assert _taken(CandidateUpdate, UPDATE, **{member: "x" * 100})
    assert not _taken(CandidateUpdate, UPDATE, **{member: ""})
    assert not _taken(CandidateUpdate, UPDATE, **{member: "x" * 101})


@pytest.mark.parametrize("value", [1, True, ["x"], {"a": 1}, None, 1.5])
def test_only_strings_are_accepted_as_text(value: object) -> None:
    for member in ("firstName", "cvAttachmentId", "email", "phoneNumber"):
        assert not _taken(Submission, SUBMISSION, **{member: value})


@pytest.mark.parametrize("value", [True, "1", [1]])
def test_only_numbers_are_accepted_as_numbers(value: object) -> None:
    assert not _taken(Submission, SUBMISSION, location={"latitude": value})
    assert not _taken(NewVacancy, VACANCY, salaryRange={"min": value})


@pytest.mark.parametrize("word", ["NaN", "Infinity", "1e999"])
def test_nan_and_infinity_are_rejected(word: str) -> None:
    with pytest.raises(ValidationError):
        LocationBody.model_validate_json(f'{{"latitude": {word}}}')


@pytest.mark.parametrize("value", [0, 1, "true", "yes"])
def test_only_booleans_are_accepted_as_booleans(value: object) -> None:
    assert not _taken(CandidateUpdate, UPDATE, emails=[{"email": "a@b.example", "isPrimary": value}])


@pytest.mark.parametrize(
    "value",
    [0, 1767225600, "1767225600", "2026-01-01", "", "soon", True, "2026-02-30T00:00:00Z", "0001-01-01T00:00+09:00"],
)
def test_only_date_times_are_accepted_as_date_times(value: object) -> None:
    assert not _taken(NewVacancy, VACANCY, startAt=value)


@pytest.mark.parametrize("value", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123456+02:00", "2026-01-01T00:00:00"])
def test_iso_date_times_are_accepted(value: str) -> None:
    assert _taken(NewVacancy, VACANCY, startAt=value)


def test_enums_accept_only_their_values() -> None:
    for value in ("open", "filled", "lost", "closed", "hold"):
        assert _taken(NewVacancy, VACANCY, status=value)
    for member, value in [("status", "OPEN"), ("status", None), ("employmentType", "gig"), ("locationType", 1)]:
        assert not _taken(NewVacancy, VACANCY, **{member: value})
    assert _taken(NewCandidate, CANDIDATE, acquisitionSource="sourcing_tool", gender=None, status=["any word"])
    assert not _taken(NewCandidate, CANDIDATE, acquisitionSource="manual")
    assert not _taken(NewCandidate, CANDIDATE, gender="x")


def test_null_is_accepted_only_where_the_interface_allows_it() -> None:
    assert _taken(NewVacancy, VACANCY, employmentType=None, locationType=None, startAt=None)
    assert not _taken(NewVacancy, VACANCY, stageId=None)
    for member in ("latestCvAttachmentId", "emails", "phoneNumbers", "socialMedia"):
        assert not _taken(CandidateUpdate, UPDATE, **{member: None})
    assert CandidateUpdate(first_name="a", last_name="b", emails=None).emails is None  # Python's None: not given


@pytest.mark.parametrize("text", [b'"\\ud800"', b'"\xff"'])
def test_invalid_unicode_is_rejected(text: bytes) -> None:
    with pytest.raises(ValidationError):
        LocationBody.model_validate_json(b'{"city": %s}' % text)
