"""The service's own database. Opening it upgrades its schema: the service has no separate command for that."""

from pathlib import Path

from portal.platform.database.db import Database

MIGRATIONS = Path(__file__).parent / "migrations"


def open_database(url: str) -> Database:
    """Open the database at `sqlite:///…` or `postgresql+psycopg://…` and upgrade its schema unless that is newer."""
    database = Database(url, migrations=MIGRATIONS)
    database.upgrade()
    return database
