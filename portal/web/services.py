"""What every slice is handed: the parts that app.py wired, by argument."""

from dataclasses import dataclass

from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.settings import Settings
from portal.tenants.folder import Tenants


@dataclass(frozen=True, slots=True)
class Services:
    """One of these per application; a slice's `blueprint(services)` closes over it."""

    settings: Settings
    database: Database
    tenants: Tenants
    store: Store
    clock: Clock
