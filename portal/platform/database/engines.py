"""SQLAlchemy engines: their pools, and what is set on each connection of SQLite and PostgreSQL; single statements."""

import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import psycopg
import sqlalchemy as sa
from psycopg.pq import TransactionStatus
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.sql.selectable import TypedReturnsRows

from portal.platform.errors import DatabaseUnavailable

_AGAIN = 2.0
"""Seconds after a timeout during which all uses fail immediately; then one thread tries again."""
_THEIR_SHARE = 0.85
"""Share of the timeout after which PostgreSQL itself cancels a statement, if it is working."""


_refusal = threading.local()


def refuse(error: DatabaseUnavailable | None) -> None:
    """Make each use of the database in this thread raise the error, until this is called again with None."""
    _refusal.error = error


class TimeoutGuard:
    """Memory of a wait that timed out, thread-safe. timeout: seconds after which a wait times out."""

    def __init__(self, timeout: float, monotonic: Callable[[], float]) -> None:
        self.timeout = timeout
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._until = 0.0
        self._asked_until = 0.0
        """Time until which one thread tries, while all others fail immediately."""

    def begins(self) -> None:
        """Record that a wait timed out."""
        self._until = self._asked_until = self._monotonic() + _AGAIN

    @property
    def lasts(self) -> bool:
        """Whether a wait timed out a moment ago."""
        return self._monotonic() < self._until

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Guard a use of the database; raise DatabaseUnavailable at once if another wait has just timed out."""
        refused: DatabaseUnavailable | None = getattr(_refusal, "error", None)
        if refused is not None:
            raise refused
        if not self._asked_until:
            yield
            return
        with self._lock:
            now = self._monotonic()
            if now < self._asked_until:
                raise DatabaseUnavailable("the database is unavailable (it did not answer a moment ago)")
            mine = self._asked_until = now + self.timeout + _AGAIN
        try:
            yield
        finally:
            if self._asked_until == mine:  # it responded, with any response
                self._asked_until = 0.0


class Bounded(psycopg.Connection[Any]):
    """Connection on which no wait lasts longer than `guard.timeout`; a wait that times out closes it."""

    guard: TimeoutGuard | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ANN401  psycopg's own signature
        """Wait as psycopg does; raise OperationalError if there was no response in time."""
        guard = self.guard
        if guard is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, guard.timeout if timeout is None else timeout)
        except psycopg.OperationalError as error:
            if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
                raise
            # Its late response could be mistaken for the response to the next statement.
            self.pgconn.finish()
            guard.begins()
            raise psycopg.OperationalError("the server did not answer in time") from error


def bounded(address: dict[str, Any], guard: TimeoutGuard) -> Bounded:
    """Connect to that address (libpq's names) within the timeout; libpq's minimum is two seconds."""
    if guard.lasts:  # after a time-out on an open connection, do not wait for a new one
        raise psycopg.OperationalError("the server did not answer in time")
    try:
        made = Bounded.connect(**{**address, "connect_timeout": max(2, int(guard.timeout))})
    except psycopg.errors.ConnectionTimeout:
        guard.begins()
        raise
    made.guard = guard
    ours = f"{int(guard.timeout * _THEIR_SHARE * 1000)}ms"
    with made.cursor() as cursor:
        for name in ("statement_timeout", "lock_timeout"):
            cursor.execute("SELECT set_config(%s, %s, false)", (name, ours))
    made.commit()
    return made


KEPT, MORE = 8, 16
"""Connections that are kept open, and more that are opened on demand. Two servers and two workers use 96 at most:
Debian's PostgreSQL allows 100, and reserves three of them for its administrator.
"""
SESSIONS = 14
"""How many of these may be held for a lock or to listen while their thread needs another one. All others are returned
without waiting for a second connection, so the pool cannot deadlock.
"""
_POOL_TIMEOUT = 30.0
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
    )  # reuse the most recently used connection, so that few connections fill a cache of their own
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def on_postgresql(url: str, timeout: float | None, guard: TimeoutGuard) -> sa.Engine:
    """Return an engine. timeout: seconds that a statement or a connection may take; None: unlimited."""
    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_size=KEPT,
        max_overflow=MORE,
        pool_timeout=min(timeout or _POOL_TIMEOUT, _POOL_TIMEOUT),
        hide_parameters=True,
    )
    if timeout is not None:
        sa.event.listen(engine, "do_connect", lambda _d, _r, _a, address: bounded(address, guard))
    sa.event.listen(engine, "connect", _prepare_postgresql)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # _begin_sqlite begins transactions, not the driver
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "cache_size=-6000",  # 6 MB a connection: with 4 MB a search in 100,000 postings is a seventh slower
        "foreign_keys=ON",
        "busy_timeout=30000",
        "secure_delete=ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _prepare_postgresql(connection: Any, _entry: ConnectionPoolEntry) -> None:  # noqa: ANN401  psycopg's, behind SQLAlchemy
    # A server that acknowledges commits before its log is on disk would make the portal confirm data that may be lost.
    connection.execute(
        "SELECT set_config(name, 'on', false) FROM pg_settings WHERE name = 'synchronous_commit' AND setting = 'off'"
    )
    # The default assumes spinning disks: with it, a lookup of a thousandth of a table would read the whole table.
    connection.execute(
        "SELECT set_config(name, '1.1', false) FROM pg_settings WHERE name = 'random_page_cost' AND source = 'default'"
    )
    connection.commit()


def _begin_sqlite(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("portal_write", False)
    # Through the driver: SQLAlchemy would take ten times as long as SQLite itself.
    connection.connection.cursor().execute("BEGIN IMMEDIATE" if write else "BEGIN")


T = TypeVar("T")
Row = sa.Row[*tuple[Any, ...]]


class Statements(ABC):
    """Statements that each have a transaction of their own. given: the values of a query's parameters."""

    @abstractmethod
    def read_once(self) -> AbstractContextManager[sa.Connection]:
        """Open a connection for a statement that reads, or for several that need not see the same state."""

    @abstractmethod
    def write(self) -> AbstractContextManager[sa.Connection]:
        """Open a transaction that may write."""

    def rows(self, query: sa.Executable, given: Mapping[str, Any] | None = None) -> Sequence[Row]:
        """Return every row that a query finds."""
        with self.read_once() as connection:
            return connection.execute(query, given).all()

    def row(self, query: sa.Executable) -> Row | None:
        """Return the row that a query finds, which is one at most."""
        with self.read_once() as connection:
            return connection.execute(query).one_or_none()

    def values(self, query: TypedReturnsRows[T]) -> list[T]:
        """Return the first column of every row that a query finds."""
        with self.read_once() as connection:
            return list(connection.scalars(query))

    def value(self, query: TypedReturnsRows[T]) -> T | None:
        """Return the first column of the first row that a query finds; None if it finds none."""
        with self.read_once() as connection:
            return connection.scalar(query)

    def exists(self, query: sa.Executable) -> bool:
        """Return whether a query finds any row."""
        with self.read_once() as connection:
            return connection.execute(query).first() is not None

    def run(self, statement: sa.Executable) -> int:
        """Execute a statement that writes; return how many rows it changed."""
        with self.write() as connection:
            return connection.execute(statement).rowcount
