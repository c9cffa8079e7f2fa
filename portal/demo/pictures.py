"""The demo's logos and header pictures. The URLs in its tenant files are invented, so these cannot be fetched."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from portal.jobs.mirror import version
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.checking import checked

_DRAWN = Path(__file__).parent / "data" / "pictures"
_NEVER = timedelta(days=36_500)


def hang(database: Database, tenants: Iterable[Tenant], clock: Clock) -> None:
    """Store the drawings as if they had been fetched. If somebody edits a picture's URL, that one is fetched."""
    for tenant in tenants:
        for kind, address in stored_pictures.addresses(tenant).items():
            drawn = _DRAWN / f"{tenant.slug}-{kind}.svg"
            if address.endswith(f".example/{kind}.svg") and drawn.exists():
                picture = checked(drawn.read_bytes(), kind)
                until = clock.now() + _NEVER
                stored_pictures.keep(database, tenant.slug, kind, address, picture, until=until, renew=version.renew)
