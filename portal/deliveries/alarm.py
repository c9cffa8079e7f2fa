"""A tenant's operator hears when the service turns deliveries away, which no waiting will mend.

Workers look at once, so one look is one transaction: 1. the lanes that are broken are locked; 2. who had a letter since
the break, or within the hour, is left out; 3. the others' letters are queued, and all is committed.
"""

from datetime import timedelta

from portal.clock import Clock
from portal.db import Database
from portal.deliveries.accept import lane
from portal.letters import queue as letters
from portal.outbox import health
from portal.sealing import Seal
from portal.tenants.folder import Tenants

_TEMPLATE = "turned_away"
_PAUSE = timedelta(hours=1)


def tell_of_what_is_turned_away(db: Database, seal: Seal, tenants: Tenants, clock: Clock) -> None:
    """Queue a letter to each operator concerned who does not know yet."""
    slugs = {lane(tenant.slug): tenant for tenant in tenants.all() if tenant.mail.operator}
    if not health.open_breakers(db):
        return  # looked at without a lock first, since this is how it nearly always is
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
                facts={"slug": tenant.slug, "refused": "yes" if broken.reason == "KeyRefused" else None},
                now=now,
            )
