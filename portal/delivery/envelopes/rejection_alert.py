"""Alert a tenant's operator when the service rejects the tenant's requests, which no retry will fix.

Several workers look at the same time, so each look is one transaction: 1. misconfigured lanes are locked; 2. operators
who got an email since the failure began, or within the hour, are skipped; 3. the others' emails are queued and
committed.
"""

from datetime import timedelta

from portal.background.mails import queue as letters
from portal.background.outbox import health
from portal.delivery.envelopes.kinds import lane
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.tenants.folder import Tenants

_TEMPLATE = "turned_away"
_PAUSE = timedelta(hours=1)


def tell_of_what_is_turned_away(db: Database, seal: Seal, tenants: Tenants, clock: Clock) -> None:
    """Queue an email to each operator concerned who has not been notified yet."""
    slugs = {lane(tenant.slug): tenant for tenant in tenants.all() if tenant.mail.operator}
    if not health.open_breakers(db):
        return  # read without a lock first, because nearly always there is none
    now = clock.now()
    with db.write() as connection:
        for broken in health.lock_broken(connection):
            tenant = slugs.get(broken.lane)
            if tenant is None or tenant.mail.operator is None:
                continue
            known = letters.last_sent(connection, tenant=tenant.slug, template=_TEMPLATE)
            if known is not None and (known >= broken.since or known > now - _PAUSE):
                continue
            letters.send(
                connection,
                seal,
                tenant=tenant.slug,
                template=_TEMPLATE,
                locale=tenant.site.locales[0],
                recipient=tenant.mail.operator,
                facts={"refused": "yes" if broken.reason == "KeyRefused" else None},
                now=now,
            )
