"""Fields, terms and limits in the code are those of the interface document.

The document's statements are stored here as data (interface_facts.toml), so that every clone checks the code; if the
document is available, the data is checked, too.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.contract.code_facts import (
    Row,
    limits_of_the_code,
    operations_of_the_code,
    parameters_of_the_code,
    shapes_of_the_code,
)
from tests.contract.document_facts import Document, Fact, document_here
from tests.contract.shape_notation import NAMED

STATED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "interface_facts.toml").read_text(encoding="utf-8"))
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


def test_the_facts_are_complete() -> None:
    assert len(STATED["operations"]) == 10
    assert set(STATED["shapes"]) == set(NAMED.values())
    assert set(STATED["resources"]) == set(RESOURCES)
    assert set(STATED["bodies"]) == set(BODIES)


@pytest.mark.parametrize("section", RESOURCES)
def test_resources_match_the_interface(section: str) -> None:
    _same(STATED["resources"][section], CODE[RESOURCES[section]])


@pytest.mark.parametrize("shape", sorted(NAMED.values()))
def test_shared_shapes_match_the_interface(shape: str) -> None:
    _same(STATED["shapes"][shape], CODE[shape])


def test_entries_of_bodies_have_the_members_of_the_shared_shapes() -> None:
    for name, facts in STATED["shapes"].items():
        if (sent := f"{name}Body") in CODE:
            assert sorted(row.member for row in _with_inherited(sent)) == sorted(facts), sent
    assert [row.member for row in CODE["VacancyLocationBody"]] == STATED["location_of_a_new_vacancy"]


@pytest.mark.parametrize("section", BODIES)
def test_bodies_match_the_interface(section: str) -> None:
    stated: dict[str, Fact] = STATED["bodies"][section]
    rows = {row.member: row for row in CODE[BODIES[section]]}
    assert [path for path in stated if "." not in path] == list(rows)
    for name, row in rows.items():
        fact = stated[name]
        assert row.null == ("yes" if fact.get("null") else "no"), row
        assert row.required == ("yes" if fact["required"] else "no"), row
        assert row.length == " to ".join(map(str, fact.get("length", []))), row
        entry = {path.split(".")[1]: inner for path, inner in stated.items() if re.match(rf"{name}(\[\])?\.", path)}
        if entry:
            _same_entry(fact, entry, row)
        else:
            assert row.type == ("VacancyLocationBody" if fact.get("restricted") else _sent(fact["type"])), row
            assert re.findall(r"`(\w+)`", row.values) == fact.get("values", []), row


def test_operations_match_the_interface() -> None:
    stated = {s: (o["method"], o["path"], "yes" if o["key"] else "no") for s, o in STATED["operations"].items()}
    assert stated == {section: facts[:3] for section, facts in operations_of_the_code().items()}


def test_query_parameters_match_the_interface() -> None:
    stated = {
        (section, name): (fact["type"], fact.get("format", ""), "yes" if fact["required"] else "no")
        for section, facts in STATED["parameters"].items()
        for name, fact in facts.items()
    }
    assert stated == parameters_of_the_code()


def test_limits_match_the_interface() -> None:
    stated = [(limit["least"], limit["most"], limit.get("default")) for limit in STATED["limits"]]
    assert sorted(stated, key=str) == sorted(limits_of_the_code().values(), key=str)
    for limit in STATED["limits"]:
        for section in set(limit["sections"]) & set(BODIES):
            lengths = {row.member: row.length for row in CODE[BODIES[section]]}
            found = {lengths[name] for name in limit["members"] if name in lengths}
            assert found == {f"{limit['least']} to {limit['most']}"}, (section, limit)


if document := document_here():

    def test_the_facts_match_the_document() -> None:
        assert Document(document).facts() == STATED


def _same(stated: dict[str, Fact], coded: list[Row]) -> None:
    rows = {row.member: row for row in coded}
    assert sorted(stated) == sorted(rows)
    for path, fact in stated.items():
        row = rows[path]
        if (constant := fact.get("constant")) is not None:
            assert row.type in {"view", "string"}, row
            assert row.values == f"is `{constant}`" if constant else row.values.startswith("ours "), row
            continue
        assert row.type == fact.get("type", _named_only(path)), row
        # §2.7 only names members that §2.6 gives with a sample.
        shown = set(re.findall(r"`([^`]+)`", row.values))
        assert shown == set(fact.get("values", [])) or fact == {}, row


def _same_entry(fact: Fact, entry: dict[str, Fact], row: Row) -> None:
    assert row.type.startswith("array of ") == fact["type"].startswith("array of "), row
    inner = {r.member: r.type for r in CODE[row.type.removeprefix("array of ")]}
    assert list(entry) == list(inner), row
    for member, said in entry.items():
        assert inner[member] == _sent(said.get("type", inner[member])), (row, member)


def _named_only(path: str) -> str:
    """For a name without type, use the type of its typed neighbours with such names."""
    return "date-time" if re.search(r"(At|Date)$", path) else "string"


def _sent(kind: str) -> str:
    return f"{kind}Body" if kind.removeprefix("array of ") in NAMED.values() else kind


def _with_inherited(name: str) -> list[Row]:
    return [*(CODE["VacancyLocationBody"] if name == "LocationBody" else []), *CODE[name]]
