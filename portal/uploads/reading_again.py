"""What a stored CV says, read from the store: nothing of it was kept when it was stored."""

import shutil
import tempfile
from contextlib import nullcontext
from typing import BinaryIO, cast

from portal.attachments.inspection import inspect
from portal.attachments.reading.said import CvSaid
from portal.attachments.store import Store, Waiting
from portal.db import Database
from portal.errors import AttachmentMissing, StoreUnavailable, UploadRefused
from portal.uploads import storing

_CHUNK = 65_536


def said_by(
    db: Database,
    store: Store,
    *,
    tenant: str,
    form_id: str,
    handle: str,
    max_bytes: int,
    waiting: Waiting = nullcontext,
) -> CvSaid | None:
    """None where the file is no longer there. Raises StoreError, DatabaseUnavailable.

    waiting: entered while it is read.
    """
    key = storing.key_of(db, tenant=tenant, form_id=form_id, handle=handle)
    if key is None:
        return None
    try:
        with store.open(key) as file, tempfile.SpooledTemporaryFile(max_size=_CHUNK) as copy:
            try:
                shutil.copyfileobj(file, copy, _CHUNK)
            except OSError:
                raise StoreUnavailable("a stored file could not be read again") from None
            return inspect(cast("BinaryIO", copy), max_bytes=max_bytes, read=True, waiting=waiting).said
    except (AttachmentMissing, UploadRefused):
        return None
