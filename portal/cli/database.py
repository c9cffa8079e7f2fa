"""`portal db`."""

import click

from portal.db import SchemaState
from portal.parts import open_database
from portal.settings import Settings


@click.group("db")
def db() -> None:
    """The portal's database."""


@db.command("upgrade")
def upgrade() -> None:
    """Bring the schema to this release's version."""
    database = open_database(Settings.from_env())
    before = database.upgrade()
    database.close()
    is_newer = before is SchemaState.NEWER
    click.echo("The schema is newer than this release: left as it is." if is_newer else "The schema is up to date.")
