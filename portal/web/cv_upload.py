"""The CV of one form: what its person chose, what is stored of it, and what they are told of it."""

import logging
from dataclasses import dataclass, field
from typing import ClassVar

from portal.attachments.reading.said import CvSaid
from portal.errors import UploadReason, UploadRefused
from portal.logs import Seen, seen
from portal.parts import Parts
from portal.signing import new_form_id
from portal.uploads import storing
from portal.uploads.reading_again import said_by
from portal.uploads.storing import StoredUpload
from portal.web.body import PostedFile
from portal.web.fields import cv

log = logging.getLogger(__name__)


@dataclass(slots=True)
class CvUpload:
    """handle: of the file that is stored for this form. stored: what is known of it, unless the database is away.

    error: why there is none, or why the last one was not taken: then an earlier one stands. carried: a token that goes
    back as it came, because nothing of the form was looked into. no_room: because a disk of ours is nearly full.
    reads: whether what the file says is wanted.
    """

    accept: ClassVar = cv.ACCEPTED_FILES

    parts: Parts = field(repr=False)
    tenant: str
    form_id: str
    handle: str | None = None
    stored: StoredUpload | None = None
    error: str = ""
    carried: str = ""
    no_room: bool = False
    reads: bool = False

    @property
    def token(self) -> str | None:
        """For the form's hidden field `upload`."""
        if self.carried:
            return self.carried
        signer = self.parts.signer
        return self.handle and signer.sign_upload(tenant=self.tenant, form_id=self.form_id, handle=self.handle)

    @property
    def about(self) -> str:
        """What the stored file is, in words."""
        stored = self.stored
        return cv.described(stored.media_type, stored.size, stored.pages) if stored else ""

    @property
    def max_bytes(self) -> int:
        """What a file may have."""
        return self.parts.settings.max_cv_bytes

    @property
    def max_size(self) -> str:
        """The same in words."""
        return cv.size_in_words(self.max_bytes)

    def trust(self, token: str) -> None:
        """Take up the CV that an earlier post of this form stored, without asking whether it is still there."""
        self.handle = self.parts.signer.read_upload(token, tenant=self.tenant, form_id=self.form_id)

    def find(self, token: str) -> None:
        """Take up the CV that an earlier post of this form stored. Raises DatabaseUnavailable."""
        handle = self.parts.signer.read_upload(token, tenant=self.tenant, form_id=self.form_id)
        if handle:
            self._take_up(handle)

    def bring(self, handle: str, *, of_form: str) -> None:
        """Take up the CV that was stored for another form, or for this one already. Raises DatabaseUnavailable."""
        self._take_up(handle)
        if self.handle is None:
            other = CvUpload(self.parts, self.tenant, of_form)
            other._take_up(handle)
            self.handle, self.stored, self.error = other.handle, other.stored, other.error

    def take(self, file: PostedFile | None, *, required: bool = False, known: bool = True) -> None:
        """Store the CV that came, or say what is wrong. Raises StoreError, DatabaseUnavailable.

        known: False where the form is none that we made; nothing is stored for it.
        """
        parts = self.parts
        if file is None:
            if required and not self.handle:
                self.error = self.error or cv.missing()
            return
        try:
            if file.size > self.max_bytes:
                raise UploadRefused(UploadReason.TOO_LARGE, size=file.size)
            if not known:
                self.error = cv.not_kept()
                return
            if short := parts.disks.short():
                log.error("files are not taken: too little room for %s", ", ".join(short))
                self.no_room, self.error = True, cv.no_room()
                return
            self.stored = storing.store_file(
                parts.database,
                parts.store,
                parts.seal,
                tenant=self.tenant,
                form_id=self.form_id,
                file=file.content(),
                filename=file.name,
                max_bytes=self.max_bytes,
                clock=parts.clock,
                read=self.reads,
                waiting=parts.room.left,
            )
            self.handle, self.error = self.stored.handle, ""
        except UploadRefused as refused:
            seen(Seen.UPLOAD_REFUSED, tenant=self.tenant, reason=refused.reason)
            self.error = cv.refused(refused, limit=self.max_bytes)

    def said(self) -> CvSaid | None:
        """What the file says, read just now. Raises StoreError, DatabaseUnavailable."""
        if not self.handle or (self.stored and self.stored.said):
            return self.stored.said if self.stored else None
        return said_by(
            self.parts.database,
            self.parts.store,
            tenant=self.tenant,
            form_id=self.form_id,
            handle=self.handle,
            max_bytes=self.max_bytes,
            waiting=self.parts.room.left,
        )

    def lose(self) -> None:
        """Ask for the CV again: what was stored is gone."""
        self.handle, self.stored, self.error = None, None, cv.gone()

    def start_another(self) -> None:
        """Belong to a form of a new id, with the same file. Raises StoreError, DatabaseUnavailable."""
        parts, another = self.parts, new_form_id()
        carried = self.handle and storing.carry_over(
            parts.database,
            parts.store,
            parts.seal,
            tenant=self.tenant,
            handle=self.handle,
            form_id=self.form_id,
            to_form=another,
            clock=parts.clock,
        )
        # Only now: where the store is away it stays the form that it was, with its file.
        self.form_id = another
        if self.handle:
            self._take_up(carried)

    def _take_up(self, handle: str | None) -> None:
        parts, self.handle = self.parts, handle
        if handle:
            self.stored = storing.find(
                parts.database, parts.seal, tenant=self.tenant, form_id=self.form_id, handle=handle
            )
        if not (handle and self.stored):
            self.lose()
