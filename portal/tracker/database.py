"""The service's own database. It upgrades itself when it is opened: the service has no command for that."""

from pathlib import Path

from portal.db import Database

MIGRATIONS = Path(__file__).parent / "migrations"


def open_database(url: str) -> Database:
    """The database at `sqlite:///…` or `postgresql+psycopg://…`, with this release's schema or a newer one."""
    database = Database(url, migrations=MIGRATIONS)
    database.upgrade()
    return database
