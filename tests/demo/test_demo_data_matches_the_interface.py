"""The demo's records have exactly the shape of the service's responses."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel

from portal.contract.model import Read
from portal.contract.pipeline import PipelineStage
from portal.contract.shapes import Client, UserBadge
from portal.contract.vacancies import VacancyDetail
from portal.demo.vacancies import records

NOW = datetime(2031, 5, 6, 7, 8, tzinfo=UTC)
SHAPES: dict[str, type[Read]] = {
    "company": Client,
    "user": UserBadge,
    "stage": PipelineStage,
    "vacancy": VacancyDetail,
}
SLUGS = ("acme", "globex")


def unknown_members(record: BaseModel) -> list[str]:
    found = list(record.model_extra or {})
    for name in type(record).model_fields:
        value = getattr(record, name)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, BaseModel):
                found += unknown_members(part)
    return found


def wrong_view_types(shape: type[BaseModel], record: dict[str, Any]) -> list[str]:
    wrong = []
    for name, field in shape.model_fields.items():
        inner = next((a for a in getattr(field.annotation, "__args__", ()) if isinstance(a, type)), None)
        if inner is None or not issubclass(inner, BaseModel) or "view_type" not in inner.model_fields:
            continue
        said = record[field.alias or name]["viewType"]
        if said != inner.model_fields["view_type"].default:
            wrong.append(f"{name}: {said}")
    return wrong


@pytest.mark.parametrize("slug", SLUGS)
def test_each_line_is_one_record_of_a_known_kind_without_unknown_members(slug: str) -> None:
    for line in records(slug, NOW):
        told = json.loads(line)
        assert set(told) == {"kind", "record"}
        assert "\n" not in line
        record = SHAPES[told["kind"]].model_validate(told["record"])
        assert unknown_members(record) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_each_wrapper_occurs_with_its_constant(slug: str) -> None:
    told = [json.loads(line) for line in records(slug, NOW)]
    vacancies = [each["record"] for each in told if each["kind"] == "vacancy"]
    members = {field.alias or name for name, field in VacancyDetail.model_fields.items()}
    for vacancy in vacancies:
        assert set(vacancy) == members
        assert wrong_view_types(VacancyDetail, vacancy) == []


def test_ids_are_valid_posting_ids_and_unique() -> None:
    ids = [
        told["record"].get("id") or told["record"]["userId"]
        for slug in SLUGS
        for told in map(json.loads, records(slug, NOW))
    ]
    assert len(ids) == len(set(ids))
    assert [each for each in ids if not re.fullmatch(r"[A-Za-z0-9_-]{12,100}", each)] == []


@pytest.mark.parametrize("slug", SLUGS)
def test_references_of_a_vacancy_precede_it(slug: str) -> None:
    companies: set[str] = set()
    users: set[str] = set()
    for line in records(slug, NOW):
        told = json.loads(line)
        record = told["record"]
        if told["kind"] == "company":
            companies.add(record["id"])
        elif told["kind"] == "user":
            users.add(record["userId"])
        elif told["kind"] == "vacancy":
            assert {user["userId"] for user in record["team"]["team"]} <= users
            client = record["client"]["client"]
            assert client is None or client["id"] in companies
