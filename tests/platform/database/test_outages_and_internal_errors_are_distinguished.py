"""Outages are retried; wrong SQL is reported as an internal error with its place."""

import logging
import sqlite3
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

import portal.platform.database.migrations
from portal.platform.database.db import Database
from portal.platform.errors import DatabaseUnavailable
from tests.builders import portal as built
from tests.parts.postgres import Postgres
from tests.parts.process import free_port
from tests.schemas import postgres_template

MIGRATIONS = Path(portal.platform.database.migrations.__path__[0])
FILL = "INSERT INTO large VALUES (zeroblob(1000000))"
MISTAKES = ["SELECT 1 FROM no_such_table", "SELECT no_such_column FROM outbox", "SELEKT 1", "SELECT no_such_function()"]


def write(database: Database, *statements: str) -> None:
    """Run all of them in one transaction."""
    with database.write() as connection:
        for statement in statements:
            connection.execute(sa.text(statement))


@pytest.mark.parametrize("statement", MISTAKES)
def test_a_wrong_statement_is_an_internal_error(database: Database, statement: str):
    with pytest.raises(sa.exc.DBAPIError):
        write(database, statement)
    with pytest.raises(sa.exc.DBAPIError), database.read() as connection:
        connection.execute(sa.text(statement))


def test_a_duplicate_row_raises_an_integrity_error_for_the_caller(database: Database):
    write(database, "CREATE TABLE one (id INTEGER PRIMARY KEY)", "INSERT INTO one VALUES (1)")
    with pytest.raises(sa.exc.IntegrityError):
        write(database, "INSERT INTO one VALUES (1)")


def test_messages_of_internal_errors_contain_no_values(database: Database):
    with pytest.raises(sa.exc.DBAPIError) as caught, database.read() as connection:
        connection.execute(sa.text("SELECT :who FROM no_such_table"), {"who": "ada@people.example"})
    assert "ada@people.example" not in str(caught.value)


def test_the_page_reports_an_internal_error_and_the_log_its_place(
    tmp_path: Path, portal_url: str, caplog: pytest.LogCaptureFixture
):
    here = built(tmp_path / "here", database_url=portal_url)
    here.add_tenant("acme", "Acme")
    write(here.parts.database, "ALTER TABLE vacancies RENAME TO elsewhere")
    with caplog.at_level(logging.WARNING):
        answer = here.browser().get("/acme/jobs/ada-at-people")
    assert answer.status_code == 500
    assert "portal/jobs/" in caplog.text
    assert "ada-at-people" not in caplog.text
    here.parts.close()


def impatient(database: Database) -> Database:
    sa.event.listen(database.engine, "connect", lambda raw, _entry: raw.execute("PRAGMA busy_timeout=50"))
    return database


def test_a_locked_file_is_an_outage(tmp_path: Path):
    path = tmp_path / "portal.db"
    database = impatient(Database(f"sqlite:///{path}", migrations=MIGRATIONS))
    database.upgrade()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseUnavailable, match="SQLITE_BUSY"):
        write(database, "SELECT 1")
    other.close()
    database.close()


def test_a_full_disk_is_an_outage(tmp_path: Path):
    database = Database(f"sqlite:///{tmp_path / 'portal.db'}", migrations=MIGRATIONS)
    database.upgrade()
    too_much = ("PRAGMA max_page_count = 1", "CREATE TABLE large (content BLOB)", FILL)
    with pytest.raises(DatabaseUnavailable, match="SQLITE_FULL"):
        write(database, *too_much)
    database.close()


@pytest.mark.parametrize("what", ["a folder", "no database"])
def test_a_file_that_cannot_be_opened_is_an_outage(tmp_path: Path, what: str):
    path = tmp_path / "portal.db"
    if what == "a folder":
        path.mkdir()
    else:
        path.write_bytes(b"this was a database once" * 1_000)
    database = Database(f"sqlite:///{path}", migrations=MIGRATIONS)
    with pytest.raises(DatabaseUnavailable), database.read() as connection:
        connection.execute(sa.text("SELECT 1 FROM sqlite_master"))
    database.close()


def test_an_unreachable_server_is_an_outage():
    database = Database(f"postgresql+psycopg://nobody@127.0.0.1:{free_port()}/none", migrations=MIGRATIONS)
    with pytest.raises(DatabaseUnavailable), database.read():
        pass
    database.close()


@pytest.fixture
def server(postgres: Postgres):
    with postgres.database(template=postgres_template(postgres, MIGRATIONS)) as url:
        database = Database(url, migrations=MIGRATIONS)
        yield database
        database.close()


def test_a_broken_connection_is_an_outage(server: Database):
    with pytest.raises(DatabaseUnavailable):
        write(server, "SELECT pg_terminate_backend(pg_backend_pid())")


def test_a_statement_that_the_driver_cannot_send_is_an_internal_error(server: Database):
    too_many = sa.select(sa.literal(1).in_(list(range(70_000))))
    with pytest.raises(sa.exc.DBAPIError), server.read() as connection:
        connection.execute(too_many)


def test_a_lock_timeout_is_an_outage(server: Database):
    with server.write() as holder:
        holder.execute(sa.text("LOCK TABLE outbox"))
        with pytest.raises(DatabaseUnavailable, match="55P03"):
            write(server, "SET LOCAL lock_timeout = '50ms'", "SELECT 1 FROM outbox")


def test_a_statement_cancelled_by_an_operator_is_an_outage(server: Database):
    with pytest.raises(DatabaseUnavailable, match="57014"):
        write(server, "SET LOCAL statement_timeout = '50ms'", "SELECT pg_sleep(30)")


def test_one_of_two_deadlocked_transactions_is_an_outage(server: Database):
    both = threading.Barrier(2)
    seen: list[type[Exception]] = []

    def lock(*tables: str) -> None:
        try:
            with server.write() as connection:
                connection.execute(sa.text("SET LOCAL deadlock_timeout = '100ms'"))
                connection.execute(sa.text(f"LOCK TABLE {tables[0]}"))
                both.wait()
                connection.execute(sa.text(f"LOCK TABLE {tables[1]}"))
        except (DatabaseUnavailable, sa.exc.DBAPIError) as error:
            seen.append(type(error))

    threads = [threading.Thread(target=lock, args=pair) for pair in (("outbox", "letters"), ("letters", "outbox"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [DatabaseUnavailable]


def test_an_exhausted_connection_pool_is_an_outage(server: Database):
    server.engine.pool._timeout, server.engine.pool._max_overflow = 0.1, 5
    held = [server.engine.connect() for _ in range(server.engine.pool.size() + 5)]
    with pytest.raises(DatabaseUnavailable), server.read():
        pass
    for connection in held:
        connection.close()
