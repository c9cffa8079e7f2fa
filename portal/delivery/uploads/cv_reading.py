"""Read the contact details in a stored CV from the file storage: they are not stored when the file is."""

import shutil
import tempfile
from contextlib import nullcontext
from typing import BinaryIO, cast

from portal.adapters.cv_reader.result import CvDetails
from portal.adapters.inspection.inspection import read_again
from portal.adapters.storage.store import Store, Waiting
from portal.delivery.uploads import storing
from portal.delivery.uploads.cpu_budget import CpuBudget
from portal.platform.database.db import Database
from portal.platform.errors import AttachmentMissing, StoreUnavailable

_CHUNK = 65_536


def said_by(
    db: Database,
    store: Store,
    *,
    tenant: str,
    form_id: str,
    handle: str,
    waiting: Waiting = nullcontext,
    budget: CpuBudget | None = None,
) -> CvDetails | None:
    """Return the contact details in a CV; None if the file is gone, or could not be read before.

    waiting: a context entered while it is read. budget: of the network that asks. Raises StoreError,
    DatabaseUnavailable.
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
    return reading.said
