"""A process that uses a SQLite file keeps its locks, so another that starts and exits leaves the log in place.

Closing any descriptor of the file would drop them (sqlite.org/howtocorrupt.html, section 2.2).
"""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.gateway import connections
from portal.platform.database.db import Database
from tests.schemas import PORTAL, TRACKER, sqlite_copy

_ANOTHER_PROCESS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
connection.close()
"""


@pytest.fixture(params=[PORTAL, TRACKER], ids=["portal", "service"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    opened = Database(sqlite_copy(tmp_path / "used.db", request.param), migrations=request.param)
    yield opened
    opened.close()


def test_a_second_connection_drops_no_lock_of_the_first(database: Database):
    _write(database)
    with database.read() as first, database.read() as second:
        for connection in (first, second):
            connection.execute(sa.text("SELECT count(*) FROM sqlite_master")).all()
    _log_outlives_another_process(database)


def test_listing_the_sockets_of_the_process_drops_no_lock(database: Database):
    _write(database)
    with socket.create_server(("127.0.0.1", 0)):
        connections.scan(per_network=None, unread=30)
    _log_outlives_another_process(database)


def _write(database: Database) -> None:
    with database.write() as connection:
        connection.execute(sa.text("CREATE TABLE IF NOT EXISTS kept (value INTEGER)"))


def _log_outlives_another_process(database: Database) -> None:
    assert database.file
    log = database.file.with_name(f"{database.file.name}-wal")
    before = log.stat().st_ino
    subprocess.run([sys.executable, "-c", _ANOTHER_PROCESS, str(database.file)], check=True, timeout=60)
    assert log.exists(), "the other process saw no locks and deleted the log"
    assert log.stat().st_ino == before
