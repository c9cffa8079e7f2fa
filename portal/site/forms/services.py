"""The services of pages with forms; each feature is passed only those that it needs."""

from collections.abc import Callable
from dataclasses import dataclass

from portal.adapters.storage.store import Store
from portal.delivery.envelopes import references
from portal.delivery.envelopes.references import LostReference
from portal.gateway.concurrency import ConcurrencyLimit
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.crypto.signing import FormSigner
from portal.platform.database.db import Database
from portal.platform.rate_limits import Throttle
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.retention import RetentionPeriod, period


@dataclass(frozen=True, slots=True)
class FormServices:
    """The services of a form without a file."""

    database: Database
    tenants: Tenants
    seal: Seal
    signer: FormSigner
    clock: Clock
    throttle: Throttle
    base_url: str


@dataclass(frozen=True, slots=True)
class UploadServices(FormServices):
    """The services of a form with a CV.

    places_short_of_space: returns the places with too little disk space to accept files.
    """

    store: Store
    concurrency: ConcurrencyLimit
    places_short_of_space: Callable[[], list[str]]
    max_cv_bytes: int
    scanner_enabled: bool
    """Whether each file is scanned before it is delivered."""
    forget_after: int
    """PORTAL_FORGET_AFTER, in seconds."""

    def find_lost(self, tenant: Tenant, kind: str, reference: str) -> LostReference | None:
        """Return what is known about an unknown reference of a tenant; see references.find_lost."""
        return references.find_lost(
            self.database,
            self.seal,
            tenant=tenant.slug,
            kind=kind,
            reference=reference,
            retention=period(tenant.retention, RetentionPeriod.RECEIPTS, otherwise=self.forget_after),
            now=self.clock.now(),
        )
