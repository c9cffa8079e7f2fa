"""A file that a browser sends to the store by itself: asked for, sent to the quarantine, checked, and then the form's.

What is sent lies under a key of its own that is nobody's attachment. It counts once it was looked at; then the store
copies the very bytes that were looked at to a new key. The row is written before anybody may send, so that whatever
comes is found again and deleted.
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

from portal.attachments.filenames import clean_filename
from portal.attachments.inspection import Inspected, inspect
from portal.attachments.store import INCOMING_TYPE, FormPost, Pinned, Store, Waiting
from portal.clock import Clock
from portal.db import Database
from portal.errors import (
    AttachmentMissing,
    FileKind,
    PortalError,
    StoreError,
    StoreUnavailable,
    UploadReason,
    UploadRefused,
)
from portal.sealing import Seal
from portal.uploads import storing
from portal.uploads.storing import About, StoredUpload
from portal.uploads.tables import asked

log = logging.getLogger(__name__)

QUARANTINE = "_incoming/"
"""What keys of unchecked files begin with; no tenant's do, because a slug has no underscore."""
SECONDS = 600
"""In which sending has to begin."""
AT_ONCE = 10
"""Files that may be on their way for one form."""
_CHECKING = timedelta(seconds=60)
"""After this a check whose process vanished is made again by who asks again."""
_LOOKS = 20
_PAUSE = 0.25
"""Seconds between looks at a check that another request makes, and how many looks."""
_CHUNK = 65_536
_IN_MEMORY = 65_536


class TooManyAsked(PortalError):
    """As many files as may be are on their way for one form. seconds: until one of them no longer can."""

    def __init__(self, seconds: int) -> None:
        super().__init__("too many files are on their way for one form")
        self.seconds = seconds


class NotThereYet(PortalError):
    """The file has not arrived whole, or another came meanwhile."""


class AnotherCame(PortalError):
    """More came than was announced, so it is another file."""


class AskOver(PortalError):
    """What was asked for can no longer come: it took too long, was used, or is of another form."""


class BeingChecked(PortalError):
    """Another request still looks at this file."""

    transient = True


@dataclass(frozen=True, slots=True)
class Asked:
    """What may be sent until `expires`. post: straight to the store; None: through the portal."""

    id: str
    expires: datetime
    post: FormPost | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Asking:
    """The way of files to the quarantine and out of it, for one form."""

    db: Database
    store: Store
    seal: Seal
    tenant: str
    form_id: str
    max_bytes: int
    clock: Clock
    waiting: Waiting = nullcontext
    """Entered while another request, or who looks into the file, is waited for."""
    read: bool = False
    """Whether what the CV says is wanted."""

    def ask(self, filename: str, size: int) -> Asked:
        """Let one file come, of exactly so many bytes.

        Raises UploadRefused, TooManyAsked, StoreError, DatabaseUnavailable.
        """
        if size == 0:
            raise UploadRefused(UploadReason.EMPTY)
        if size > self.max_bytes:
            raise UploadRefused(UploadReason.TOO_LARGE, size=size)
        now = self.clock.now()
        one, key = secrets.token_hex(16), QUARANTINE + secrets.token_urlsafe(24)
        expires = now + timedelta(seconds=SECONDS)
        post = self.store.form_post(key, least=size, most=size, seconds=SECONDS)
        # Only its end is known to be wrong or right later; what a name may hold does not depend on it.
        sealed = self.seal.seal(clean_filename(filename, "cv").removesuffix(".cv"))
        row = {"id": one, "tenant": self.tenant, "form_id": self.form_id, "key": key, "sealed": sealed, "size": size}
        with self.db.write() as connection:
            on_their_way = (*self._of_form(), asked.c.expires_at > now, _is_open)
            first, many = connection.execute(
                sa.select(sa.func.min(asked.c.expires_at), sa.func.count()).where(*on_their_way)
            ).one()
            if many >= AT_ONCE:
                raise TooManyAsked(max(1, round((first - now).total_seconds())))
            connection.execute(asked.insert().values(**row, created_at=now, expires_at=expires))
        return Asked(one, expires, post)

    def receive(self, one: str, file: BinaryIO, size: int) -> None:
        """Take a file that the portal receives in the store's place, under the same conditions as the store would.

        Raises AskOver, UploadRefused, AnotherCame, NotThereYet, StoreError, DatabaseUnavailable.
        """
        row = self._row(one)
        if row is None or row.handle or row.refused or row.expires_at <= self.clock.now():
            raise AskOver("nothing may be sent there any more")
        if size == 0:
            raise UploadRefused(UploadReason.EMPTY)
        if size > self.max_bytes:
            raise UploadRefused(UploadReason.TOO_LARGE, size=size)
        if row.size and size > row.size:
            raise AnotherCame("more bytes came than were announced")
        if row.size and size < row.size:
            raise NotThereYet("not every byte came")
        self.store.put(row.key, file, size=size, media_type=INCOMING_TYPE, filename="cv")

    def check(self, one: str) -> StoredUpload:
        """Look at what was sent, and make it the form's. Asked again it says the same again.

        1. who checks, committed; 2. the bytes, read once; 3. copied as the form's new file, pinned by their ETag (see
        storing); 4. what came of it, committed; 5. the quarantine's object is deleted. Raises UploadRefused,
        NotThereYet, AskOver, BeingChecked, StoreError, DatabaseUnavailable.
        """
        for _ in range(_LOOKS):
            row = self._row(one)
            if row is None:
                raise AskOver("there is no such file")
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
            said = f"{refused.reason} {refused.kind or ''}"
            self._note(row.id, refused=said, size=refused.size, checking_until=None)
            self._delete(row.key)
            raise
        except AttachmentMissing:
            self._note(row.id, checking_until=None)
            if row.expires_at <= self.clock.now():
                raise AskOver("it did not come in time") from None
            raise NotThereYet("the file has not arrived") from None
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
            found: Inspected = inspect(file, max_bytes=self.max_bytes, read=self.read, waiting=self.waiting)
            filename = clean_filename(self.seal.open(row.sealed), found.extension)
            about, etag = About(filename, storing.digest(file)), there.etag
        what = StoredUpload("", filename, found.size, found.media_type, found.pages, found.said)

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
            raise AskOver("the file is no longer the form's")
        return found

    def _row(self, one: str) -> sa.Row[Any] | None:
        with self.db.read() as connection:
            return connection.execute(sa.select(asked).where(asked.c.id == one, *self._of_form())).one_or_none()

    def _take(self, one: str) -> bool:
        now, until = self.clock.now(), asked.c.checking_until
        free = (asked.c.id == one, _is_open, sa.or_(until.is_(None), until < now))
        with self.db.write() as connection:
            taking = asked.update().where(*free).values(checking_until=now + _CHECKING)
            return connection.execute(taking).rowcount == 1

    def _note(self, one: str, **said: object) -> None:
        with self.db.write() as connection:
            connection.execute(asked.update().where(asked.c.id == one).values(**said))

    def _delete(self, key: str) -> None:
        try:
            self.store.delete(key)
        except StoreError as error:
            log.warning("a checked file is deleted from the quarantine later: %s", error)  # by forget_asked

    def _of_form(self) -> tuple[sa.ColumnElement[bool], ...]:
        return (asked.c.tenant == self.tenant, asked.c.form_id == self.form_id)


def _refusal(row: sa.Row[Any]) -> UploadRefused:
    reason, _, kind = row.refused.partition(" ")
    return UploadRefused(UploadReason(reason), kind=FileKind(kind) if kind else None, size=row.size)


_is_open = sa.and_(asked.c.handle.is_(None), asked.c.refused.is_(None))


@contextmanager
def _here(there: Pinned, most: int) -> Iterator[BinaryIO]:
    """An object's bytes, as a file that can seek: a copy where they come from elsewhere.

    Of one that is too large, a byte too many and no more is copied.
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
                raise StoreUnavailable("there is no room to look at a file: the temporary folder is full") from None
        if came != there.size and came <= most:
            raise StoreUnavailable("the store ended before the end of an object")
        yield cast("BinaryIO", copy)
