"""`portal db`."""

import click

from portal.parts import open_database
from portal.settings import Settings


@click.group("db")
def db() -> None:
    """The portal's database."""


@db.command("upgrade")
def upgrade() -> None:
    """Bring the schema to this release's version."""
    database = open_database(Settings.from_env())
    database.upgrade()
    click.echo("The schema is up to date.")
