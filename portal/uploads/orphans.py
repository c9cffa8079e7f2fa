"""Objects and rows that have lost each other.

A row is written before its object and deleted after it, so an object that no row knows is one of two: in the
quarantine, where rows always come first, nobody's; below a company's name the attachment of something delivered, whose
row was forgotten with everything else that was personal. The first is deleted; the second belongs to the service.
"""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from portal.attachments.store import Store
from portal.db import Database
from portal.errors import AttachmentMissing
from portal.uploads.tables import asked, uploads

_MANY, _SHARE = 10, 5
"""Of at least so many files, more than one in so many gone are no accident of a few."""


@dataclass(frozen=True, slots=True)
class Orphans:
    """unknown: objects of the quarantine that no row knows. without_file: forms whose stored file is gone. lost:
    references of deliveries whose file is gone. delivered: objects that the service alone knows. objects: of all.
    elsewhere: so many files are gone that this is more likely another store than theirs, or a disk that is away.
    """

    unknown: int
    without_file: int
    lost: tuple[str, ...]
    delivered: int
    objects: int
    elsewhere: bool = False


def find(db: Database, store: Store, *, delete: bool = False) -> Orphans:
    """Compare both ways. delete: unknown objects, and rows of forms without a file; whoever has such a form chooses it
    again; nothing where the store seems to be another. Raises StoreError, DatabaseUnavailable.
    """
    with db.read() as connection:
        stored = sa.select(uploads.c.key, uploads.c.handle, uploads.c.claimed_by, uploads.c.stored_at)
        rows = {row.key: row for row in connection.execute(stored)}
    missing, suspects, delivered, objects = dict(rows), [], 0, 0
    for key in store.keys(""):
        objects += 1
        if key.startswith("_"):  # no tenant's: the quarantine, and what a preflight left behind
            suspects.append(key)
        elif key not in rows:
            delivered += 1
        missing.pop(key, None)
    # Rows may have come and gone while the store was read: who is suspected is looked at again.
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
    with db.read() as connection:
        return connection.execute(sa.select(asked.c.id).where(asked.c.key == key)).first() is not None


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
