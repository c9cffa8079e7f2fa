"""The CV of one form: the chosen file, the stored upload, and the messages about them."""

import shutil
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import BinaryIO, ClassVar, cast

from portal.adapters.cv_reader.result import CvDetails
from portal.adapters.inspection.inspection import read_again
from portal.adapters.storage.store import ReleaseSlot, Store
from portal.delivery.uploads import refusal_counts, storing
from portal.delivery.uploads.cpu_budget import CpuBudget
from portal.delivery.uploads.storing import StoredUpload
from portal.platform.crypto.signing import new_form_id
from portal.platform.database.db import Database
from portal.platform.errors import AttachmentMissing, StoreUnavailable, UploadReason, UploadRefused
from portal.site.forms.fields import cv
from portal.site.forms.request_body import PostedFile
from portal.site.forms.services import UploadServices

_CHUNK = 65_536


@dataclass(slots=True)
class CvUpload:
    """The CV of one form."""

    accept: ClassVar = cv.ACCEPTED_FILES

    services: UploadServices = field(repr=False)
    tenant: str
    form_id: str
    handle: str | None = None
    """The handle of the file stored for the form."""
    stored: StoredUpload | None = None
    """Details of that file; None while the database is unavailable."""
    error: str = ""
    """Why there is no file, or why the last one was rejected; an earlier one then stays stored."""
    code: str = ""
    """The same for programs, one of cv.CODES."""
    carried: str = ""
    """The file's token as posted, not verified yet; sent back unchanged if the form is returned before the token is
    checked."""
    disk_full: bool = False
    """A disk of the portal is nearly full."""
    reads: bool = False
    """Whether contact details in the file are wanted as suggestions."""

    @property
    def token(self) -> str | None:
        """The value of the form's hidden field `upload`."""
        if self.carried:
            return self.carried
        signer = self.services.signer
        return self.handle and signer.sign_upload(tenant=self.tenant, form_id=self.form_id, handle=self.handle)

    @property
    def about(self) -> str:
        """A description of the stored file in words."""
        stored = self.stored
        return cv.described(stored.media_type, stored.size, stored.pages) if stored else ""

    @property
    def max_bytes(self) -> int:
        """The largest size of a file in bytes."""
        return self.services.max_cv_bytes

    @property
    def hint(self) -> str:
        """Which files are accepted, in words."""
        return cv.hint(self.max_bytes)

    @property
    def max_size(self) -> str:
        """The largest size of a file in words."""
        return cv.size_in_words(self.max_bytes)

    def use_without_lookup(self, token: str) -> None:
        """Use the CV that an earlier post of this form stored, without checking that it still exists."""
        self.handle = self.services.signer.read_upload(token, tenant=self.tenant, form_id=self.form_id)

    def find(self, token: str) -> None:
        """Use the CV that an earlier post of this form stored. Raises DatabaseUnavailable."""
        self.use_without_lookup(token)
        if self.handle:
            self._take_up(self.handle)

    def bring(self, handle: str, *, of_form: str) -> None:
        """Use the CV that was stored for another form, or already for this one. Raises DatabaseUnavailable."""
        self._take_up(handle)
        if self.handle is None:
            other = CvUpload(self.services, self.tenant, of_form)
            other._take_up(handle)
            self.handle, self.stored, self.error, self.code = other.handle, other.stored, other.error, other.code

    def take(
        self, file: PostedFile | None, remote_address: str | None, *, required: bool = False, known: bool = True
    ) -> None:
        """Store the posted CV, or set `error`. Raises StoreError, DatabaseUnavailable.

        remote_address: of the sender. known: False if this portal did not issue the form; then nothing is stored.
        """
        services = self.services
        if file is None:
            if required and not self.handle:
                self.error, self.code = (self.error, self.code) if self.error else (str(cv.NOT_CHOSEN), cv.MISSING)
            return
        try:
            if file.size > self.max_bytes:
                raise UploadRefused(UploadReason.TOO_LARGE, size=file.size)
            if not known:
                self.error = str(cv.NOT_KEPT)
                return
            if services.places_short_of_space():
                self.disk_full, self.error, self.code = True, str(cv.STORAGE_FULL), cv.DISK_FULL
                return
            self.stored = storing.store_file(
                services.database,
                services.store,
                services.seal,
                tenant=self.tenant,
                form_id=self.form_id,
                file=file.content(),
                filename=file.name,
                max_bytes=self.max_bytes,
                clock=services.clock,
                read=self.reads,
                waiting=services.concurrency.slot_released,
                budget=CpuBudget(services.throttle, remote_address),
            )
            self.handle, self.error, self.code = self.stored.handle, "", ""
        except UploadRefused as refused:
            refusal_counts.count(services.database, tenant=self.tenant, reason=refused.reason, now=services.clock.now())
            self.error, self.code = cv.refused(refused, limit=self.max_bytes), refused.reason

    def read_details(self, remote_address: str | None) -> CvDetails | None:
        """Return the details in the file, reading it now if necessary; None if unknown. Raises StoreError,
        DatabaseUnavailable.

        remote_address: of the requester.
        """
        if not self.handle or (self.stored and (self.stored.details or self.stored.unreadable)):
            return self.stored.details if self.stored else None
        return details_in(
            self.services.database,
            self.services.store,
            tenant=self.tenant,
            form_id=self.form_id,
            handle=self.handle,
            waiting=self.services.concurrency.slot_released,
            budget=CpuBudget(self.services.throttle, remote_address),
        )

    def discard_missing(self) -> None:
        """Ask for the CV again, because the stored file is gone."""
        self.handle, self.stored, self.error, self.code = None, None, str(cv.NO_LONGER_STORED), cv.GONE

    def continue_as_new_form(self) -> None:
        """Give the form a new id, with the same file. Raises StoreError, DatabaseUnavailable."""
        services, another = self.services, new_form_id()
        carried = self.handle and storing.copy_for_other_form(
            services.database,
            services.store,
            services.seal,
            tenant=self.tenant,
            handle=self.handle,
            form_id=self.form_id,
            to_form=another,
            clock=services.clock,
        )
        # Set last, so that the form keeps its id and its file if the file storage is unavailable.
        self.form_id = another
        if self.handle:
            self._take_up(carried)

    def _take_up(self, handle: str | None) -> None:
        services, self.handle = self.services, handle
        if handle:
            self.stored = storing.find(
                services.database, services.seal, tenant=self.tenant, form_id=self.form_id, handle=handle
            )
        if not (handle and self.stored):
            self.discard_missing()


def details_in(
    db: Database,
    store: Store,
    *,
    tenant: str,
    form_id: str,
    handle: str,
    waiting: ReleaseSlot = nullcontext,
    budget: CpuBudget | None = None,
) -> CvDetails | None:
    """Return the contact details in a stored CV; None if the file is gone, or could not be read before.

    They are read again from the file storage, because they are not stored when the file is. waiting: a context
    entered while it is read. budget: of the network that asks. Raises StoreError, DatabaseUnavailable.
    """
    found = storing.readable(db, tenant=tenant, form_id=form_id, handle=handle)
    if found is None:
        return None
    key, media_type = found
    try:
        with store.open(key) as file, tempfile.SpooledTemporaryFile(max_size=_CHUNK) as copy:
            try:
                shutil.copyfileobj(file, copy, _CHUNK)
            except OSError:
                raise StoreUnavailable("a stored file could not be read again") from None
            reading = read_again(cast("BinaryIO", copy), media_type, waiting=waiting, budget=budget)
    except AttachmentMissing:
        return None
    if reading.unreadable:
        storing.note_unreadable(db, handle)
    return reading.details
