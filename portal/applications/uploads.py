"""CV files between the browser and a submission.

The row is written before the object, so that an object which was stored and never recorded is still found and
deleted. The browser holds the handle only; the key is the attachment id and leaves for the service alone.
"""

import hashlib
import secrets
from datetime import timedelta
from typing import BinaryIO

import sqlalchemy as sa

from portal.applications.accept import UploadGone
from portal.applications.model import StoredUpload
from portal.applications.tables import uploads
from portal.attachments.filenames import clean_filename
from portal.attachments.inspection import inspect
from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import EPOCH, Database

_CHUNK = 64 * 1024


def keep(
    db: Database,
    store: Store,
    *,
    tenant: str,
    form_id: str,
    file: BinaryIO,
    filename: str,
    max_bytes: int,
    clock: Clock,
) -> StoredUpload:
    """Check a seekable file and store it. Raises UploadRefused, StoreError or DatabaseUnavailable.

    1. what it is, by content; 2. its row, with the key it will have; 3. the object; 4. the row says it is stored.
    """
    found = inspect(file, max_bytes=max_bytes)
    name = clean_filename(filename, found.extension)
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    handle, key = secrets.token_hex(16), f"{tenant}/{secrets.token_urlsafe(24)}"
    with db.write() as connection:
        connection.execute(
            uploads.insert().values(
                handle=handle,
                tenant=tenant,
                form_id=form_id,
                key=key,
                filename=name,
                media_type=found.media_type,
                size=found.size,
                sha256=digest.hexdigest(),
                created_at=clock.now(),
            )
        )
    file.seek(0)
    etag = store.put(key, file, size=found.size, media_type=found.media_type, filename=name)
    with db.write() as connection:
        connection.execute(
            uploads.update().where(uploads.c.handle == handle).values(etag=etag[:100], stored_at=clock.now())
        )
    return StoredUpload(handle, name, found.size, found.media_type)


def find(db: Database, *, tenant: str, form_id: str, handle: str) -> StoredUpload | None:
    """The stored file behind a handle, for the tenant and form it was stored for and no other."""
    query = sa.select(uploads).where(
        uploads.c.handle == handle,
        uploads.c.tenant == tenant,
        uploads.c.form_id == form_id,
        uploads.c.stored_at.is_not(None),
    )
    with db.read() as connection:
        row = connection.execute(query).one_or_none()
    return StoredUpload(row.handle, row.filename, row.size, row.media_type) if row else None


def delete_unclaimed(db: Database, store: Store, *, older_than: float, clock: Clock) -> int:
    """Delete what no submission claimed within `older_than` seconds; returns how many.

    1. not stored any more, committed: no form can claim it from here on; 2. the object, outside of any transaction;
    3. the row. A crash between them leaves a row that the next call finds.
    """
    before = clock.now() - timedelta(seconds=older_than)
    query = sa.select(uploads.c.handle, uploads.c.key).where(
        uploads.c.claimed_by.is_(None), uploads.c.created_at < before
    )
    with db.read() as connection:
        rows = connection.execute(query.limit(500)).all()
    for row in rows:
        # Only while it is still unclaimed: a form that is being posted right now keeps its file.
        unclaimed = (uploads.c.handle == row.handle, uploads.c.claimed_by.is_(None))
        with db.write() as connection:
            ours = connection.execute(uploads.update().where(*unclaimed).values(stored_at=None)).rowcount == 1
        if ours:
            store.delete(row.key)
            with db.write() as connection:
                connection.execute(uploads.delete().where(*unclaimed))
    return len(rows)


def claim(connection: sa.Connection, *, tenant: str, form_id: str, handle: str, reference: str) -> str:
    """Make a stored file part of `reference`, once; returns its key. Raises UploadGone."""
    claimed = connection.execute(
        uploads.update()
        .where(
            uploads.c.handle == handle,
            uploads.c.tenant == tenant,
            uploads.c.form_id == form_id,
            uploads.c.stored_at.is_not(None),
            uploads.c.claimed_by.is_(None),
        )
        .values(claimed_by=reference)
        .returning(uploads.c.key)
    ).scalar_one_or_none()
    if claimed is None:
        raise UploadGone("the stored CV is no longer there, or belongs to another submission")
    return str(claimed)


def of_reference(connection: sa.Connection, reference: str) -> str | None:
    """The key of the file that was claimed by a reference."""
    return connection.execute(sa.select(uploads.c.key).where(uploads.c.claimed_by == reference)).scalar()


def let_go(connection: sa.Connection, reference: str) -> None:
    """A claimed file that will not be sent: no form can claim it, and the next delete_unclaimed deletes it."""
    nobodys = {"claimed_by": None, "stored_at": None, "filename": "", "created_at": EPOCH}
    connection.execute(uploads.update().where(uploads.c.claimed_by == reference).values(**nobodys))


def forget(connection: sa.Connection, reference: str) -> None:
    """Forget a claimed file's name and key; the object stays where it is."""
    connection.execute(uploads.delete().where(uploads.c.claimed_by == reference))
