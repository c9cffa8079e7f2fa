"""One database at one instant → a file, and back. It does not block writers.

SQLite's online backup copies pages within one read transaction, so that writes do not make it start again; pg_dump
reads an exported snapshot. The caller reads further rows in that same transaction, so they are consistent with the
copy.
"""

import re
import secrets
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from psycopg.conninfo import make_conninfo

from portal.operations.backup.manifest import BackupError, Report
from portal.platform.config import private_files
from portal.platform.config.settings import child_environment
from portal.platform.database.db import Database
from portal.platform.database.outages import raising_unavailable

_PAGES = 2_000
_KNOWS_TIMEOUT = 17  # the version of PostgreSQL since which there is transaction_timeout
_LOOK_EVERY = 0.2
"""Seconds between checks of pg_dump's progress."""
_VERIFYING = 7_205_759_403_792_796
"""The number of the lock that is held in a database while a copy of it is verified."""
_LEFT = """
SELECT datname FROM pg_database AS d WHERE datname ~ :pattern AND pg_has_role(datdba, 'USAGE') AND NOT EXISTS (
    SELECT FROM pg_stat_activity AS a WHERE a.datid = d.oid AND a.backend_type = 'client backend')
"""
SUFFIXES = {"sqlite": "sqlite", "postgresql": "pgdump"}
CALLED = {"portal": "portal", "tracker": "service"}
"""The names of the databases in messages."""


def engine_of(db: Database) -> str:
    """Return sqlite or postgresql."""
    return "sqlite" if db.is_sqlite else "postgresql"


@contextmanager
def dumped(db: Database, file: Path, *, what: str, report: Report) -> Iterator[sa.Connection]:
    """Write the database as it is at one instant to a new file of mode 0600; yield a transaction that reads that state.

    Raises BackupError, DatabaseUnavailable.
    """
    with raising_unavailable(), db.engine.connect() as plain:
        if db.is_sqlite:
            with plain.begin():
                _copy_sqlite(plain, file, what, report)
                yield plain
        else:
            connection = plain.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                _run_pg_dump(db, connection, file, what, report)
                yield connection


def _copy_sqlite(connection: sa.Connection, file: Path, what: str, report: Report) -> None:
    connection.execute(sa.text("SELECT count(*) FROM sqlite_master"))  # from here on, this state is read
    page = int(connection.execute(sa.text("PRAGMA page_size")).scalar_one())
    source: Any = connection.connection.driver_connection

    def tell(_status: int, remaining: int, total: int) -> None:
        report(what, (total - remaining) * page, total * page)

    draft = file.with_suffix(".new")
    private_files.create_database_file(draft)
    with _naming(what), closing(sqlite3.connect(draft)) as target:
        source.backup(target, pages=_PAGES, progress=tell)
    draft.replace(file)  # only SQLite opens what it was connected to, so the copy is read under another name


def _run_pg_dump(db: Database, connection: sa.Connection, file: Path, what: str, report: Report) -> None:
    snapshot = str(connection.execute(sa.text("SELECT pg_export_snapshot()")).scalar_one())
    size = int(connection.execute(sa.text("SELECT pg_database_size(current_database())")).scalar_one())
    private_files.make_file(file)
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", f"--file={file}"]
    with _client("pg_dump", db, options) as process:
        while process.poll() is None:
            report(what, min(file.stat().st_size, size), size)
            time.sleep(_LOOK_EVERY)


@contextmanager
def _naming(what: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        error_name = getattr(error, "sqlite_errorname", type(error).__name__)
        raise BackupError(
            f"{what}: the copy cannot be read or written ({error_name}): check the disk that it is on"
        ) from error


@contextmanager
def _client(name: str, db: Database, options: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program of PostgreSQL on a database; raise BackupError with its last line if it fails."""
    address = sa.make_url(db.url)
    connect = dict(address.translate_connect_args(username="user", database="dbname")) | dict(address.query)
    password = str(connect.pop("password", "") or "")
    argv = [require_program(name, db), f"--dbname={make_conninfo(**connect)}", "--no-password", *options]
    environment = child_environment(**({"PGPASSWORD": password} if password else {}), LC_ALL="C")
    with subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:  # noqa: S603  its arguments are the settings'
        try:
            yield process
            _, error_output = process.communicate()
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        last = error_output.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise BackupError(f"{name} failed: {last[0][:500]}")


def require_program(name: str, db: Database) -> str:
    """Return the path of a program of PostgreSQL that fits the server: one that Debian installed, or that of PATH.

    "" for SQLite, which needs none. Raises BackupError.
    """
    if db.is_sqlite:
        return ""
    with db.read() as connection:
        server = int(str(connection.scalar(sa.text("SHOW server_version_num")))) // 10_000
    installed = [*map(str, sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), shutil.which(name)]
    return fitting(name, {path: _version(path) for path in installed if path}, server)


def _version(program: str) -> int:
    result = subprocess.run([program, "--version"], env=child_environment(LC_ALL="C"), capture_output=True, check=False)  # noqa: S603  a path that was found, not given
    found = re.search(rb"PostgreSQL\) (\d+)", result.stdout)
    return int(found[1]) if found else 0


def fitting(name: str, found: Mapping[str, int], server: int) -> str:
    """Return the program of the server's version, else of the next newer one. found: path → version.

    None is older than the server, because it would refuse to run. From 17 on, pg_restore cannot restore to an older
    server either: it sets transaction_timeout, which older servers do not know. Raises BackupError.
    """
    most = _KNOWS_TIMEOUT - 1 if name == "pg_restore" and server < _KNOWS_TIMEOUT else max(found.values(), default=0)
    fits = [path for path, version in found.items() if server <= version <= most]
    if not fits:
        versions = ", ".join(map(str, sorted({*found.values()})))
        there = f"{name} is there in version {versions}, and" if found else f"{name} is not installed, and"
        raise BackupError(f"{there} the server is PostgreSQL {server}: install postgresql-client-{server}")
    return min(fits, key=lambda path: found[path])


def schema_and_rows(connection: sa.Connection) -> tuple[str, dict[str, int]]:
    """Return the schema's version, and the number of rows of each table; SQLite's search indexes are not counted."""
    rows = {
        name: int(connection.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar_one())
        for name in _tables(connection)
    }
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all()
    return ", ".join(sorted(found)), rows


def _tables(connection: sa.Connection) -> list[str]:
    if connection.dialect.name != "sqlite":
        return sorted(sa.inspect(connection).get_table_names())
    plain = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'"
    return sorted(connection.execute(sa.text(plain)).scalars())


def is_empty(db: Database) -> bool:
    """Return whether there is no table in the database, or no database file. Creates none."""
    if db.is_sqlite and db.file is not None and not db.file.exists():
        return True
    with db.read() as connection:
        return not sa.inspect(connection).get_table_names()


def obstacles(copy: Path, db: Database) -> list[str]:
    """Return what prevents loading a copy into an empty database of PostgreSQL. Raises DatabaseUnavailable."""
    if db.is_sqlite:
        return []
    with db.read() as connection:
        may = connection.scalar(sa.text("SELECT has_schema_privilege(current_schema(), 'CREATE')"))
    wrong = [] if may else ["the role may not create tables in the empty database: make it that database's owner"]
    try:
        with _client("pg_restore", db, ["--list", str(copy)]):
            pass
    except BackupError as error:
        wrong.append(f"{copy.name}: {error}")
    return wrong


def is_open_elsewhere(db: Database) -> bool:
    """Return whether another process has the database open. Raises DatabaseUnavailable."""
    if db.file is None:
        others = sa.text(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
        with db.read() as connection:
            return bool(connection.scalar(others))
    try:
        with opened_alone(db):
            return False
    except sqlite3.OperationalError:
        return True


@contextmanager
def opened_alone(db: Database) -> Iterator[sqlite3.Connection]:
    """Open an SQLite database in a write transaction while no other process has it open, or can open it.

    Raises sqlite3.OperationalError if another process has it open.
    """
    db.close()  # otherwise its own pool would have it open
    address = f"{db.file.absolute().as_uri()}?mode=rw" if db.file else ""
    with closing(sqlite3.connect(address, uri=True, timeout=0)) as plain:
        # Before the first read, so that SQLite locks the whole file, which fails while another connection is open.
        plain.execute("PRAGMA locking_mode=EXCLUSIVE")
        plain.execute("BEGIN EXCLUSIVE")
        yield plain


def load(copy: Path, db: Database, *, what: str, report: Report) -> None:
    """Fill an empty database from a copy of the same engine, on SQLite through its online backup.

    Raises BackupError, DatabaseUnavailable.
    """
    report(what, 0, copy.stat().st_size)
    if db.is_sqlite:
        address = f"file:{quote(str(copy.absolute()))}?mode=ro&immutable=1"
        with _naming(what), closing(sqlite3.connect(address, uri=True)) as source:
            private_files.create_database_file(db.file)
            with db.engine.connect() as connection:
                target: Any = connection.connection.driver_connection
                source.backup(target)
    else:
        options = ["--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", str(copy)]
        with _client("pg_restore", db, options):
            pass
    report(what, copy.stat().st_size, copy.stat().st_size)


@contextmanager
def temporary(db: Database, folder: Path) -> Iterator[Database]:
    """Yield an empty database of the same engine, which is removed afterwards: in `folder`, or on the same server."""
    if db.is_sqlite:
        with closing(Database(f"sqlite:///{folder / 'verify.sqlite'}", migrations=db.migrations)) as made:
            yield made
        return
    with db.session() as server, _locked(server, "pg_advisory_lock_shared", "pg_advisory_unlock_shared"):
        name = f"{_of_runs(server)}{secrets.token_hex(8)}"
        address = sa.make_url(db.url).set(database=name)
        try:
            server.execute(sa.text(f"CREATE DATABASE {name} TEMPLATE template0"))
        except sa.exc.ProgrammingError as error:
            raise BackupError(
                "the database role may not create a database, and a backup is verified in one of its own: "
                f"run `ALTER ROLE {address.username} CREATEDB`, or verify with a role that may"
            ) from error
        full = address.render_as_string(hide_password=False)
        try:
            with closing(Database(full, migrations=db.migrations)) as made:
                yield made
        finally:
            server.execute(sa.text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))


@contextmanager
def _locked(server: sa.Connection, lock: str, unlock: str) -> Iterator[bool]:
    """Hold the lock for verification; yield whether it was acquired."""
    given = server.scalar(sa.text(f"SELECT {lock}({_VERIFYING})")) is not False
    try:
        yield given
    finally:
        if given:
            server.execute(sa.text(f"SELECT {unlock}({_VERIFYING})"))


def _of_runs(server: sa.Connection) -> str:
    """Return the prefix of the names of this database's temporary databases."""
    number = server.scalar(sa.text("SELECT oid::bigint FROM pg_database WHERE datname = current_database()"))
    return f"portal_verify_{number}_"


def remove_leftovers(db: Database) -> None:
    """Drop databases that interrupted runs of temporary() left on PostgreSQL, but none in use or of another run."""
    if db.is_sqlite:
        return
    with db.session() as server, _locked(server, "pg_try_advisory_lock", "pg_advisory_unlock") as alone:
        # An earlier release named them after the process alone.
        ours = {"pattern": f"^({_of_runs(server)}[0-9a-f]+|portal_verify_[0-9]+)$"}
        for name in server.scalars(sa.text(_LEFT), ours).all() if alone else ():
            with suppress(sa.exc.DBAPIError):  # another connection has just been opened
                server.execute(sa.text(f"DROP DATABASE IF EXISTS {name}"))
