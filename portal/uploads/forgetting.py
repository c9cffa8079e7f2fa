"""What was sent to the quarantine and never checked does not stay there."""

from datetime import timedelta

import sqlalchemy as sa

from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.uploads.tables import asked

_BATCH = 500


def forget_asked(db: Database, store: Store, *, older_than: float, clock: Clock) -> int:
    """Delete what was sent and never checked within `older_than` seconds, and what was noted of the rest; how many.

    The object first: a crash in between leaves a row that the next call finds.
    """
    now = clock.now()
    over = (asked.c.created_at < now - timedelta(seconds=older_than), asked.c.expires_at < now)
    with db.read() as connection:
        rows = connection.execute(sa.select(asked.c.id, asked.c.key).where(*over).limit(_BATCH)).all()
    for row in rows:
        store.delete(row.key)
        with db.write() as connection:
            connection.execute(asked.delete().where(asked.c.id == row.id))
    return len(rows)
