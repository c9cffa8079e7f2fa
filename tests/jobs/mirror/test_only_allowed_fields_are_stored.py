"""Every field of a vacancy that must not be stored has a unique marker; none of them is found in any table."""

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.contract.vacancies import VacancyDetail
from tests.jobs.canaries import CANARY, KEPT, full_of_canaries
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy
from tests.parts.process import read_by_another

INDEX = "vacancy_index"


def everything_in(mirrored: Mirror) -> str:
    found: list[str] = []
    with mirrored.database.read() as connection:
        names = set(sa.inspect(connection).get_table_names())
        if INDEX in names:  # it keeps words without their rows, and they are read as a table of words
            names.remove(INDEX)
            connection.execute(sa.text(f"CREATE VIRTUAL TABLE temp.words_of_index USING fts5vocab(main, {INDEX}, row)"))
            words = connection.execute(sa.text("SELECT term FROM temp.words_of_index")).scalars().all()
            assert words, "the test has lost sight of the index"
            found += words
            connection.execute(sa.text("DROP TABLE temp.words_of_index"))
        for name in names:
            rows = connection.execute(sa.select(sa.text("*")).select_from(sa.table(name))).all()
            found += [repr(tuple(row)) for row in rows]
    return "\n".join(found)


def test_the_markers_fill_every_field_that_is_not_stored():
    record = full_of_canaries()
    assert set(VacancyDetail.model_validate(record).model_dump(by_alias=True, exclude_unset=True)) >= {
        field.alias for field in VacancyDetail.model_fields.values()
    }
    for name, value in record.items():
        assert name in KEPT or CANARY in json.dumps(value) or name == "lastRankedAt"


@pytest.mark.parametrize("rule", [None, "posting"], ids=["by id", "by attribute"])
def test_no_marker_is_in_any_table(mirrored: Mirror, rule: str | None, caplog: pytest.LogCaptureFixture):
    mirrored.publish(posting_attribute=rule, show_client=True, show_salary=True)
    mirrored.service.put(full_of_canaries())
    mirrored.sync()
    stored = everything_in(mirrored)
    assert "Night nurse" in stored
    assert "Initech" in stored
    assert CANARY not in stored
    assert CANARY not in caplog.text
    assert "2026-05-05" not in stored


def test_no_marker_is_in_the_files_of_the_database(mirrored: Mirror, database_kind: str):
    if database_kind != "sqlite":
        pytest.skip("PostgreSQL's tables are searched row by row")
    mirrored.service.put(full_of_canaries())
    mirrored.sync()
    path = Path(str(mirrored.database.engine.url.database))
    written = b"".join(read_by_another(each) for each in path.parent.glob(path.name + "*"))
    assert b"Night nurse" in written
    assert CANARY.encode() not in written


def test_salary_and_client_are_not_stored_where_they_are_not_shown(mirrored: Mirror):
    mirrored.service.put(vacancy(client="Secret Client Ltd", salary={"currency": "EUR", "min": 98_765, "max": 99_876}))
    mirrored.sync()
    stored = everything_in(mirrored)
    assert "Secret Client" not in stored
    assert "98765" not in stored


def test_an_unreadable_vacancy_leaves_no_value_behind(mirrored: Mirror):
    mirrored.service.put(vacancy("good"))
    mirrored.service.put(vacancy("bad") | {"createdAt": {"createdAt": CANARY}})
    mirrored.sync()
    assert CANARY not in everything_in(mirrored)
