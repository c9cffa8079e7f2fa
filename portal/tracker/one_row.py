"""The one query of the busiest operation, compiled once and handed to the driver as it is.

SQLAlchemy's execution costs some ten times what the database takes for one row by its key. This keeps its dialect, its
pool and our error tree, and leaves out the rest; so it is for a single SELECT of texts and whole numbers, no more.
"""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from portal.db import Database
from portal.outages import raise_outage


def one_row(database: Database, statement: sa.Select[Any]) -> Callable[[dict[str, Any]], Any | None]:
    """A function from the statement's parameters to its row (columns by name), or None; DatabaseUnavailable."""
    dialect = database.engine.dialect
    compiled = statement.compile(dialect=dialect)
    text, order = str(compiled), compiled.positiontup
    row = namedtuple("Row", [column.key for column in statement.selected_columns])  # type: ignore[misc]  # noqa: PYI024  columns are the statement's
    driver: Any = dialect.loaded_dbapi

    def ask(asked: dict[str, Any]) -> Any | None:  # noqa: ANN401  a row of the statement's columns
        try:
            connection = database.engine.raw_connection()
            try:
                cursor = connection.cursor()
                cursor.execute(text, asked if order is None else [asked[name] for name in order])
                found = cursor.fetchone()
                cursor.close()
            finally:
                connection.close()
        except (driver.Error, sa.exc.DBAPIError, sa.exc.TimeoutError) as error:
            raise_outage(error)
            raise
        return None if found is None else row(*found)

    return ask
