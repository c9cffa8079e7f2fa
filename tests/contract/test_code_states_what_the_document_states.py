"""Whoever built the service from its document finds the same fields, words and limits in this code."""

import re

import pytest

from tests.contract.code_facts import (
    Row,
    limits_of_the_code,
    operations_of_the_code,
    parameters_of_the_code,
    shapes_of_the_code,
)
from tests.contract.document_facts import ABSENT, DOCUMENT, Document, Facts
from tests.contract.shape_notation import NAMED, Notation

pytestmark = pytest.mark.skipif(not DOCUMENT.exists(), reason=ABSENT)

CODE = shapes_of_the_code()
RESOURCES = {
    "2.3": "Vacancy",
    "2.4": "VacancyDetail",
    "2.5": "Candidate",
    "2.6": "Application",
    "2.7": "ApplicationSummary",
    "2.8": "PipelineStage",
}
BODIES = {"4.4": "NewVacancy", "4.5": "NewCandidate", "4.8": "Submission", "4.10": "CandidateUpdate"}


@pytest.fixture
def document() -> Document:
    return Document()


@pytest.mark.parametrize("section", RESOURCES)
def test_resources_are_the_documents(document: Document, section: str) -> None:
    _same(document.resource(section), CODE[RESOURCES[section]])


def test_shared_shapes_are_the_documents(document: Document) -> None:
    found = document.shared_shapes()
    assert {NAMED[name.lower()] for name in found} == set(NAMED.values())
    for name, facts in found.items():
        _same(facts, CODE[NAMED[name.lower()]])


def test_entries_of_bodies_have_the_members_of_the_shared_shapes(document: Document) -> None:
    for name, facts in document.shared_shapes().items():
        sent = f"{NAMED[name.lower()]}Body"
        if sent not in CODE:
            continue
        members = [row.member for row in _with_inherited(sent)]
        assert sorted(members) == sorted(facts), sent
    assert [row.member for row in CODE["VacancyLocationBody"]] == document.restricted_location()


@pytest.mark.parametrize("section", BODIES)
def test_bodies_are_the_documents(document: Document, section: str) -> None:
    rows = {row.member: row for row in CODE[BODIES[section]]}
    stated = document.body(section)
    assert [cells["Field"].split()[-1].strip("`") for cells in stated] == list(rows)
    for cells in stated:
        row = rows[cells["Field"].split()[-1].strip("`")]
        kind, nullable = re.subn(r",? or null$", "", cells["Type"])
        assert row.null == ("yes" if nullable else "no"), row
        assert row.required == cells.get("Required", "yes"), row
        assert row.length == cells.get("Length", "").replace("no bound", ""), row
        _same_type(kind, row)


def test_operations_are_the_documents(document: Document) -> None:
    code = {section: facts[:3] for section, facts in operations_of_the_code().items()}
    assert document.operations() == code


def test_query_parameters_are_the_documents(document: Document) -> None:
    assert document.parameters() == parameters_of_the_code()


def test_limits_are_the_documents(document: Document) -> None:
    code = [[n for n in numbers if n is not None] for numbers in limits_of_the_code().values()]
    stated = document.limits()
    assert sorted(numbers for _, _, numbers in stated) == sorted(code)
    for names, sections, numbers in stated:
        for section in sections & set(BODIES):
            lengths = {row.member: row.length for row in CODE[BODIES[section]]}
            assert {lengths[name] for name in names if name in lengths} == {f"{numbers[0]} to {numbers[1]}"}


def _same(stated: Facts, coded: list[Row]) -> None:
    rows = {row.member: row for row in coded}
    assert sorted(stated) == sorted(rows)
    for path, (kind, values, constant) in stated.items():
        row = rows[path]
        shown = frozenset(re.findall(r"`([^`]+)`", row.values))
        if constant is not None:
            assert row.type in {"view", "string"}, row
            assert row.values == f"is `{constant}`" if constant else row.values.startswith("ours "), row
            continue
        assert row.type == (kind or _named_only(path)), row
        # §2.7 names alone what §2.6 gives with a sample.
        assert values == shown or (kind is None and not values), row


def _named_only(path: str) -> str:
    """Where the document gives a name alone: what its typed neighbours of such names are."""
    return "date-time" if re.search(r"(At|Date)$", path) else "string"


def _same_type(kind: str, row: Row) -> None:
    if "{" in kind:
        nested = Notation(kind.removeprefix("object ")).shape()
        name = row.type.removeprefix("array of ")
        assert nested.array == row.type.startswith("array of "), row
        inner = {r.member: r.type for r in CODE[name]}
        assert list(nested.members) == list(inner), row
        for member, shape in nested.members.items():
            assert inner[member] == _sent(shape.type or inner[member]), (row, member)
        return
    if kind.startswith(("enum", "`")):
        assert row.type == "string", row
        assert re.findall(r"`(\w+)`", kind.split(" (", maxsplit=1)[0]) == re.findall(r"`(\w+)`", row.values), row
        return
    if "format" in kind:
        assert row.type == {"URI": "uri", "e-mail": "email"}[kind.split()[1]], row
        return
    shape = Notation(kind.split(" (restricted", maxsplit=1)[0]).shape()
    wanted = "VacancyLocationBody" if "restricted" in kind else _sent(shape.type or "")
    assert row.type == ("array of " if shape.array else "") + wanted, row
    assert set(shape.values) == set(re.findall(r"`(\w+)`", row.values)), row


def _sent(kind: str) -> str:
    return f"{kind}Body" if kind in NAMED.values() else kind


def _with_inherited(name: str) -> list[Row]:
    return [*(CODE["VacancyLocationBody"] if name == "LocationBody" else []), *CODE[name]]
