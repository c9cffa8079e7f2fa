"""What the pages with forms use; each feature is passed no more than what it needs."""

from collections.abc import Callable
from dataclasses import dataclass

from portal.adapters.storage.store import Store
from portal.gateway.concurrency import ConcurrencyLimit
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.crypto.signing import FormSigner
from portal.platform.database.db import Database
from portal.platform.rate_limits import Throttle
from portal.tenants.folder import Tenants


@dataclass(frozen=True, slots=True)
class FormServices:
    """What a form without a file uses."""

    database: Database
    tenants: Tenants
    seal: Seal
    signer: FormSigner
    clock: Clock
    throttle: Throttle
    base_url: str


@dataclass(frozen=True, slots=True)
class UploadServices(FormServices):
    """What a form with a CV uses. short_of_room: returns the places with too little disk space to accept files."""

    store: Store
    room: ConcurrencyLimit
    short_of_room: Callable[[], list[str]]
    max_cv_bytes: int
    scans: bool
    """Whether each file is scanned before it is delivered."""
