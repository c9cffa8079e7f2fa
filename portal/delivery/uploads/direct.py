"""Files that a browser sends directly to the storage: announced, sent to quarantine, checked, then the form's file.

A sent file is stored in the quarantine under a key that is no attachment id. It is accepted only after a check; then
the storage copies exactly the checked bytes to a new key. The row is written before the browser may send, so that every
file is found again and deleted.
"""

import logging
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, BinaryIO, cast

import sqlalchemy as sa

from portal.adapters.inspection import inspection
from portal.adapters.storage.store import INCOMING_TYPE, FormPost, Pinned, ReleaseSlot, Store, clean_filename
from portal.delivery.uploads import storing
from portal.delivery.uploads.announcements import SECONDS, Announcer
from portal.delivery.uploads.cpu_budget import CpuBudget
from portal.delivery.uploads.storing import FileFacts, StoredUpload
from portal.delivery.uploads.tables import asked
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.platform.errors import (
    AttachmentMissing,
    FileKind,
    PortalError,
    StoreError,
    StoreUnavailable,
    UploadReason,
    UploadRefused,
)

log = logging.getLogger(__name__)

QUARANTINE = "_incoming/"
"""Prefix of the keys of unchecked files; no tenant's keys begin so, because a slug has no underscore."""
AT_ONCE = 10
"""Files that may be on their way for one form at the same time."""
_STORING = 60
"""Seconds for the storage to return a file and to copy it."""
CHECKING = timedelta(seconds=inspection.LONGEST + _STORING)
"""The longest that a check can take; after this, the check of a vanished process may be made again."""
_MAX_QUERIES = 20
_PAUSE = 0.25
"""Seconds between queries for the result of another request's check; _MAX_QUERIES is their number."""
_CHUNK = 65_536
_IN_MEMORY = 65_536


class TooManyTickets(PortalError):
    """The maximum number of files is on its way for one form. seconds: until the first of them expires."""

    def __init__(self, seconds: int) -> None:
        super().__init__("too many files are on their way for one form")
        self.seconds = seconds


class FileNotArrived(PortalError):
    """The file has not arrived completely, or was replaced in the meantime."""


class SizeMismatch(PortalError):
    """More bytes arrived than were announced, so it is another file."""


class TicketExpired(PortalError):
    """The announced file can no longer be sent: it expired, was used, or belongs to another form."""


class BeingChecked(PortalError):
    """Another request is still checking this file."""

    transient = True


@dataclass(frozen=True, slots=True)
class UploadTicket:
    """Permission to send one file until `expires`. post: straight to the storage; None: through the portal."""

    id: str
    expires: datetime
    post: FormPost | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class UploadTickets:
    """The files of one form on their way to the quarantine and out of it."""

    db: Database
    store: Store
    seal: Seal
    tenant: str
    form_id: str
    max_bytes: int
    clock: Clock
    waiting: ReleaseSlot = nullcontext
    """A context entered while waiting for another request, or for the inspection."""
    read: bool = False
    """Whether contact details in the CV are wanted."""
    budget: CpuBudget | None = None
    """Of the network that requests the check."""

    def ask(self, filename: str, size: int, by: Announcer) -> UploadTicket:
        """Permit one file of exactly this many bytes.

        Raises UploadRefused, TooManyTickets, StoreError, DatabaseUnavailable.
        """
        if size == 0:
            raise UploadRefused(UploadReason.EMPTY)
        if size > self.max_bytes:
            raise UploadRefused(UploadReason.TOO_LARGE, size=size)
        now = self.clock.now()
        one, key = secrets.token_hex(16), QUARANTINE + secrets.token_urlsafe(24)
        expires = now + timedelta(seconds=SECONDS)
        post = self.store.form_post(key, least=size, most=size, seconds=SECONDS)
        # The real extension is known only after the inspection, but the characters allowed in a name do not depend on
        # it.
        sealed = self.seal.seal(clean_filename(filename, "cv").removesuffix(".cv"))
        row = {"id": one, "tenant": self.tenant, "form_id": self.form_id, "key": key, "sealed": sealed, "size": size}
        row |= {"network": by.network, "wide_network": by.wide_network, "charged": size}
        with self.db.write() as connection:
            on_their_way = (*self._of_form(), asked.c.expires_at > now, _is_open)
            first, many = connection.execute(
                sa.select(sa.func.min(asked.c.expires_at), sa.func.count()).where(*on_their_way)
            ).one()
            if many >= AT_ONCE:
                raise TooManyTickets(max(1, round((first - now).total_seconds())))
            connection.execute(asked.insert().values(**row, created_at=now, expires_at=expires))
        return UploadTicket(one, expires, post)

    def receive(self, one: str, file: BinaryIO, size: int) -> None:
        """Receive a file in the storage's place, under the same conditions as the storage would.

        Raises TicketExpired, UploadRefused, SizeMismatch, FileNotArrived, StoreError, DatabaseUnavailable.
        """
        row = self._row(one)
        if row is None or row.handle or row.refused or row.expires_at <= self.clock.now():
            raise TicketExpired("nothing may be sent there any more")
        if size == 0:
            raise UploadRefused(UploadReason.EMPTY)
        if size > self.max_bytes:
            raise UploadRefused(UploadReason.TOO_LARGE, size=size)
        if row.size and size > row.size:
            raise SizeMismatch("more bytes came than were announced")
        if row.size and size < row.size:
            raise FileNotArrived("not every byte came")
        self.store.put(row.key, file, size=size, media_type=INCOMING_TYPE, filename="cv")

    def check(self, one: str) -> StoredUpload:
        """Check what was sent, and make it the form's file. Repeated calls return the same result.

        Steps: 1. the right to check is taken, committed; 2. the bytes are read once; 3. they are copied as the form's
        new file, pinned by their ETag (see storing); 4. the result is committed; 5. the object in the quarantine is
        deleted. Raises UploadRefused, FileNotArrived, TicketExpired, BeingChecked, StoreError, DatabaseUnavailable.
        """
        for _ in range(_MAX_QUERIES):
            row = self._row(one)
            if row is None:
                raise TicketExpired("there is no such file")
            if row.refused:
                raise _refusal(row)
            if row.handle:
                return self._as_before(row.handle)
            if self._take(one):
                return self._checked(row)
            with self.waiting():
                self.clock.sleep(_PAUSE)
        raise BeingChecked("another request looks at this file")

    def _checked(self, row: sa.Row[Any]) -> StoredUpload:
        try:
            stands = self._look_and_copy(row)
        except UploadRefused as refused:
            reason_text = f"{refused.reason} {refused.kind or ''}"
            self._note(row.id, refused=reason_text, size=refused.size, checking_until=None)
            self._delete(row.key)
            raise
        except AttachmentMissing:
            self._note(row.id, checking_until=None)
            if row.expires_at <= self.clock.now():
                raise TicketExpired("it did not come in time") from None
            raise FileNotArrived("the file has not arrived") from None
        except BaseException:
            self._note(row.id, checking_until=None)
            raise
        self._note(row.id, handle=stands.handle, checking_until=None)
        self._delete(row.key)
        return stands

    def _look_and_copy(self, row: sa.Row[Any]) -> StoredUpload:
        with self.store.open_pinned(row.key) as there, _here(there, self.max_bytes) as file:
            if row.size and there.size != row.size:
                raise UploadRefused(UploadReason.DAMAGED)
            found = inspection.inspect(
                file, max_bytes=self.max_bytes, read=self.read, waiting=self.waiting, budget=self.budget
            )
            filename = clean_filename(self.seal.open(row.sealed), found.extension)
            about, etag = FileFacts(filename, storing.digest(file)), there.etag
        what = storing.stored_of(found, filename)

        def copied(key: str) -> str:
            return self.store.copy(row.key, key, etag=etag, media_type=what.media_type, filename=filename)

        return storing.make_the_forms(
            self.db,
            self.store,
            self.seal,
            tenant=self.tenant,
            form_id=self.form_id,
            about=about,
            what=what,
            put=copied,
            clock=self.clock,
        )

    def _as_before(self, handle: str) -> StoredUpload:
        found = storing.find(self.db, self.seal, tenant=self.tenant, form_id=self.form_id, handle=handle)
        if found is None:
            raise TicketExpired("the file is no longer the form's")
        return found

    def _row(self, one: str) -> sa.Row[Any] | None:
        return self.db.row(sa.select(asked).where(asked.c.id == one, *self._of_form()))

    def _take(self, one: str) -> bool:
        now, until = self.clock.now(), asked.c.checking_until
        free = (asked.c.id == one, _is_open, sa.or_(until.is_(None), until < now))
        with self.db.write() as connection:
            taking = asked.update().where(*free).values(checking_until=now + CHECKING)
            return connection.execute(taking).rowcount == 1

    def _note(self, one: str, **columns: object) -> None:
        self.db.run(asked.update().where(asked.c.id == one).values(**columns))

    def _delete(self, key: str) -> None:
        try:
            self.store.delete(key)
        except StoreError as error:
            log.warning("a checked file is deleted from the quarantine later: %s", error)  # deleted by forget_asked

    def _of_form(self) -> tuple[sa.ColumnElement[bool], ...]:
        return (asked.c.tenant == self.tenant, asked.c.form_id == self.form_id)


def _refusal(row: sa.Row[Any]) -> UploadRefused:
    reason, _, kind = row.refused.partition(" ")
    return UploadRefused(UploadReason(reason), kind=FileKind(kind) if kind else None, size=row.size)


_is_open = sa.and_(asked.c.handle.is_(None), asked.c.refused.is_(None))


@contextmanager
def _here(there: Pinned, most: int) -> Iterator[BinaryIO]:
    """Yield an object's bytes as a seekable file: a temporary copy if the storage is remote.

    Of an object that is too large, little more than `most` bytes are copied.
    """
    if there.content.seekable():
        yield there.content
        return
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as copy:
        came = 0
        while came <= most and (chunk := there.content.read(_CHUNK)):
            came += len(chunk)
            try:
                copy.write(chunk)
            except OSError:
                raise StoreUnavailable("a file cannot be inspected: the temporary folder is full") from None
        if came != there.size and came <= most:
            raise StoreUnavailable("the store ended before the end of an object")
        yield cast("BinaryIO", copy)
