"""Store CV files until they are sent with a delivery.

The row is written before the object, so that an object that was stored but never recorded is still found and deleted.
The browser gets the handle only; the key is the attachment id and is sent to the service alone.

A form has one stored file at a time, so that one form cannot fill a disk. Concurrent posts of one form wait for each
other when the form's file is set: the same file is stored once, and of different ones the last one wins.
"""

import hashlib
import json
import logging
import secrets
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, BinaryIO

import sqlalchemy as sa

from portal.adapters.cv_reader.result import CvDetails
from portal.adapters.inspection.inspection import Inspected, inspect
from portal.adapters.storage.store import ReleaseSlot, Store, clean_filename
from portal.delivery.uploads.cpu_budget import CpuBudget
from portal.delivery.uploads.tables import uploads
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import EPOCH, Database
from portal.platform.errors import AttachmentMissing, StoreError

log = logging.getLogger(__name__)

_CHUNK = 64 * 1024
_BATCH = 500


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """A CV that was checked and stored, not yet part of a delivery. The attachment's key is not included."""

    handle: str
    filename: str = field(repr=False)
    size: int
    media_type: str
    pages: int | None = None
    """Where the file type has pages and states their number."""
    details: CvDetails | None = field(default=None, repr=False)
    """Contact details found in the CV, if it was read just now; they are never stored."""
    unreadable: bool = False
    """Whether reading it failed, so that it is not tried again."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The sealed facts about a stored file: its name as its owner knows it, and the SHA-256 of its bytes."""

    filename: str = field(repr=False)
    sha256: str = field(repr=False)

    def sealed(self, seal: Seal) -> str:
        """Return the encrypted form for the database."""
        return seal.seal(json.dumps([self.filename, self.sha256]))

    @classmethod
    def opened(cls, seal: Seal, sealed: str) -> "FileFacts":
        """Decrypt the form in the database."""
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
    read: bool = False,
    waiting: ReleaseSlot = nullcontext,
    budget: CpuBudget | None = None,
) -> StoredUpload:
    """Check a seekable file and store it. Raises UploadRefused, StoreError or DatabaseUnavailable.

    read: whether contact details in the CV are wanted. waiting: a context entered during inspection. budget: the
    sender's.

    Steps: 1. the file is inspected by content; 2. its row is written, with its future key; 3. the object is stored; 4.
    in one transaction the row is marked as stored, and the form's former file is released; 5. the former object is
    deleted.
    """
    found = inspect(file, max_bytes=max_bytes, read=read, waiting=waiting, budget=budget)
    about = FileFacts(clean_filename(filename, found.extension), digest(file))
    what = stored_of(found, about.filename)

    def put(key: str) -> str:
        file.seek(0)
        return store.put(key, file, size=what.size, media_type=what.media_type, filename=what.filename)

    return make_the_forms(db, store, seal, tenant=tenant, form_id=form_id, about=about, what=what, put=put, clock=clock)


def find(db: Database, seal: Seal, *, tenant: str, form_id: str, handle: str) -> StoredUpload | None:
    """Return the stored file of a handle, only for the tenant and form that it was stored for."""
    query = sa.select(uploads).where(*_stored_for(tenant, form_id, handle))
    row = db.row(query)
    return _stored(seal, row) if row else None


def stored_of(found: Inspected, filename: str) -> StoredUpload:
    """Return what the inspection found, before the file has a handle."""
    return StoredUpload("", filename, found.size, found.media_type, found.pages, found.details, found.unreadable)


def note_unreadable(db: Database, handle: str) -> None:
    """Record that reading the CV failed and would fail again. Raises DatabaseUnavailable."""
    db.run(uploads.update().where(uploads.c.handle == handle).values(unreadable=True))


def readable(db: Database, *, tenant: str, form_id: str, handle: str) -> tuple[str, str] | None:
    """Return key and media type of a stored file; None if it is gone, or could not be read before.

    The key must appear on no page and in no log. Raises DatabaseUnavailable.
    """
    row = db.row(sa.select(uploads).where(*_stored_for(tenant, form_id, handle)))
    return (row.key, row.media_type) if row and not row.unreadable else None


def move_to_other_form(db: Database, *, tenant: str, handle: str, form_id: str, to_form: str) -> bool:
    """Move an unclaimed file from one form to another; return whether it was moved. Raises DatabaseUnavailable."""
    theirs = (*_stored_for(tenant, form_id, handle), uploads.c.claimed_by.is_(None))
    return db.run(uploads.update().where(*theirs).values(form_id=to_form)) == 1


def copy_for_other_form(
    db: Database, store: Store, seal: Seal, *, tenant: str, handle: str, form_id: str, to_form: str, clock: Clock
) -> str | None:
    """Return the handle of one form's file, stored for another form; None if it is no longer there.

    An unclaimed file is moved; one that was sent already is copied, so that each delivery has its own. Raises
    StoreError, DatabaseUnavailable.
    """
    if move_to_other_form(db, tenant=tenant, handle=handle, form_id=form_id, to_form=to_form):
        return handle
    row = db.row(sa.select(uploads).where(*_stored_for(tenant, form_id, handle)))
    if row is None:
        return None
    what = _stored(seal, row)

    def copied(key: str) -> str:
        with store.open_pinned(row.key) as found:
            etag = found.etag
        return store.copy(row.key, key, etag=etag, media_type=what.media_type, filename=what.filename)

    try:
        return make_the_forms(
            db,
            store,
            seal,
            tenant=tenant,
            form_id=to_form,
            about=FileFacts.opened(seal, row.sealed),
            what=what,
            put=copied,
            clock=clock,
        ).handle
    except AttachmentMissing:
        return None


def delete_unclaimed(db: Database, store: Store, *, older_than: float, clock: Clock) -> int:
    """Delete files that no delivery claimed within `older_than` seconds; return how many rows were processed.

    Steps: 1. the row is marked as not stored, committed: no form can claim it from then on; 2. the object is deleted,
    outside any transaction; 3. the row is deleted. A crash in between leaves a row that the next call finds.
    """
    before = clock.now() - timedelta(seconds=older_than)
    query = sa.select(uploads.c.handle, uploads.c.key).where(
        uploads.c.claimed_by.is_(None), uploads.c.created_at < before
    )
    rows = db.rows(query.limit(_BATCH))
    for row in rows:
        # Only while it is still unclaimed, so that a form that is being posted right now does not lose its file.
        unclaimed = (uploads.c.handle == row.handle, uploads.c.claimed_by.is_(None))
        ours = db.run(uploads.update().where(*unclaimed).values(stored_at=None)) == 1
        if ours:
            _delete(db, store, row.handle, row.key)
    return len(rows)


def make_the_forms(
    db: Database,
    store: Store,
    seal: Seal,
    *,
    tenant: str,
    form_id: str,
    about: FileFacts,
    what: StoredUpload,
    put: Callable[[str], str],
    clock: Clock,
) -> StoredUpload:
    """Store a checked file under a new key by calling `put`, make it the form's file, and return the file that applies.

    put: key → ETag of the object. what: the file without its handle. Raises what `put` raises, StoreError,
    DatabaseUnavailable.
    """
    handle, key = secrets.token_hex(16), f"{tenant}/{secrets.token_urlsafe(24)}"
    row = {"handle": handle, "tenant": tenant, "form_id": form_id, "key": key, "sealed": about.sealed(seal)}
    known = {"size": what.size, "media_type": what.media_type, "pages": what.pages, "unreadable": what.unreadable}
    db.run(uploads.insert().values(**row, **known, created_at=clock.now()))
    etag = put(key)
    with db.write() as connection:
        stands, gone = _is_the_forms(connection, seal, tenant, form_id, handle, about)
        if stands == handle:
            stored = {"etag": etag[:100], "stored_at": clock.now()}
            connection.execute(uploads.update().where(uploads.c.handle == handle).values(**stored))
    for one in gone:
        try:
            _delete(db, store, *one)
        except StoreError as error:
            log.warning("a file that was replaced is deleted later: %s", error)  # deleted by delete_unclaimed
    return replace(what, handle=stands)


def _is_the_forms(
    connection: sa.Connection, seal: Seal, tenant: str, form_id: str, handle: str, about: FileFacts
) -> tuple[str, list[tuple[str, str]]]:
    """Return the handle of the form's file from now on, and the files to delete.

    These are the former file, or this one if it equals the former. A file that a delivery has claimed is kept even if
    its form stores another one afterwards.
    """
    u = uploads.c
    if connection.dialect.name != "sqlite":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(form_id))))
    stored = (u.tenant == tenant, u.form_id == form_id, u.stored_at.is_not(None))
    former = connection.execute(sa.select(u.handle, u.sealed).where(*stored)).all()
    stands = next((one.handle for one in former if FileFacts.opened(seal, one.sealed) == about), handle)
    over = u.handle.in_([one.handle for one in former]) if stands == handle else u.handle == handle
    let_go = uploads.update().where(over, u.claimed_by.is_(None)).values(stored_at=None, created_at=EPOCH)
    return stands, [(one.handle, one.key) for one in connection.execute(let_go.returning(u.handle, u.key))]


def _delete(db: Database, store: Store, handle: str, key: str) -> None:
    """Delete the object of a row that no form can claim any more, outside any transaction; then the row."""
    store.delete(key)
    db.run(uploads.delete().where(uploads.c.handle == handle, uploads.c.claimed_by.is_(None)))


def _stored(seal: Seal, row: sa.Row[Any]) -> StoredUpload:
    filename = FileFacts.opened(seal, row.sealed).filename
    return StoredUpload(row.handle, filename, row.size, row.media_type, row.pages, unreadable=row.unreadable)


def _stored_for(tenant: str, form_id: str, handle: str) -> tuple[sa.ColumnElement[bool], ...]:
    u = uploads.c
    return (u.handle == handle, u.tenant == tenant, u.form_id == form_id, u.stored_at.is_not(None))


def digest(file: BinaryIO) -> str:
    """Return the SHA-256 of a file's bytes, in hex digits."""
    file.seek(0)
    found = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        found.update(chunk)
    return found.hexdigest()
