"""Objects without a row, and rows without an object.

A row is written before its object and deleted after it. So there are two kinds of objects without a row. One in the
quarantine, where rows are always written first, is left over and is deleted. One under a tenant's slug is the
attachment of a delivered submission, whose row was erased with all other personal data; it belongs to the service.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from portal.adapters.storage.store import TOMBSTONES, Store
from portal.delivery.uploads.tables import asked, uploads
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.errors import AttachmentMissing

_MANY, _SHARE = 10, 5
"""If at least _MANY files are stored and more than one in _SHARE is missing, the storage is probably the wrong one."""


@dataclass(frozen=True, slots=True)
class Orphans:
    """The result of the comparison. unknown: objects in the quarantine without a row.

    without_file: forms whose stored file is gone. lost: references of deliveries whose file is gone. delivered: objects
    that only the service knows. objects: all of them. elsewhere: so many files are missing that the setting probably
    names another storage, or its disk is not mounted.
    """

    unknown: int
    without_file: int
    lost: tuple[str, ...]
    delivered: int
    objects: int
    elsewhere: bool = False


def find(db: Database, store: Store, *, delete: bool = False) -> Orphans:
    """Compare objects and rows both ways. Raises StoreError, DatabaseUnavailable.

    delete: also delete unknown objects, and rows of forms without a file, whose owner chooses the file again; nothing
    is deleted if the storage seems to be another one.
    """
    with db.read() as connection:
        stored = sa.select(uploads.c.key, uploads.c.handle, uploads.c.claimed_by, uploads.c.stored_at)
        rows = {row.key: row for row in connection.execute(stored)}
    missing, suspects, delivered, objects = dict(rows), [], 0, 0
    for key in store.keys(""):
        if key.startswith(TOMBSTONES):
            continue
        objects += 1
        if key.startswith("_"):  # skip keys of no tenant: the quarantine, and leftovers of `portal check`
            suspects.append(key)
        elif key not in rows:
            delivered += 1
        missing.pop(key, None)
    # Rows may have changed while the storage was read, so each suspect is checked again.
    unknown = [key for key in suspects if not _is_asked(db, key)]
    gone = [row for row in missing.values() if row.stored_at and _is_gone(db, store, row)]
    unclaimed = [row for row in gone if row.claimed_by is None]
    elsewhere = _is_elsewhere(sum(1 for row in rows.values() if row.stored_at), len(gone))
    if delete and not elsewhere:
        for key in unknown:
            store.delete(key)
        for row in unclaimed:
            with db.write() as connection:
                mine = (uploads.c.handle == row.handle, uploads.c.claimed_by.is_(None))
                connection.execute(uploads.delete().where(*mine))
    lost = tuple(sorted(row.claimed_by for row in gone if row.claimed_by))
    return Orphans(len(unknown), len(unclaimed), lost, delivered, objects, elsewhere)


def _is_elsewhere(stored: int, gone: int) -> bool:
    return 0 < stored == gone or (stored >= _MANY and gone * _SHARE > stored)


def _is_asked(db: Database, key: str) -> bool:
    return db.exists(sa.select(asked.c.id).where(asked.c.key == key))


def _is_gone(db: Database, store: Store, row: sa.Row[Any]) -> bool:
    with db.read() as connection:
        mine = sa.select(uploads.c.handle).where(uploads.c.handle == row.handle, uploads.c.stored_at.is_not(None))
        if connection.execute(mine).first() is None:
            return False
    try:
        with store.open(row.key):
            return False
    except AttachmentMissing:
        return True


_BATCH = 500


def forget_asked(db: Database, store: Store, *, older_than: float, clock: Clock) -> int:
    """Delete rows older than `older_than` seconds, with files sent and never checked; return how many.

    The object is deleted first: a crash in between leaves a row that the next call finds.
    """
    now = clock.now()
    over = (asked.c.created_at < now - timedelta(seconds=older_than), asked.c.expires_at < now)
    rows = db.rows(sa.select(asked.c.id, asked.c.key).where(*over).limit(_BATCH))
    for row in rows:
        store.delete(row.key)
        db.run(asked.delete().where(asked.c.id == row.id))
    return len(rows)
