"""INSERT that replaces or skips existing rows, on SQLite and PostgreSQL. Statements are built once."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.platform.database.prepared import PreparedStatement, Step

_INSERT: dict[str, Callable[[sa.Table], postgresql.Insert | sqlite.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


def put(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; replace those whose primary key exists."""
    if rows:
        connection.execute(_replacing(table, tuple(rows[0]))[connection.dialect.name], _one_or_many(rows))


def put_if_new(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; skip those whose primary key exists."""
    if rows:
        connection.execute(_sparing(table)[connection.dialect.name], _one_or_many(rows))


def step(table: sa.Table, row: dict[str, Any]) -> Step:
    """Return `put` of one row as a step, to run together with others."""
    return _straight(table, tuple(row)), row


def new_step(table: sa.Table, row: dict[str, Any]) -> Step:
    """Return `put_if_new` of one row as a step, to run together with others."""
    return _sparing_straight(table), row


def _one_or_many(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | list[dict[str, Any]]:
    return rows[0] if len(rows) == 1 else list(rows)


@cache
def _replacing(table: sa.Table, columns: tuple[str, ...]) -> dict[str, sa.Insert]:
    made: dict[str, sa.Insert] = {}
    keys = [column.name for column in table.primary_key]
    for dialect, insert in _INSERT.items():
        statement = insert(table)
        news = {name: statement.excluded[name] for name in columns if name not in keys}
        made[dialect] = statement.on_conflict_do_update(index_elements=keys, set_=news)
    return made


@cache
def _sparing(table: sa.Table) -> dict[str, sa.Insert]:
    return {dialect: insert(table).on_conflict_do_nothing() for dialect, insert in _INSERT.items()}


@cache
def _straight(table: sa.Table, columns: tuple[str, ...]) -> PreparedStatement:
    return PreparedStatement(_replacing(table, columns))


@cache
def _sparing_straight(table: sa.Table) -> PreparedStatement:
    return PreparedStatement(_sparing(table))
