"""Databases with a schema: migrations run once for each test process, and each test gets a copy."""

import tempfile
from functools import cache
from pathlib import Path

import portal.platform.database.migrations
from portal.platform.database.db import Database
from portal.tracker.tables import MIGRATIONS as TRACKER
from tests.parts import compiled_statements, read_once
from tests.parts.postgres import Postgres

compiled_statements.share()
read_once.share()

PORTAL = Path(portal.platform.database.migrations.__path__[0])

__all__ = ["PORTAL", "TRACKER", "postgres_template", "sqlite_copy"]


def sqlite_copy(path: Path, migrations: Path) -> str:
    """Return the URL of a SQLite file with the schema of these migrations; an existing file is kept."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_sqlite_template(migrations))
    return f"sqlite:///{path}"


@cache
def postgres_template(server: Postgres, migrations: Path) -> str:
    """Return the name of a database with that schema, for `Postgres.copy` and `Postgres.database`."""
    name = server.create(name=f"template_{migrations.parent.name}")
    _upgrade(server.url(name), migrations)
    return name


@cache
def _sqlite_template(migrations: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "template.db"
        _upgrade(f"sqlite:///{path}", migrations)
        return path.read_bytes()


def _upgrade(url: str, migrations: Path) -> None:
    database = Database(url, migrations=migrations)
    try:
        database.upgrade()
    finally:
        database.close()
