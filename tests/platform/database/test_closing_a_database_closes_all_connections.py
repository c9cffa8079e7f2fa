"""A connection in use while the database is closed is closed when its thread returns it."""

import sqlite3

import psycopg
import pytest
import sqlalchemy as sa

from portal.platform.database.db import Database


def test_a_connection_in_use_is_closed_when_it_is_returned(database: Database):
    used = database.engine.connect()
    used.execute(sa.text("SELECT 1"))
    behind = used.connection.driver_connection
    assert behind is not None
    database.close()
    used.close()
    with pytest.raises((sqlite3.ProgrammingError, psycopg.OperationalError)):
        behind.cursor().execute("SELECT 1")


def test_a_closed_database_can_be_used_again(database: Database):
    database.close()
    with database.read() as connection:
        assert connection.scalar(sa.text("SELECT 1")) == 1
    assert database.connections == 0
