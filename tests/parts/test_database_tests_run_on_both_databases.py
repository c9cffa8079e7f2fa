"""Every test of a database runs on both databases in `make test` or `make verify`."""

import pytest

from tests.parts.both_databases import ROOT, SQL_DIFFERS, is_on_postgresql, sql_differs


def test_listed_files_exist():
    assert [str(place) for place in SQL_DIFFERS if not place.exists()] == []


def test_listed_folders_and_files_run_on_both_databases():
    assert sql_differs(ROOT / "jobs" / "search" / "test_any.py")
    assert sql_differs(ROOT / "tracker" / "test_counts_are_correct.py")
    assert not sql_differs(ROOT / "tracker" / "test_any.py")


def test_a_test_knows_its_database(request: pytest.FixtureRequest, database_kind: str):
    assert is_on_postgresql(request.node) is (database_kind == "postgresql")
