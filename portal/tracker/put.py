"""INSERT that settles with what is there, on either database. Statements are built once."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.straight import Step, Straight

_INSERT: dict[str, Callable[[sa.Table], postgresql.Insert | sqlite.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


def put(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; those whose primary key is there are replaced."""
    if rows:
        connection.execute(_replacing(table, tuple(rows[0]))[connection.dialect.name], _one_or_many(rows))


def put_if_new(connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; those whose primary key is there stay as they are."""
    if rows:
        connection.execute(_sparing(table)[connection.dialect.name], _one_or_many(rows))


def step(table: sa.Table, row: dict[str, Any]) -> Step:
    """`put` of one row, to be run together with others."""
    return _straight(table, tuple(row)), row


def new_step(table: sa.Table, row: dict[str, Any]) -> Step:
    """`put_if_new` of one row, to be run together with others."""
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
def _straight(table: sa.Table, columns: tuple[str, ...]) -> Straight:
    return Straight(_replacing(table, columns))


@cache
def _sparing_straight(table: sa.Table) -> Straight:
    return Straight(_sparing(table))
