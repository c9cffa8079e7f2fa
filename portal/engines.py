"""Engines for SQLAlchemy: what each connection of SQLite and PostgreSQL is told when it is opened."""

import sqlite3
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import ConnectionPoolEntry

from portal.silence import Silence, bounded

OF_SQLITE = {"pool_size": 20, "max_overflow": 40}
OF_POSTGRESQL = {"pool_size": 10, "max_overflow": 70}
"""Connections that are kept, and more that are made while they are needed."""
_PATIENCE_OF_POOL = 30.0
"""Seconds for a connection that somebody else gives back."""


def on_sqlite(url: str) -> sa.Engine:
    """Writers say so (`portal_write` among the execution options), and then have the lock from the beginning."""
    engine = sa.create_engine(
        url,
        connect_args={"timeout": 30},
        **OF_SQLITE,
        pool_use_lifo=True,
        hide_parameters=True,
    )  # the last one used comes first, so that few keep a cache of their own
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def on_postgresql(url: str, patience: float | None, silence: Silence) -> sa.Engine:
    """patience: seconds that a statement or a connection may take; None where nothing is bounded."""
    # A pass over a list holds one while it lasts, for its lock, and needs another to write.
    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        **OF_POSTGRESQL,
        pool_timeout=min(patience or _PATIENCE_OF_POOL, _PATIENCE_OF_POOL),
        hide_parameters=True,
    )
    if patience is not None:
        sa.event.listen(engine, "do_connect", lambda _d, _r, _a, address: bounded(address, silence))
    sa.event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions are begun by _begin_sqlite, not by the driver
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "cache_size=-4000",  # 4 MB a connection: by SQLite's own 2 MB a search in 100,000 postings is a fifth slower
        "foreign_keys=ON",
        "busy_timeout=30000",
        "secure_delete=ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _prepare_postgresql(connection: Any, _entry: ConnectionPoolEntry) -> None:  # noqa: ANN401  psycopg's, behind SQLAlchemy
    # A server that is set to acknowledge before its log is on disk would have us promise what it does not keep.
    connection.execute(
        "SELECT set_config(name, 'on', false) FROM pg_settings WHERE name = 'synchronous_commit' AND setting = 'off'"
    )
    # Its guess is from the time of spinning disks: for it a whole table would be read to look up a thousandth of it.
    connection.execute(
        "SELECT set_config(name, '1.1', false) FROM pg_settings WHERE name = 'random_page_cost' AND source = 'default'"
    )
    connection.commit()


def _begin_sqlite(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("portal_write", False)
    # Through the driver: SQLAlchemy would take ten times what SQLite takes for it.
    connection.connection.cursor().execute("BEGIN IMMEDIATE" if write else "BEGIN")
