"""One database at one instant → a file, and back. Nobody who writes waits for it.

SQLite's online backup copies pages within one read transaction, so that no write makes it begin again; pg_dump reads
an exported snapshot. The caller reads further rows in that same transaction, so they fit the copy.
"""

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
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
_LOOK_EVERY = 0.2
"""Seconds between looks at how far pg_dump has come."""
SUFFIXES = {"sqlite": "sqlite", "postgresql": "pgdump"}
CALLED = {"portal": "portal", "tracker": "service"}
"""The databases as people call them."""


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
    connection.execute(sa.text("SELECT count(*) FROM sqlite_master"))  # from here on, this state is what is read
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
    with _client("pg_dump", sa.make_url(db.url), options) as process:
        while process.poll() is None:
            report(what, min(file.stat().st_size, size), size)
            time.sleep(_LOOK_EVERY)


@contextmanager
def _naming(what: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        said = getattr(error, "sqlite_errorname", type(error).__name__)
        raise BackupError(
            f"{what}: the copy cannot be read or written ({said}): check the disk that it is on"
        ) from error


@contextmanager
def _client(name: str, address: sa.URL, options: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program of PostgreSQL on a database; raise BackupError with its last line if it fails."""
    connect = dict(address.translate_connect_args(username="user", database="dbname")) | dict(address.query)
    password = str(connect.pop("password", "") or "")
    argv = [_program(name), f"--dbname={make_conninfo(**connect)}", "--no-password", *options]
    environment = child_environment(**({"PGPASSWORD": password} if password else {}), LC_ALL="C")
    with subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:  # noqa: S603  its arguments are the settings'
        try:
            yield process
            _, said = process.communicate()
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        last = said.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise BackupError(f"{name} failed: {last[0][:500]}")


def _program(name: str) -> str:
    """Return the path of a program of PostgreSQL: the newest that Debian installed, else the one on the PATH."""
    installed = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
    newest = max(installed, key=lambda path: int(path.parts[-3]) if path.parts[-3].isdigit() else 0, default=None)
    found = str(newest) if newest else shutil.which(name)
    if not found:
        raise BackupError(f"{name} is not installed: install PostgreSQL's client programs (postgresql-client)")
    return found


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


def is_open_elsewhere(db: Database) -> bool:
    """Return whether somebody else has the database open. Raises DatabaseUnavailable."""
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
    """Open an SQLite database in a write transaction while nobody else has it open, or can open it.

    Raises sqlite3.OperationalError if somebody has.
    """
    db.close()  # or its pool would be somebody who has it open
    address = f"{db.file.absolute().as_uri()}?mode=rw" if db.file else ""
    with closing(sqlite3.connect(address, uri=True, timeout=0)) as plain:
        # Before anything is read: then SQLite locks the whole file, which fails while anybody has it open.
        plain.execute("PRAGMA locking_mode=EXCLUSIVE")
        plain.execute("BEGIN EXCLUSIVE")
        yield plain


def load(copy: Path, db: Database, *, what: str, report: Report) -> None:
    """Fill an empty database from a copy of the same engine. Raises BackupError, DatabaseUnavailable.

    On SQLite, through its online backup: no file of a database that may be in use is opened by any other means.
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
        with _client("pg_restore", sa.make_url(db.url), options):
            pass
    report(what, copy.stat().st_size, copy.stat().st_size)


@contextmanager
def temporary(db: Database, folder: Path) -> Iterator[Database]:
    """Yield an empty database of the same engine, which is removed afterwards: in `folder`, or on the same server."""
    if db.is_sqlite:
        made = Database(f"sqlite:///{folder / 'verify.sqlite'}", migrations=db.migrations)
        try:
            yield made
        finally:
            made.close()
        return
    name = f"portal_verify_{os.getpid()}"
    address = sa.make_url(db.url).set(database=name)
    with raising_unavailable(), db.engine.connect() as plain:
        server = plain.execution_options(isolation_level="AUTOCOMMIT")
        try:
            server.execute(sa.text(f"CREATE DATABASE {name} TEMPLATE template0"))
        except sa.exc.ProgrammingError as error:
            raise BackupError(
                "the database role may not create a database, and a backup is verified in one of its own: "
                f"run `ALTER ROLE {address.username} CREATEDB`, or verify with a role that may"
            ) from error
        made = Database(address.render_as_string(hide_password=False), migrations=db.migrations)
        try:
            yield made
        finally:
            made.close()
            server.execute(sa.text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
