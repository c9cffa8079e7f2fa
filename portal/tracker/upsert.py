"""INSERT that replaces or skips existing rows, on SQLite and PostgreSQL."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.platform.database.db import insert
from portal.platform.database.prepared import PreparedStatement, Step


def put(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; replace those whose primary key exists."""
    if rows:
        connection.execute(_replacing(insert(connection, table), rows[0]), _one_or_many(rows))


def put_if_new(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; skip those whose primary key exists."""
    if rows:
        connection.execute(insert(connection, table).on_conflict_do_nothing(), _one_or_many(rows))


def step(table: sa.Table, row: dict[str, Any]) -> Step:
    """Return `put` of one row as a step, to run together with others."""
    return _prepared(table, tuple(row)), row


def _one_or_many(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
    return rows[0] if len(rows) == 1 else list(rows)


@cache
def _prepared(table: sa.Table, columns: tuple[str, ...]) -> PreparedStatement:
    inserts: dict[str, postgresql.Insert | sqlite.Insert]
    inserts = {"sqlite": sqlite.insert(table), "postgresql": postgresql.insert(table)}
    return PreparedStatement({name: _replacing(statement, columns) for name, statement in inserts.items()})


def _replacing(statement: postgresql.Insert | sqlite.Insert, columns: Iterable[str]) -> sa.Insert:
    keys = [column.name for column in statement.table.primary_key]
    news = {name: statement.excluded[name] for name in columns if name not in keys}
    return statement.on_conflict_do_update(index_elements=keys, set_=news)
