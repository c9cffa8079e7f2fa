"""What is forgotten, and when: the portal's copy of a delivered application; the CV object is the service's now."""

from datetime import timedelta

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.tables import PERSONAL, submissions, uploads
from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.outbox import queue

_BATCH = 500


def purge_delivered(db: Database, *, after: float, clock: Clock) -> int:
    """Erase what was delivered more than `after` seconds ago; returns how many submissions."""
    before = clock.now() - timedelta(seconds=after)
    due = sa.select(submissions.c.reference).where(
        submissions.c.delivered_at < before, submissions.c.purged_at.is_(None)
    )
    with db.read() as connection:
        if not connection.execute(due.limit(1)).first():
            return 0
    with db.write() as connection:
        references = list(connection.execute(due.limit(_BATCH)).scalars())
        _erase(connection, references, clock)
        for reference in references:
            queue.purged(connection, KIND, reference)
    _forget_the_log(db)
    return len(references)


def discard(db: Database, store: Store, reference: str, clock: Clock) -> bool:
    """Give up an undelivered submission: its data and its CV go. False if it is delivered or being sent."""
    with db.write() as connection:
        if not queue.discard(connection, KIND, reference, clock.now()):
            return False
        key = connection.execute(
            sa.select(submissions.c.attachment_key).where(submissions.c.reference == reference)
        ).scalar()
        if key:
            store.delete(key)
        _erase(connection, [reference], clock)
    _forget_the_log(db)
    return True


def _erase(connection: sa.Connection, references: list[str], clock: Clock) -> None:
    connection.execute(
        submissions.update()
        .where(submissions.c.reference.in_(references))
        .values(purged_at=clock.now(), **dict.fromkeys(PERSONAL))
    )
    connection.execute(uploads.delete().where(uploads.c.claimed_by.in_(references)))


def _forget_the_log(db: Database) -> None:
    """SQLite keeps pages in its write-ahead log until that is cut; secure_delete has zeroed them in the file."""
    if db.is_sqlite:
        with db.engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            if raw is not None:
                raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
