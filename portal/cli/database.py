"""`portal db`."""

import click

from portal.platform.config.settings import Settings
from portal.services import open_database


@click.group("db")
def db() -> None:
    """The portal's database."""


@db.command("upgrade")
def upgrade() -> None:
    """Upgrade the schema to this release."""
    database = open_database(Settings.from_env())
    click.get_current_context().call_on_close(database.close)
    click.echo(database.upgrade().upgraded)
