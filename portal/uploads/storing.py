"""CV files between the browser and what they are sent with.

The row is written before the object, so that an object which was stored and never recorded is still found and
deleted. The browser holds the handle only; the key is the attachment id and leaves for the service alone.

A form has one stored file at a time, so that whoever has one form fills no disk with it. Posts of one form that arrive
at once wait for each other where it is said which file is the form's: the same file is stored once, and of different
ones the last stands.
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

from portal.attachments.filenames import clean_filename
from portal.attachments.inspection import inspect
from portal.attachments.reading.said import CvSaid
from portal.attachments.store import Store, Waiting
from portal.clock import Clock
from portal.db import EPOCH, Database
from portal.errors import AttachmentMissing, StoreError
from portal.sealing import Seal
from portal.uploads.tables import uploads

log = logging.getLogger(__name__)

_CHUNK = 64 * 1024
_BATCH = 500


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """A CV that was checked and stored, not yet part of a delivery. The attachment's key is not in here."""

    handle: str
    filename: str = field(repr=False)
    size: int
    media_type: str
    pages: int | None = None
    """Where the kind of file has pages, and says how many."""
    said: CvSaid | None = field(default=None, repr=False)
    """What it says, where it was read just now; it is never kept."""


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
    read: bool = False,
    waiting: Waiting = nullcontext,
) -> StoredUpload:
    """Check a seekable file and store it. Raises UploadRefused, StoreError or DatabaseUnavailable.

    read: whether what the CV says is wanted. waiting: entered while it is looked into.

    1. what it is, by content; 2. its row, with the key it will have; 3. the object; 4. in one transaction the row says
    that it is stored, and the form's former file is nobody's; 5. the former object is deleted.
    """
    found = inspect(file, max_bytes=max_bytes, read=read, waiting=waiting)
    about = About(clean_filename(filename, found.extension), digest(file))
    what = StoredUpload("", about.filename, found.size, found.media_type, found.pages, found.said)

    def put(key: str) -> str:
        file.seek(0)
        return store.put(key, file, size=what.size, media_type=what.media_type, filename=what.filename)

    return make_the_forms(db, store, seal, tenant=tenant, form_id=form_id, about=about, what=what, put=put, clock=clock)


def find(db: Database, seal: Seal, *, tenant: str, form_id: str, handle: str) -> StoredUpload | None:
    """The stored file behind a handle, for the tenant and form it was stored for and no other."""
    query = sa.select(uploads).where(*_stored_for(tenant, form_id, handle))
    with db.read() as connection:
        row = connection.execute(query).one_or_none()
    return _stored(seal, row) if row else None


def key_of(db: Database, *, tenant: str, form_id: str, handle: str) -> str | None:
    """Where it is stored; for no page and no log. Raises DatabaseUnavailable."""
    with db.read() as connection:
        row = connection.execute(sa.select(uploads.c.key).where(*_stored_for(tenant, form_id, handle))).one_or_none()
    return row.key if row else None


def hand_over(db: Database, *, tenant: str, handle: str, form_id: str, to_form: str) -> bool:
    """Whether the file of one form, which nobody claimed, is another one's from here on. Raises DatabaseUnavailable."""
    theirs = (*_stored_for(tenant, form_id, handle), uploads.c.claimed_by.is_(None))
    with db.write() as connection:
        return connection.execute(uploads.update().where(*theirs).values(form_id=to_form)).rowcount == 1


def carry_over(
    db: Database, store: Store, seal: Seal, *, tenant: str, handle: str, form_id: str, to_form: str, clock: Clock
) -> str | None:
    """The handle under which the file of one form is stored for another one; None where it is no longer there.

    A file that nobody claimed moves; one that was sent already is copied, so that each delivery has its own.
    Raises StoreError, DatabaseUnavailable.
    """
    if hand_over(db, tenant=tenant, handle=handle, form_id=form_id, to_form=to_form):
        return handle
    with db.read() as connection:
        row = connection.execute(sa.select(uploads).where(*_stored_for(tenant, form_id, handle))).one_or_none()
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
            about=About.opened(seal, row.sealed),
            what=what,
            put=copied,
            clock=clock,
        ).handle
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
            _delete(db, store, row.handle, row.key)
    return len(rows)


def make_the_forms(
    db: Database,
    store: Store,
    seal: Seal,
    *,
    tenant: str,
    form_id: str,
    about: About,
    what: StoredUpload,
    put: Callable[[str], str],
    clock: Clock,
) -> StoredUpload:
    """Have `put` bring a checked file to a new key, and make it the form's; what stands, under its handle.

    put: key → ETag of the object. what: the file but for its handle. Raises what `put` raises, StoreError,
    DatabaseUnavailable.
    """
    handle, key = secrets.token_hex(16), f"{tenant}/{secrets.token_urlsafe(24)}"
    row = {"handle": handle, "tenant": tenant, "form_id": form_id, "key": key, "sealed": about.sealed(seal)}
    known = {"size": what.size, "media_type": what.media_type, "pages": what.pages}
    with db.write() as connection:
        connection.execute(uploads.insert().values(**row, **known, created_at=clock.now()))
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
            log.warning("a file that was replaced is deleted later: %s", error)  # by delete_unclaimed
    return replace(what, handle=stands)


def _is_the_forms(
    connection: sa.Connection, seal: Seal, tenant: str, form_id: str, handle: str, about: About
) -> tuple[str, list[tuple[str, str]]]:
    """Which file is the form's from here on, and what is nobody's any more: its former one, or this one again.

    What a delivery has claimed stays, whatever its form stores after it.
    """
    u = uploads.c
    if connection.dialect.name != "sqlite":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtext(form_id))))
    stored = (u.tenant == tenant, u.form_id == form_id, u.stored_at.is_not(None))
    former = connection.execute(sa.select(u.handle, u.sealed).where(*stored)).all()
    stands = next((one.handle for one in former if About.opened(seal, one.sealed) == about), handle)
    over = u.handle.in_([one.handle for one in former]) if stands == handle else u.handle == handle
    let_go = uploads.update().where(over, u.claimed_by.is_(None)).values(stored_at=None, created_at=EPOCH)
    return stands, [(one.handle, one.key) for one in connection.execute(let_go.returning(u.handle, u.key))]


def _delete(db: Database, store: Store, handle: str, key: str) -> None:
    """The object of a row that no form can claim any more, outside of any transaction; then the row."""
    store.delete(key)
    with db.write() as connection:
        connection.execute(uploads.delete().where(uploads.c.handle == handle, uploads.c.claimed_by.is_(None)))


def _stored(seal: Seal, row: sa.Row[Any]) -> StoredUpload:
    return StoredUpload(row.handle, About.opened(seal, row.sealed).filename, row.size, row.media_type, row.pages)


def _stored_for(tenant: str, form_id: str, handle: str) -> tuple[sa.ColumnElement[bool], ...]:
    u = uploads.c
    return (u.handle == handle, u.tenant == tenant, u.form_id == form_id, u.stored_at.is_not(None))


def digest(file: BinaryIO) -> str:
    """SHA-256 of a file's bytes, in hex digits."""
    file.seek(0)
    found = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        found.update(chunk)
    return found.hexdigest()
