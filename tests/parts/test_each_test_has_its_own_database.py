"""The database fixtures provide both kinds, empty each time, without rows of other tests."""

import psycopg
import pytest
import sqlalchemy as sa

from tests.parts.postgres import Postgres


@pytest.mark.parametrize("turn", ["first", "second"])
def test_tables_of_one_test_do_not_exist_in_the_next(database_url: str, turn: str) -> None:
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        assert sa.inspect(connection).get_table_names() == []
        connection.execute(sa.text("CREATE TABLE left_behind (id INTEGER)"))
    engine.dispose()
    assert turn in ("first", "second")


@pytest.fixture(scope="module")
def template(postgres: Postgres) -> str:
    name = postgres.create()
    with psycopg.connect(_plain(postgres.url(name)), autocommit=True) as connection:
        connection.execute("CREATE TABLE people (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text)")
        connection.execute("CREATE TABLE jobs (id integer, filled_by integer REFERENCES people)")
        connection.execute("CREATE TABLE version (number integer)")
        connection.execute("INSERT INTO version VALUES (7)")
    return name


@pytest.mark.parametrize(
    "left",
    [
        "INSERT INTO people (name) VALUES ('Grace')",
        "WITH one AS (INSERT INTO people (name) VALUES ('Grace') RETURNING id) INSERT INTO jobs SELECT 1, id FROM one",
        "UPDATE version SET number = 8",
        "INSERT INTO version VALUES (7)",
        "DROP TABLE version",
        "CREATE TABLE left_behind (id integer)",
        "CREATE INDEX left_behind ON people (name)",
        "CREATE SCHEMA left_behind",
        "CREATE FUNCTION left_behind() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "ALTER TABLE people ADD COLUMN left_behind text",
        "ALTER TABLE people ALTER COLUMN name SET NOT NULL",
        "ALTER TABLE people ALTER COLUMN name SET DEFAULT 'Grace'",
        "ALTER TABLE jobs ADD CHECK (id > 0)",
        "ALTER TABLE people DISABLE TRIGGER ALL",
        "INSERT INTO people (name) SELECT 'Grace' FROM generate_series(1, 99); ANALYZE people",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 128', current_database()); END $$",
    ],
)
def test_changes_in_a_copy_do_not_appear_in_the_next(postgres: Postgres, template: str, left: str):
    def state(url: str) -> list[object]:
        asked = [
            "SELECT name FROM people",
            "SELECT * FROM jobs",
            "SELECT * FROM version",
            "SHOW work_mem",
            "INSERT INTO people (name) VALUES (NULL) RETURNING *",
            "SELECT relname, relkind, relnatts FROM pg_class WHERE oid >= 16384 AND relkind <> 't' ORDER BY 1",
            "SELECT conname FROM pg_constraint ORDER BY 1",
            "SELECT tgname, tgenabled FROM pg_trigger ORDER BY 1",
            "SELECT proname FROM pg_proc WHERE oid >= 16384",
            "SELECT nspname FROM pg_namespace WHERE nspname = 'left_behind'",
            "SELECT attname FROM pg_stats WHERE tablename = 'people'",
        ]
        with psycopg.connect(_plain(url), autocommit=True) as connection:
            return [connection.execute(one.encode()).fetchall() for one in asked]

    with postgres.copy(template) as url:
        before = state(url)
    with postgres.copy(template) as url, psycopg.connect(_plain(url), autocommit=True) as connection:
        connection.execute(left.encode())
    with postgres.copy(template) as url:
        assert state(url) == before


def test_open_connections_are_closed_before_the_next_test(postgres: Postgres, template: str):
    with postgres.copy(template) as url:
        stays = psycopg.connect(_plain(url), autocommit=True)
        stays.execute("INSERT INTO people (name) VALUES ('Grace')")
    with postgres.copy(template) as later:
        assert later != url
        with pytest.raises(psycopg.OperationalError):
            stays.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(_plain(url))
    stays.close()


def test_a_copy_with_only_changed_rows_is_used_again(postgres: Postgres, template: str):
    def number(url: str) -> object:
        with psycopg.connect(_plain(url), autocommit=True) as connection:
            connection.execute("INSERT INTO people (name) VALUES ('Grace')")
            return connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()

    with postgres.copy(template) as url:
        first = number(url)
    with postgres.copy(template) as url:
        assert number(url) == first


def _plain(url: str) -> str:
    return url.replace("+psycopg", "")
