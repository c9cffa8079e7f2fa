"""INSERT that settles with what is there, on either database. Statements are built once."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def put(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; those whose primary key is there are replaced."""
    if rows:
        connection.execute(_replacing(connection.dialect.name, table, tuple(rows[0])), _one_or_many(rows))


def put_if_new(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; those whose primary key is there stay as they are."""
    if rows:
        connection.execute(_sparing(connection.dialect.name, table), _one_or_many(rows))


def _one_or_many(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
    return rows[0] if len(rows) == 1 else list(rows)


@cache
def _replacing(dialect: str, table: sa.Table, columns: tuple[str, ...]) -> sa.Insert:
    statement = _insert(dialect, table)
    keys = [column.name for column in table.primary_key]
    news = {name: statement.excluded[name] for name in columns if name not in keys}
    return statement.on_conflict_do_update(index_elements=keys, set_=news)


@cache
def _sparing(dialect: str, table: sa.Table) -> sa.Insert:
    return _insert(dialect, table).on_conflict_do_nothing()


def _insert(dialect: str, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
