"""A private PostgreSQL, and empty databases on it."""

import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from signal import SIGINT

import psycopg

from tests.parts.missing import missing
from tests.parts.process import free_port, private_folder, running

HOW = "apt-get install postgresql"
OWNER = "postgres" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
_SHAPE = """
SELECT md5(string_agg(told, chr(10) ORDER BY told)) FROM (
    SELECT concat_ws(' ', oid, relname, relkind, relnatts, relchecks, relhastriggers, relacl, reloptions) AS told
        FROM pg_class WHERE oid >= 16384
    UNION ALL SELECT a::text FROM pg_attribute a WHERE attrelid >= 16384
    UNION ALL SELECT d::text FROM pg_attrdef d
    UNION ALL SELECT c::text FROM pg_constraint c WHERE oid >= 16384
    UNION ALL SELECT t::text FROM pg_trigger t
    UNION ALL SELECT concat_ws(' ', indexrelid, indisvalid, indpred::text) FROM pg_index WHERE indexrelid >= 16384
    UNION ALL SELECT concat_ws(' ', oid, proname, prosrc) FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT n::text FROM pg_namespace n WHERE nspname !~ '^pg_(toast_)?temp'
    UNION ALL SELECT 'set ' || setconfig::text FROM pg_db_role_setting
        WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    UNION ALL SELECT 'analysed ' || starelid FROM pg_statistic WHERE starelid >= 16384
) AS all_of_it
"""
"""Query for everything in a database except rows, to detect changes. PostgreSQL's own objects have ids below 16384."""
_WRITTEN = "SELECT relname FROM pg_class WHERE oid >= 16384 AND relkind = 'r' AND pg_relation_size(oid) > 0"
_CUT = """SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"""
_COUNT_ANEW = "SELECT setval(seqrelid, seqstart, false) FROM pg_sequence"


@dataclass
class _Shelf:
    """Unused copies of a template. kept: the tables in which the template has rows."""

    kept: list[str]
    shape: str
    copies: list[str] = field(default_factory=list)


class Postgres:
    """A running server. `create` takes some tenths of a second for an empty database or a copy of another one."""

    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self.pid = pid
        self._numbers = itertools.count(1)
        self._shelves: dict[str, _Shelf] = {}

    def url(self, name: str) -> str:
        """Return the SQLAlchemy URL of a database."""
        return f"postgresql+psycopg://portal@127.0.0.1:{self.port}/{name}"

    def create(self, *, template: str = "template1", name: str | None = None) -> str:
        """Create a database; return its name."""
        name = name or f"test_{next(self._numbers)}"
        # From version 15 on, the copy is written to the log by default, which takes twice as long.
        strategy = "STRATEGY file_copy" if self._version >= 150_000 else ""
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {strategy}')
        return name

    def drop(self, name: str) -> None:
        """Drop a database and end its connections."""
        self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    @contextmanager
    def database(self, *, template: str = "template1") -> Iterator[str]:
        """Yield the URL of a new database that is dropped at the end of the block."""
        name = self.create(template=template)
        try:
            yield self.url(name)
        finally:
            self.drop(name)

    @contextmanager
    def copy(self, template: str) -> Iterator[str]:
        """Yield the URL, never used before, of a copy of a template.

        Creating and dropping a copy takes longer than most tests. So a copy in which a test has changed only rows is
        emptied and used again, under another name.
        """
        if template not in self._shelves:
            self._shelves[template] = self._shelf(template)
        shelf = self._shelves[template]
        if shelf.copies:
            name = f"test_{next(self._numbers)}"
            self._execute(f'ALTER DATABASE "{shelf.copies.pop()}" RENAME TO "{name}"')
        else:
            name = self.create(template=template)
        try:
            yield self.url(name)
        finally:
            if self._empty(name, shelf):
                shelf.copies.append(name)
            else:
                self.drop(name)

    def _shelf(self, template: str) -> _Shelf:
        with self._connected(template) as connection:
            kept = [name for (name,) in connection.execute(_WRITTEN)]
            return _Shelf(kept, _shape(connection, kept))

    def _empty(self, name: str, shelf: _Shelf) -> bool:
        """Restore a copy; return whether it equals the template again."""
        try:
            with self._connected(name) as connection:
                connection.execute(_CUT)
                if _shape(connection, shelf.kept) != shelf.shape:
                    return False
                if written := [f'"{one}"' for (one,) in connection.execute(_WRITTEN) if one not in shelf.kept]:
                    connection.execute(f"TRUNCATE {', '.join(written)} CASCADE".encode())
                connection.execute(_COUNT_ANEW)
                return True
        except psycopg.Error:  # a test may have removed anything; if the server itself has failed, the drop reports it
            return False

    def answers(self) -> bool:
        """Return whether the server accepts connections."""
        try:
            self._execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    @cached_property
    def _version(self) -> int:
        with self._connected() as connection:
            return connection.info.server_version

    def _execute(self, statement: str) -> None:
        with self._connected() as connection:
            connection.execute(statement.encode())

    def _connected(self, name: str = "postgres") -> psycopg.Connection:
        address = f"host=127.0.0.1 port={self.port} user=portal dbname={name} connect_timeout=5"
        return psycopg.connect(address, autocommit=True)


def _shape(connection: psycopg.Connection, kept: list[str]) -> str:
    rows = [connection.execute(f'TABLE "{one}" ORDER BY 1'.encode()).fetchall() for one in kept]
    return repr((connection.execute(_SHAPE.encode()).fetchall(), rows))


def binaries() -> Path:
    """Return the folder of initdb and postgres: of Debian's newest version, else from the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0]))
    if not found and (elsewhere := shutil.which("initdb")):
        return Path(elsewhere).resolve().parent
    if not found:
        missing(f"PostgreSQL is not installed: {HOW}")
    return found[-1].parent


@contextmanager
def running_postgres(
    *, fsync: bool = False, port: int | None = None, data: Path | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[Postgres]:
    """Run a private server. fsync: whether a COMMIT waits for the disk, which only tests of durability need.

    data: its folder, which is created if necessary and is not deleted. settings: additional ones.
    """
    folder = binaries()
    with private_folder(owner=OWNER) as home:
        data = data or home / "data"
        if not data.exists():
            subprocess.run(
                [folder / "initdb", "-D", data, "-U", "portal", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"],
                check=True,
                capture_output=True,
                cwd=home,
                user=OWNER,
                group=OWNER,
                extra_groups=[] if OWNER else None,
            )
        server = Postgres(port or free_port(), 0)
        options = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(home),
            "fsync": "on" if fsync else "off",
            "max_connections": "200",
            "shared_buffers": "64MB",
            **(settings or {}),
        }
        argv = [str(folder / "postgres"), "-D", str(data), "-p", str(server.port)]
        argv += [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        # SIGINT is PostgreSQL's fast shutdown, which disconnects clients instead of waiting for them.
        with running(argv, log=home / "log", ready=server.answers, cwd=home, user=OWNER, stop=SIGINT) as process:
            server.pid = process.pid
            yield server


def wait_until_it_answers(server: Postgres, *, seconds: float = 120) -> None:
    """Wait until the server accepts connections again, after a test has stopped or killed part of it."""
    deadline = time.monotonic() + seconds
    while not server.answers():
        if time.monotonic() > deadline:
            raise TimeoutError(f"PostgreSQL on port {server.port} did not come back within {seconds} s")
        time.sleep(0.05)
