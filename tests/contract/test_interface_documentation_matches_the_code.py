"""docs/interface.md is correct and complete."""

from pathlib import Path

import pytest

from portal.contract import bounds
from portal.contract.model import Write
from tests.contract.code_facts import (
    Row,
    additional_limits_of_the_code,
    every_shape,
    limits_of_the_code,
    lists_of_the_code,
    operations_of_the_code,
    parameters_of_the_code,
    shapes_of_the_code,
    tabled,
)
from tests.contract.markdown_tables import Table, tables

DOCS = Path(__file__).parents[2] / "docs" / "interface.md"
TABLES = tables(DOCS.read_text(encoding="utf-8"))
CODE = shapes_of_the_code()
IN_DOCS = [table.heading for table in TABLES if "Member" in table.rows[0]]


def test_every_shape_has_one_table_and_every_table_a_shape() -> None:
    assert sorted(IN_DOCS) == sorted(CODE)


@pytest.mark.parametrize("shape", sorted({*CODE, *IN_DOCS}))
def test_documented_members_match_the_code(shape: str) -> None:
    documented = [_row(cells) for cells in _table(shape).rows]
    assert documented == [_as_documented(row, shape) for row in CODE[shape]]


def test_every_shape_of_the_code_is_documented() -> None:
    reached = {model.__name__ for model in tabled()}
    views = {r.values.split("`")[1] for rows in CODE.values() for r in rows if r.type == "view"}
    untabled = [model for model in every_shape() if model.__name__ not in reached]
    constants = {m.model_fields["view_type"].default for m in untabled if "view_type" in m.model_fields}
    assert constants == views


def test_documented_operations_match_the_code() -> None:
    rows = _table("Operations (§4, §5)").rows
    assert {
        r["§"]: (r["Method"], r["Path"].strip("`"), r["Key"], r["Body"], r["Answer"]) for r in rows
    } == operations_of_the_code()
    assert len(rows) == 10


def test_documented_query_parameters_match_the_code() -> None:
    rows = _table("Query parameters").rows
    documented = {(r["§"], r["Parameter"].strip("`")): (r["Type"], r["Format"], r["Required"]) for r in rows}
    assert documented == parameters_of_the_code()


def test_documented_limits_match_the_code() -> None:
    rows = _table("Limits (§8)").rows
    documented = {
        r["Limit"]: (int(r["Least"]), int(r["Most"]), int(r["Default"]) if r["Default"] else None) for r in rows
    }
    assert documented == limits_of_the_code()


def test_documented_additional_limits_match_the_code() -> None:
    documented = {row["Limit"]: int(row["Most"].replace(",", "")) for row in _table("Limits of our own").rows}
    assert documented == additional_limits_of_the_code()


def test_every_list_has_a_documented_maximum() -> None:
    others = {"VacancyApplications.applications": bounds.APPLICATIONS_MAX}
    others |= {"VacancyPage.items": bounds.PAGE_MAX, "CandidatePage.items": bounds.PAGE_MAX}
    sent = {model.__name__ for model in every_shape() if issubclass(model, Write)}
    found = lists_of_the_code()
    assert len(found) > 40
    assert found == {
        name: others.get(name, bounds.ENTRIES_MAX if name.split(".")[0] in sent else bounds.RECORD_LIST_MAX)
        for name in found
    }


def _table(heading: str) -> Table:
    (table,) = [table for table in TABLES if table.heading == heading]
    return table


def _row(cells: dict[str, str]) -> Row:
    return Row(
        cells["Member"].strip("`"),
        cells["Type"],
        cells["Required"],
        cells.get("Null", ""),
        cells.get("Length", ""),
        cells["Values"],
    )


def _as_documented(row: Row, shape: str) -> Row:
    # Tables of what is read have no column for null: anything that is not required may be null there.
    exact = "Null" in _table(shape).rows[0]
    assert exact or (row.null == "yes") == (row.required == "no")
    return row if exact else row._replace(null="")
