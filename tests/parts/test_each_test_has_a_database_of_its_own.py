"""The database fixtures: both kinds, empty each time, never another test's rows."""

import pytest
import sqlalchemy as sa


@pytest.mark.parametrize("turn", ["first", "second"])
def test_a_table_made_in_one_test_is_not_there_in_the_next(database_url: str, turn: str) -> None:
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        assert sa.inspect(connection).get_table_names() == []
        connection.execute(sa.text("CREATE TABLE left_behind (id INTEGER)"))
    engine.dispose()
    assert turn in ("first", "second")
