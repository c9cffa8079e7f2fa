"""What is forgotten, and when: the portal's copy of a delivered application; the CV object is the service's now."""

from datetime import timedelta

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.tables import PERSONAL, submissions, uploads
from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.letters import queue as letters
from portal.outbox import queue
from portal.outbox.states import State

_BATCH = 500


def purge_delivered(db: Database, *, after: float, clock: Clock) -> int:
    """Erase what was delivered more than `after` seconds ago; returns how many submissions.

    With a submission go the letters about it that could not be sent yet: they hold its address.
    """
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
    forget_the_log(db)
    return len(references)


def discard(db: Database, store: Store, reference: str, clock: Clock) -> bool:
    """Give up an undelivered submission: its data and its CV go. False if it is delivered or being sent.

    1. discarded, committed; 2. the CV, outside of any transaction; 3. the data. What a crash leaves between the steps
    is finished by finish_discarding, or by discarding again.
    """
    with db.write() as connection:
        entry = queue.find(connection, KIND, reference)
        is_new = queue.discard(connection, KIND, reference, clock.now())
        if not is_new and (entry is None or entry.state is not State.DISCARDED or _is_purged(connection, reference)):
            return False
    _finish(db, store, reference, clock)
    return True


def finish_discarding(db: Database, store: Store, clock: Clock) -> None:
    """Erase what was discarded and is still there."""
    c = submissions.c
    left = sa.select(c.reference).where(
        c.purged_at.is_(None), c.attachment_key.is_not(None), c.reference.in_(queue.subjects(KIND, State.DISCARDED))
    )
    with db.read() as connection:
        references = list(connection.execute(left.limit(_BATCH)).scalars())
    for reference in references:
        _finish(db, store, reference, clock)


def forget_the_log(db: Database) -> None:
    """Cut the database's log, or leave it to the next call while somebody reads."""
    db.truncate_log()


def _finish(db: Database, store: Store, reference: str, clock: Clock) -> None:
    with db.read() as connection:
        key = connection.execute(
            sa.select(submissions.c.attachment_key).where(submissions.c.reference == reference)
        ).scalar()
    if key:
        store.delete(key)
    with db.write() as connection:
        _erase(connection, [reference], clock)
    forget_the_log(db)


def _is_purged(connection: sa.Connection, reference: str) -> bool:
    query = sa.select(submissions.c.purged_at).where(submissions.c.reference == reference)
    return connection.execute(query).scalar() is not None


def _erase(connection: sa.Connection, references: list[str], clock: Clock) -> None:
    connection.execute(
        submissions.update()
        .where(submissions.c.reference.in_(references))
        .values(purged_at=clock.now(), **dict.fromkeys(PERSONAL))
    )
    connection.execute(uploads.delete().where(uploads.c.claimed_by.in_(references)))
    letters.withdraw(connection, references=references, now=clock.now())
