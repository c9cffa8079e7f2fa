"""When the last backup was made: one row, for metrics and `portal check`."""

from datetime import datetime

import sqlalchemy as sa

from portal.platform.database.db import Database, Instant, metadata

backups = sa.Table(
    "backups",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("taken_at", Instant, nullable=False),
)
"""taken_at: when the newest complete backup began; what came later is not in it."""


def record(db: Database, taken_at: datetime) -> None:
    """Replace the row. Raises DatabaseUnavailable."""
    with db.write() as connection:
        connection.execute(backups.delete())
        connection.execute(backups.insert().values(taken_at=taken_at))


def last_taken(db: Database) -> datetime | None:
    """Return when the newest backup began; None if there was none. Raises DatabaseUnavailable."""
    with db.read() as connection:
        found: datetime | None = connection.scalar(sa.select(sa.func.max(backups.c.taken_at)))
    return found
