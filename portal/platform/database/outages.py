"""Tells database outages, which are worth a retry, from faults of the portal, which are not.

SQLite's result code (https://sqlite.org/rescode.html) and PostgreSQL's SQLSTATE (appendix A of its manual) distinguish
them. The Python exception classes do not: sqlite3.OperationalError means both a locked file and a misspelt column.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from portal.platform.clock import Clock
from portal.platform.errors import DatabaseUnavailable, PoolExhausted
from portal.platform.logs.outage_log import Outage

_OF_SQLITE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    }
)
_OF_POSTGRESQL = (
    "08",  # connection failures
    "25006",  # read-only: a standby that is not the primary yet
    "25P03",  # the session was ended for being idle
    "40",  # rolled back in favour of another: deadlock, serialization
    "53",  # out of disk, memory or connections
    "55P03",  # a lock is not available
    "57",  # an operator: cancelled, shutting down, starting
    "58",  # its disk
    "XX001",  # damaged data
    "XX002",  # a damaged index
)
_PRIMARY_CODE = 0xFF


@contextmanager
def raising_unavailable() -> Iterator[None]:
    """Raise DatabaseUnavailable for an outage inside the block; let anything else pass unchanged."""
    try:
        yield
    except (sa.exc.DBAPIError, sa.exc.TimeoutError, sqlite3.Error) as error:
        raise_outage(error)
        raise


LOCK_NOT_GIVEN = frozenset({"55P03", "40P01"})
"""PostgreSQL's codes for a lock that was not available in time, and for one that was given up to end a deadlock."""


def code_of(error: Exception) -> str | None:
    """Return PostgreSQL's SQLSTATE or SQLite's error name of the failure behind an error, if there is one."""
    cause: BaseException | None = error.__cause__ if isinstance(error, DatabaseUnavailable) else error
    cause = cause.orig if isinstance(cause, sa.exc.DBAPIError) else cause
    found = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
    return str(found) if found else None


_NOTHING_WRITTEN = ("25006", "53100", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY")
"""PostgreSQL's codes and SQLite's names for a database that is read-only, or whose disk is full."""


def only_reads(error: DatabaseUnavailable) -> bool:
    """Return whether the database can still be read despite this error."""
    return (code_of(error) or "").startswith(_NOTHING_WRITTEN)


def raise_outage(error: Exception) -> None:
    """Raise DatabaseUnavailable or PoolExhausted if this failure, SQLAlchemy's or a driver's, is an outage."""
    if isinstance(error, sa.exc.TimeoutError):
        raise PoolExhausted(
            "every connection of this process to the database is in use: what holds them, or fewer requests at once"
        ) from error
    found = _outage(error)
    if found:
        # The statement and its values may be personal: the message has only class and code of the failure.
        raise DatabaseUnavailable(
            f"the database is unavailable ({found}): `portal check` says why and what to do"
        ) from error


def _outage(error: Exception) -> str | None:
    """Return the name of the outage, or None if it is not one."""
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    name = type(cause).__name__
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", None)  # sqlite3's own errors have none
        return f"{name}, {cause.sqlite_errorname}" if code is not None and code & _PRIMARY_CODE in _OF_SQLITE else None
    state = getattr(cause, "sqlstate", None)
    if state is not None:
        return f"{name}, {state}" if state.startswith(_OF_POSTGRESQL) else None
    is_operational = any(base.__name__ == "OperationalError" for base in type(cause).__mro__)
    if isinstance(error, sa.exc.DBAPIError):
        # The server sent no error: it could not be reached or disconnected, or else the driver could not send the
        # statement.
        is_gone = error.connection_invalidated or (error.statement is None and is_operational)
        return name if is_gone else None
    return name if is_operational else None


class DatabaseOutage:
    """Outage state, thread-safe. has_room: whether a connection of this process's pool is free."""

    def __init__(self, clock: Clock, *, has_room: Callable[[], bool]) -> None:
        self._clock, self._has_room = clock, has_room
        self.log: Outage | None = None
        """Logs that the database is unavailable; None in a command, which reports it itself."""
        self.pool_log: Outage | None = None
        """Logs that every connection is in use."""
        self._only_reads_since: float | None = None
        self._since: float | None = None
        self._last: tuple[float, float] | None = None  # start and end of the last outage that this process met

    def begins(self, error: DatabaseUnavailable, *, only_reads: bool) -> None:
        """Record that the database could not be used, or with only_reads that it could not be written to."""
        if isinstance(error, PoolExhausted):
            if self.pool_log:
                self.pool_log.begins(error)
            return
        now = self._clock.monotonic()
        self._since = now if self._since is None else self._since
        if only_reads:
            self._only_reads_since = now
        if self.log:
            self.log.begins(error)

    def ends(self, asked_at: float, *, writes: bool) -> None:
        """Record the success of a use that began at that time; only a successful write ends an outage of writing."""
        if self.pool_log and self._has_room():
            self.pool_log.ends(asked_at)
        since = self._only_reads_since
        if since is not None:
            if not writes or asked_at <= since:
                return
            self._only_reads_since = None
        if self._since is not None and asked_at > self._since:
            self._last, self._since = (self._since, self._clock.monotonic()), None
        if self.log:
            self.log.ends(asked_at)

    def lasted(self, *, within: float) -> float:
        """Return the seconds since the last outage began; 0 if it ended more than `within` seconds ago."""
        now = self._clock.monotonic()
        if self._last is None or now - self._last[1] >= within:
            return 0.0
        return now - self._last[0]
