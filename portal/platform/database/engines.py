"""SQLAlchemy engines: their pools, and what is set on each connection of SQLite and PostgreSQL."""

import sqlite3
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import ConnectionPoolEntry

from portal.platform.database.timeouts import TimeoutGuard, bounded

KEPT, MORE = 8, 16
"""Connections that are kept open, and more that are opened on demand. Two servers and two workers use 96 at most:
Debian's PostgreSQL allows 100, and reserves three of them for its administrator.
"""
SESSIONS = 14
"""How many of these may be held for a lock or to listen while their thread needs another one. All others are returned
without waiting for a second connection, so the pool cannot deadlock.
"""
_PATIENCE_OF_POOL = 30.0
"""Seconds to wait for a connection to be returned to the pool."""


def on_sqlite(url: str) -> sa.Engine:
    """Return an engine. Writers set the execution option `portal_write` and then hold the write lock from the start."""
    engine = sa.create_engine(
        url,
        connect_args={"timeout": 30},
        pool_size=KEPT,
        max_overflow=MORE,
        pool_use_lifo=True,
        hide_parameters=True,
    )  # the last one used comes first, so that few connections fill a cache of their own
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def on_postgresql(url: str, patience: float | None, silence: TimeoutGuard) -> sa.Engine:
    """Return an engine. patience: seconds that a statement or a connection may take; None: unlimited."""
    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_size=KEPT,
        max_overflow=MORE,
        pool_timeout=min(patience or _PATIENCE_OF_POOL, _PATIENCE_OF_POOL),
        hide_parameters=True,
    )
    if patience is not None:
        sa.event.listen(engine, "do_connect", lambda _d, _r, _a, address: bounded(address, silence))
    sa.event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # _begin_sqlite begins transactions, not the driver
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "cache_size=-4000",  # 4 MB a connection: with SQLite's 2 MB a search in 100,000 postings is a fifth slower
        "foreign_keys=ON",
        "busy_timeout=30000",
        "secure_delete=ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _prepare_postgresql(connection: Any, _entry: ConnectionPoolEntry) -> None:  # noqa: ANN401  psycopg's, behind SQLAlchemy
    # A server that acknowledges commits before its log is on disk would make the portal promise what may be lost.
    connection.execute(
        "SELECT set_config(name, 'on', false) FROM pg_settings WHERE name = 'synchronous_commit' AND setting = 'off'"
    )
    # Its default is from the time of spinning disks: with it, a lookup of a thousandth of a table would read the whole
    # table.
    connection.execute(
        "SELECT set_config(name, '1.1', false) FROM pg_settings WHERE name = 'random_page_cost' AND source = 'default'"
    )
    connection.commit()


def _begin_sqlite(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("portal_write", False)
    # Through the driver: SQLAlchemy would take ten times as long as SQLite itself.
    connection.connection.cursor().execute("BEGIN IMMEDIATE" if write else "BEGIN")
