"""Which databases a figure is taken on: `DATABASES=sqlite make bench ONLY=mirror`, or postgresql; without it, both."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from portal.platform.database.db import Database
from tests.parts.postgres import running_postgres

WANTED = os.environ.get("DATABASES", "sqlite postgresql").split()


@dataclass(frozen=True, slots=True)
class Kind:
    """SQLite or PostgreSQL. new: the address of an empty database; the argument names its file."""

    name: str
    new: Callable[[str], str]


@contextmanager
def databases(folder: Path, *, durable: bool) -> Iterator[list[Kind]]:
    """Those that are wanted; PostgreSQL runs until the block ends. durable: whether its commits wait for the disk."""
    unknown = set(WANTED) - {"sqlite", "postgresql"}
    if unknown:
        raise SystemExit(f"DATABASES: expected sqlite, postgresql or both, not {' '.join(sorted(unknown))}")
    kinds = []
    with ExitStack() as stack:
        if "sqlite" in WANTED:
            kinds.append(Kind("SQLite", lambda name: f"sqlite:///{folder / name}.db"))
        if "postgresql" in WANTED:
            server = stack.enter_context(running_postgres(fsync=durable))
            kinds.append(Kind("PostgreSQL", lambda _: server.url(server.create())))
        yield kinds


def settle(database: Database) -> None:
    """What PostgreSQL's autovacuum does by itself within a minute of so many inserts. SQLite has nothing like it."""
    if not database.is_sqlite:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
