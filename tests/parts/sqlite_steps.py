"""How much SQLite does for something, in steps of its virtual machine: the same on a slow or busy machine."""

import sqlite3
from collections.abc import Callable

from portal.platform.database.db import Database


def steps(database: Database, job: Callable[[], object]) -> int:
    """Return how many steps the job takes on this SQLite database, which nobody else uses meanwhile."""
    counted: list[None] = []
    with database.engine.connect() as connection:  # the one that the job gets too
        raw = connection.connection.dbapi_connection
        assert isinstance(raw, sqlite3.Connection)
        raw.set_progress_handler(lambda: counted.append(None), 1)
    job()
    raw.set_progress_handler(None, 0)
    assert len(counted) > 50, "the job used another connection"
    return len(counted)
