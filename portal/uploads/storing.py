"""CV files between the browser and what they are sent with.

The row is written before the object, so that an object which was stored and never recorded is still found and
deleted. The browser holds the handle only; the key is the attachment id and leaves for the service alone.
"""

import hashlib
import json
import secrets
import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import timedelta
from typing import BinaryIO, cast

import sqlalchemy as sa

from portal.attachments.filenames import clean_filename
from portal.attachments.inspection import inspect
from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.errors import AttachmentMissing
from portal.sealing import Seal
from portal.uploads.tables import uploads

_CHUNK = 64 * 1024
_BATCH = 500


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """A CV that was checked and stored, not yet part of a delivery. The attachment's key is not in here."""

    handle: str
    filename: str = field(repr=False)
    size: int
    media_type: str


@dataclass(frozen=True, slots=True)
class About:
    """What only the portal can read of a stored file: its name as its owner knows it, and the SHA-256 of its bytes."""

    filename: str = field(repr=False)
    sha256: str = field(repr=False)

    def sealed(self, seal: Seal) -> str:
        """For the database."""
        return seal.seal(json.dumps([self.filename, self.sha256]))

    @classmethod
    def opened(cls, seal: Seal, sealed: str) -> "About":
        """From the database."""
        return cls(*json.loads(seal.open(sealed)))


def store_file(
    db: Database,
    store: Store,
    seal: Seal,
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
    about = About(clean_filename(filename, found.extension), _digest(file))
    handle = _put(
        db,
        store,
        tenant=tenant,
        form_id=form_id,
        file=file,
        filename=about.filename,
        sealed=about.sealed(seal),
        size=found.size,
        media_type=found.media_type,
        clock=clock,
    )
    return StoredUpload(handle, about.filename, found.size, found.media_type)


def find(db: Database, seal: Seal, *, tenant: str, form_id: str, handle: str) -> StoredUpload | None:
    """The stored file behind a handle, for the tenant and form it was stored for and no other."""
    query = sa.select(uploads).where(*_stored_for(tenant, form_id, handle))
    with db.read() as connection:
        row = connection.execute(query).one_or_none()
    return StoredUpload(row.handle, About.opened(seal, row.sealed).filename, row.size, row.media_type) if row else None


def carry_over(
    db: Database, store: Store, seal: Seal, *, tenant: str, handle: str, form_id: str, to_form: str, clock: Clock
) -> str | None:
    """The handle under which the file of one form is stored for another one; None where it is no longer there.

    A file that nobody claimed moves; one that was sent already is copied, so that each delivery has its own.
    Raises StoreError, DatabaseUnavailable.
    """
    u = uploads.c
    with db.write() as connection:
        moved = connection.execute(
            uploads.update()
            .where(*_stored_for(tenant, form_id, handle), u.claimed_by.is_(None))
            .values(form_id=to_form)
        )
        if moved.rowcount == 1:
            return handle
    with db.read() as connection:
        row = connection.execute(sa.select(uploads).where(*_stored_for(tenant, form_id, handle))).one_or_none()
    if row is None:
        return None
    try:
        with store.open(row.key) as file, tempfile.SpooledTemporaryFile(max_size=_CHUNK) as copy:
            shutil.copyfileobj(file, copy, _CHUNK)
            return _put(
                db,
                store,
                tenant=tenant,
                form_id=to_form,
                file=cast("BinaryIO", copy),
                filename=About.opened(seal, row.sealed).filename,
                sealed=row.sealed,
                size=row.size,
                media_type=row.media_type,
                clock=clock,
            )
    except AttachmentMissing:
        return None


def delete_unclaimed(db: Database, store: Store, *, older_than: float, clock: Clock) -> int:
    """Delete what no delivery claimed within `older_than` seconds; returns how many.

    1. not stored any more, committed: no form can claim it from here on; 2. the object, outside of any transaction;
    3. the row. A crash between them leaves a row that the next call finds.
    """
    before = clock.now() - timedelta(seconds=older_than)
    query = sa.select(uploads.c.handle, uploads.c.key).where(
        uploads.c.claimed_by.is_(None), uploads.c.created_at < before
    )
    with db.read() as connection:
        rows = connection.execute(query.limit(_BATCH)).all()
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


def _put(
    db: Database,
    store: Store,
    *,
    tenant: str,
    form_id: str,
    file: BinaryIO,
    filename: str,
    sealed: str,
    size: int,
    media_type: str,
    clock: Clock,
) -> str:
    handle, key = secrets.token_hex(16), f"{tenant}/{secrets.token_urlsafe(24)}"
    row = {"handle": handle, "tenant": tenant, "form_id": form_id, "key": key, "sealed": sealed, "size": size}
    with db.write() as connection:
        connection.execute(uploads.insert().values(**row, media_type=media_type, created_at=clock.now()))
    file.seek(0)
    etag = store.put(key, file, size=size, media_type=media_type, filename=filename)
    with db.write() as connection:
        connection.execute(
            uploads.update().where(uploads.c.handle == handle).values(etag=etag[:100], stored_at=clock.now())
        )
    return handle


def _stored_for(tenant: str, form_id: str, handle: str) -> tuple[sa.ColumnElement[bool], ...]:
    u = uploads.c
    return (u.handle == handle, u.tenant == tenant, u.form_id == form_id, u.stored_at.is_not(None))


def _digest(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()
