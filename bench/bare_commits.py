"""The yardstick of taking applications: their rows through the driver alone, one durable transaction each."""

import secrets
import sqlite3
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import psycopg
import sqlalchemy as sa

from portal.platform.database.db import Database

_ROWS = {
    "deliveries": "SELECT * FROM deliveries LIMIT 1",
    "application": "SELECT * FROM outbox WHERE kind = 'application' LIMIT 1",
    "letter": "SELECT * FROM outbox WHERE kind = 'letter' LIMIT 1",
    "letters": "SELECT * FROM letters LIMIT 1",
}
_RANDOM = {
    # As random as ours: keys that grow would touch fewer pages of an index.
    "deliveries": ("reference", "form_id", "content", "person"),
    "application": ("subject", "order_key"),
    "letter": ("subject",),
    "letters": ("id", "recipient", "about", "mailbox"),
}


def bare(database: Database, url: str, threads: int) -> Callable[[int], None]:
    """Writes what application `number` leaves behind: four inserts and the claim of its upload.

    The rows are those of one application that accept() took, with keys of their own. Connections are open already.
    """
    statements = _statements(database)
    connections = SimpleQueue[Any]()
    for _ in range(threads):
        connections.put(connect(url))
    mark = "?" if database.is_sqlite else "%s"
    claim = f"UPDATE uploads SET claimed_by = {mark} WHERE handle = {mark}"  # noqa: S608  names of our own

    def write(number: int) -> None:
        connection = connections.get()
        if database.is_sqlite:
            connection.execute("BEGIN IMMEDIATE")
        for statement, row, fresh in statements:
            keys = {name: secrets.token_hex(len(row[name]) // 2) for name in fresh}
            connection.execute(statement, list({**row, **keys}.values()))
        connection.execute(claim, [secrets.token_hex(10), f"{number:032x}"])
        connection.commit()
        connections.put(connection)

    return write


def connect(url: str) -> sqlite3.Connection | psycopg.Connection:
    """A driver's own connection, as durable as the portal's."""
    if not url.startswith("sqlite"):
        return psycopg.connect(url.replace("+psycopg", ""))
    # One thread at a time has it, but not always the same.
    opened = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False)
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "cache_size=-8000",
        "foreign_keys=ON",
        "busy_timeout=30000",
        "secure_delete=ON",
    ):
        opened.execute(f"PRAGMA {pragma}")
    return opened


def _statements(database: Database) -> list[tuple[str, dict[str, Any], tuple[str, ...]]]:
    mark = "?" if database.is_sqlite else "%s"
    made = []
    with database.read() as connection:
        for name, query in _ROWS.items():
            row = dict(connection.execute(sa.text(query)).one()._mapping)
            table = name if name in ("deliveries", "letters") else "outbox"
            if table == "outbox":
                del row["id"]  # the database's to give
            columns, marks = ", ".join(row), ", ".join([mark] * len(row))
            insert = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608  as above
            made.append((insert, row, _RANDOM[name]))
    return made
