"""`portal db`."""

from datetime import UTC, datetime

import click

from portal.cli.backup import settled
from portal.operations.backup.restore import require_unused_since, settle_earlier_state
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings
from portal.platform.database.db import Database
from portal.services import open_database

CLOCK = SystemClock()


@click.group("db")
def db() -> None:
    """The portal's database."""


@db.command("upgrade")
def upgrade() -> None:
    """Upgrade the schema to this release."""
    click.echo(_opened().upgrade().upgraded)


@db.command("restored")
@click.argument("instant", type=click.DateTime(["%Y-%m-%dT%H:%M:%SZ"]))
def restored(instant: datetime) -> None:
    """Declare that the database is as it was at INSTANT, before servers and workers start again.

    INSTANT: in UTC, as 2026-11-26T03:15:00Z. For databases that were restored by other means than `portal restore`.
    """
    taken_at = instant.replace(tzinfo=UTC)
    if taken_at > CLOCK.now():
        raise click.BadParameter("it is in the future", param_hint="INSTANT")
    database = _opened()
    database.upgrade()
    require_unused_since(database, taken_at)
    click.echo(f"{settled(settle_earlier_state(database, taken_at, CLOCK))}\nNext: portal check")


def _opened() -> Database:
    database = open_database(Settings.from_env())
    click.get_current_context().call_on_close(database.close)
    return database
