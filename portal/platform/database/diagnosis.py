"""Explains to an operator why a database or a Redis cannot be used, and what to do about it.

PostgreSQL gives no code for a connection that it rejects, only a message in its server's language. For an unknown
message the explanation says where to look, after a test whether anything listens there.
"""

import os
import re
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

from portal.platform.config import private_files

DAMAGED = "the file is damaged: stop everything that uses it and restore a backup"
_OF_SQLITE = {
    sqlite3.SQLITE_NOTADB: "the file is not an SQLite database: check {setting}, or restore a backup",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_FULL: "its disk is full: free up disk space; nothing is lost",
    sqlite3.SQLITE_READONLY: "the file is not writable: make the portal's user the owner of it and its folder",
    sqlite3.SQLITE_PERM: "no permission to open the file: make the portal's user the owner of it and its folder",
    sqlite3.SQLITE_CANTOPEN: (
        "the file cannot be opened: it must be a file in an existing folder that the portal's user owns"
    ),
    sqlite3.SQLITE_IOERR: "its disk cannot be read or written: see the system log",
    sqlite3.SQLITE_BUSY: "something else has kept it locked for half a minute: stop it, for example an open sqlite3",
}
_REFUSED = (
    (
        "no password supplied",
        (
            "no password is in {setting}, nor for this host, database and role in the file PGPASSFILE, which only "
            "counts with mode 0600 and if settings.env names it"
        ),
    ),
    # With password authentication, PostgreSQL reports a role that does not exist like a wrong password.
    (
        "password authentication failed",
        "the password {password} is wrong, or there is no role {role}; {setting} names it",
    ),
    (
        'role "[^"]*" does not exist',
        "there is no role {role}: create it with `createuser --pwprompt {role}`, or correct {setting}",
    ),
    (
        'database "[^"]*" does not exist',
        "there is no database {name}: create it with `createdb --owner {role} {name}`, or correct {setting}",
    ),
    (
        "permission denied for database|User does not have CONNECT",
        (
            "the role {role} has no permission to connect to the database {name}: run "
            "`GRANT CONNECT ON DATABASE {name} TO {role}`"
        ),
    ),
    (
        "no pg_hba.conf entry",
        "the server does not let {role} connect to {name} from this machine: add it to its pg_hba.conf",
    ),
    (
        "peer authentication failed",
        "the server expects a system user called {role}: set host and password in {setting}",
    ),
    ("too many clients|remaining connection slots", "the server has no free connections: raise max_connections"),
    ("is starting up|shutting down|in recovery mode", "the server is starting or stopping: wait and try again"),
    ("certificate|SSL|server does not support", "the server and {setting} use different TLS settings: check sslmode"),
)
_STATES = {
    "25006": "the server is read-only, as a standby is: set {setting} to the primary",
    "42501": "the role {role} has no permissions there: make it the owner of the database {name} and its tables",
    "53100": "the server's disk is full: free up disk space",
    "53300": "the server has no free connections: raise max_connections",
}


def why(error: BaseException, url: str, *, setting: str = "PORTAL_DATABASE_URL") -> str:
    """Return what is wrong with the database at this address, and what to do. Includes no password and no statement.

    setting: the variable that names the address.
    """
    address = sa.make_url(url)
    cause = next((one for one in _causes(error) if not isinstance(one, sa.exc.SQLAlchemyError)), error)
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        if other := _not_ours(Path(address.database or "")):
            return private_files.whose(other)
        why_not = _OF_SQLITE.get(code, f"SQLite cannot use it ({type(cause).__name__})")
        return f"{address.database}: {why_not.format(setting=setting)}"
    where = f"{address.host or 'localhost'}:{address.port or 5432}"
    password = f"in {setting}" if address.password else "in PGPASSFILE or PGPASSWORD"
    named = {"setting": setting, "role": address.username or "", "name": address.database or "", "password": password}
    found = _STATES.get(getattr(cause, "sqlstate", None) or "")
    found = found or next((says for pattern, says in _REFUSED if re.search(pattern, str(cause), re.IGNORECASE)), None)
    if found:
        return f"PostgreSQL at {where}: {found.format(**named)}"
    return f"PostgreSQL at {where}: {_connect_error(address, setting)}"


def _not_ours(database: Path) -> Path | None:
    """Return the first existing file of an SQLite database that this process cannot read and write."""
    files = (database.with_name(database.name + end) for end in ("", "-wal", "-shm")) if database.name else ()
    mode = os.R_OK | os.W_OK
    return next((f for f in files if os.access(f, os.F_OK) and not os.access(f, mode, effective_ids=True)), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, what SQLAlchemy wrapped, and what it was raised from."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, sa.exc.DBAPIError) and seen.orig is not None:
            yield seen.orig
        if isinstance(seen, sqlite3.Error) or type(seen).__module__.startswith("psycopg"):
            yield seen
        seen = seen.__cause__


def _connect_error(address: sa.URL, setting: str) -> str:
    """Return why a connection failed without a known message of PostgreSQL, by trying to connect."""
    if address.host is None or address.host.startswith("/"):
        return "it does not respond on its socket: check that it is running"
    try:
        socket.create_connection((address.host, address.port or 5432), timeout=3).close()
    except socket.gaierror:
        return f"the name {address.host} does not resolve: correct it in {setting}, or fix the name server"
    except ConnectionRefusedError:
        return f"nothing is listening there: start the server, or correct host and port in {setting}"
    except OSError as error:
        return f"it does not respond ({type(error).__name__}): check for a firewall in between"
    return "it is listening but refuses the connection or does not respond in time: see its own log"


def why_no_redis(error: Exception) -> str:
    """Return why Redis rejects the portal, and what to do; both follow from the error's class or its message."""
    name, words = type(error).__name__, str(error)
    if "NOAUTH" in words or name in {"AuthenticationError", "AuthenticationWrongNumberOfArgsError"}:
        return "Redis rejects the password: set redis://:PASSWORD@HOST:PORT/NUMBER in PORTAL_RATE_LIMITS"
    if name == "NoPermissionError":
        return "the Redis user lacks permissions: let it read, write and run scripts (ACL SETUSER)"
    if name in {"ReadOnlyError", "OutOfMemoryError"}:
        return f"Redis accepts no writes ({name}): set PORTAL_RATE_LIMITS to its primary, or give it more memory"
    if name in {"ConnectionError", "TimeoutError"}:
        return f"Redis does not respond at PORTAL_RATE_LIMITS ({name}): check that it is running; check host, port, TLS"
    return f"the server at PORTAL_RATE_LIMITS cannot be used ({name}): expected a Redis, and an existing database"
