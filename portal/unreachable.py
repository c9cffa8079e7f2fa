"""Why a database or a Redis cannot be used, told apart for an operator, and what to do about each.

PostgreSQL gives no code for a connection that it refuses, only words, in its server's language. Those that are not
known here are answered with where to look; whether anything listens at all is tried.
"""

import re
import socket
import sqlite3
from collections.abc import Iterator

import sqlalchemy as sa

_OF_SQLITE = {
    sqlite3.SQLITE_NOTADB: "the file is not an SQLite database: check {setting}, or restore a backup",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: stop everything that uses it and restore a backup",
    sqlite3.SQLITE_FULL: "its disk is full: make room; nothing is lost",
    sqlite3.SQLITE_READONLY: "the file may not be written: give it and its folder to the user that the portal runs as",
    sqlite3.SQLITE_PERM: "the file may not be opened: give it and its folder to the user that the portal runs as",
    sqlite3.SQLITE_CANTOPEN: (
        "the file cannot be opened: it must be a file, in a folder that is there and that the portal's user owns"
    ),
    sqlite3.SQLITE_IOERR: "its disk cannot be read or written: see the system's log",
    sqlite3.SQLITE_BUSY: "something else has held it locked for half a minute: end what does, such as an open sqlite3",
}
_REFUSED = (
    ("password authentication failed|no password supplied", "the password in {setting} is wrong for the role {role}"),
    (
        'role "[^"]*" does not exist',
        "there is no role {role}: make it by `createuser --pwprompt {role}`, or correct {setting}",
    ),
    (
        'database "[^"]*" does not exist',
        "there is no database {name}: make it by `createdb --owner {role} {name}`, or correct {setting}",
    ),
    (
        "permission denied for database|User does not have CONNECT",
        "the role {role} may not connect to the database {name}: `GRANT CONNECT ON DATABASE {name} TO {role}`",
    ),
    ("no pg_hba.conf entry", "the server lets {role} at {name} not in from this machine: add it to its pg_hba.conf"),
    ("peer authentication failed", "the server wants a system user called {role}: give host and password in {setting}"),
    ("too many clients|remaining connection slots", "every connection of the server is taken: raise max_connections"),
    ("is starting up|shutting down|in recovery mode", "the server is starting or stopping: wait for it"),
    ("certificate|SSL|server does not support", "the server and {setting} do not agree about TLS: see its sslmode"),
)
_STATES = {
    "25006": "the server only reads, as a standby does: name the primary in {setting}",
    "42501": "the role {role} has no rights there: let it own the database {name}, and so its tables",
    "53100": "the server's disk is full: make room",
    "53300": "every connection of the server is taken: raise max_connections",
}


def why(error: BaseException, url: str, *, setting: str = "PORTAL_DATABASE_URL") -> str:
    """What is wrong with the database at this address, and what to do. Repeats no password and no statement.

    setting: the variable that names the address.
    """
    address = sa.make_url(url)
    cause = next((one for one in _causes(error) if not isinstance(one, sa.exc.SQLAlchemyError)), error)
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        why_not = _OF_SQLITE.get(code, f"SQLite cannot use it ({type(cause).__name__})")
        return f"{address.database}: {why_not.format(setting=setting)}"
    where = f"{address.host or 'localhost'}:{address.port or 5432}"
    named = {"setting": setting, "role": address.username or "", "name": address.database or ""}
    found = _STATES.get(getattr(cause, "sqlstate", None) or "")
    found = found or next((says for pattern, says in _REFUSED if re.search(pattern, str(cause), re.IGNORECASE)), None)
    if found:
        return f"PostgreSQL at {where}: {found.format(**named)}"
    return f"PostgreSQL at {where}: {_silence(address, setting)}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, what SQLAlchemy wrapped, and what it was raised from."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, sa.exc.DBAPIError) and seen.orig is not None:
            yield seen.orig
        if isinstance(seen, sqlite3.Error) or type(seen).__module__.startswith("psycopg"):
            yield seen
        seen = seen.__cause__


def _silence(address: sa.URL, setting: str) -> str:
    """What a connection comes to that says nothing of PostgreSQL."""
    if address.host is None or address.host.startswith("/"):
        return "it does not answer at its socket: is it running?"
    try:
        socket.create_connection((address.host, address.port or 5432), timeout=3).close()
    except socket.gaierror:
        return f"the name {address.host} has no address: correct it in {setting}, or mend the name server"
    except ConnectionRefusedError:
        return f"nothing listens there: start the server, or correct host and port in {setting}"
    except OSError as error:
        return f"it does not answer ({type(error).__name__}): is a firewall in between?"
    return "it listens and does not let us in, or does not answer in time: its own log says why"


def why_no_redis(error: Exception) -> str:
    """What a Redis has against us, and what to do; its class says it, and its words where the class does not."""
    name, words = type(error).__name__, str(error)
    if "NOAUTH" in words or name in {"AuthenticationError", "AuthenticationWrongNumberOfArgsError"}:
        return "Redis wants another password: redis://:PASSWORD@HOST:PORT/NUMBER in PORTAL_RATE_LIMITS"
    if name == "NoPermissionError":
        return "Redis forbids its user what is needed: let it read, write and run scripts (ACL SETUSER)"
    if name in {"ReadOnlyError", "OutOfMemoryError"}:
        return f"Redis takes nothing ({name}): name its primary in PORTAL_RATE_LIMITS, or give it memory"
    if name in {"ConnectionError", "TimeoutError"}:
        return f"Redis does not answer at PORTAL_RATE_LIMITS ({name}): is it running, and are host, port and TLS right?"
    return f"what answers at PORTAL_RATE_LIMITS cannot be used ({name}): expected a Redis, and a database that it has"
