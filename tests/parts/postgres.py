"""A private PostgreSQL, and empty databases on it."""

import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from signal import SIGINT

import psycopg

from tests.parts.missing import missing
from tests.parts.process import free_port, private_folder, running

HOW = "apt-get install postgresql"


class Postgres:
    """A running server; `create` makes an empty database, or a copy of another one, in some hundredths of a second."""

    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self.pid = pid
        self._numbers = itertools.count(1)

    def url(self, name: str) -> str:
        """The SQLAlchemy address of a database."""
        return f"postgresql+psycopg://portal@127.0.0.1:{self.port}/{name}"

    def create(self, *, template: str = "template1", name: str | None = None) -> str:
        """The name of a new database."""
        name = name or f"test_{next(self._numbers)}"
        # From 15 on the pages of the copy go through the log unless told otherwise, which takes twice the work.
        strategy = "STRATEGY file_copy" if self._version >= 150_000 else ""
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {strategy}')
        return name

    def drop(self, name: str) -> None:
        """Remove a database, cutting whoever is still connected."""
        self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    @contextmanager
    def database(self, *, template: str = "template1") -> Iterator[str]:
        """The address of a new database that is dropped when the block ends."""
        name = self.create(template=template)
        try:
            yield self.url(name)
        finally:
            self.drop(name)

    def answers(self) -> bool:
        """Whether it takes connections."""
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

    def _connected(self) -> psycopg.Connection:
        address = f"host=127.0.0.1 port={self.port} user=portal dbname=postgres connect_timeout=5"
        return psycopg.connect(address, autocommit=True)


def binaries() -> Path:
    """The folder of initdb and postgres: Debian's newest version, else whatever is on the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0]))
    if not found and (elsewhere := shutil.which("initdb")):
        return Path(elsewhere).resolve().parent
    if not found:
        missing(f"PostgreSQL is not installed: {HOW}")
    return found[-1].parent


@contextmanager
def running_postgres(*, fsync: bool = False, port: int | None = None) -> Iterator[Postgres]:
    """A server of its own. fsync: whether a COMMIT reaches the disk, which only tests of durability pay for."""
    folder = binaries()
    owner = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
    with private_folder(owner=owner) as home:
        data = home / "data"
        subprocess.run(
            [folder / "initdb", "-D", data, "-U", "portal", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"],
            check=True,
            capture_output=True,
            cwd=home,
            user=owner,
            group=owner,
            extra_groups=[] if owner else None,
        )
        server = Postgres(port or free_port(), 0)
        options = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(home),
            "fsync": "on" if fsync else "off",
            "max_connections": "200",
            "shared_buffers": "64MB",
        }
        argv = [str(folder / "postgres"), "-D", str(data), "-p", str(server.port)]
        argv += [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        # SIGINT is PostgreSQL's fast shutdown: it cuts clients instead of waiting for them.
        with running(argv, log=home / "log", ready=server.answers, cwd=home, user=owner, stop=SIGINT) as process:
            server.pid = process.pid
            yield server


def wait_until_it_answers(server: Postgres, *, seconds: float = 120) -> None:
    """Return once the server takes connections again, after a test has stopped or killed part of it."""
    deadline = time.monotonic() + seconds
    while not server.answers():
        if time.monotonic() > deadline:
            raise TimeoutError(f"PostgreSQL on port {server.port} did not come back within {seconds} s")
        time.sleep(0.05)
