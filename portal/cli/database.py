"""`portal db`."""

import click

from portal.parts import open_database
from portal.schema import SchemaState
from portal.settings import Settings


@click.group("db")
def db() -> None:
    """The portal's database."""


@db.command("upgrade")
def upgrade() -> None:
    """Bring the schema to this release's version."""
    database = open_database(Settings.from_env())
    click.get_current_context().call_on_close(database.close)
    before = database.upgrade()
    click.echo(before.says if before.state is SchemaState.NEWER else "The schema is up to date.")
