"""A tenant's service that rejects every request, because something is misconfigured: no retry will fix it.

The tenant's operator is alerted. Several workers check at the same time, so each check is one transaction: 1.
misconfigured lanes are locked; 2. operators who got an email since the failure began, or within the hour, are skipped;
3. the others' emails are queued and committed.

A pause after 401, 403 or 3xx lasts ten minutes. It ends at once after a successful sync of the vacancies or `portal
check`, which use the same base_url and key, or when [tracker] of the tenant file or the key file changes.
"""

import logging
from collections.abc import Collection
from datetime import timedelta
from queue import SimpleQueue

from portal.background.mails import queue as mail_queue
from portal.background.outbox import health, queue
from portal.delivery.envelopes.kinds import lane
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.tenants.folder import Tenants
from portal.tenants.model import TrackerLink

_TEMPLATE = "turned_away"
_PAUSE = timedelta(hours=1)

log = logging.getLogger(__name__)


def notify_of_rejected_deliveries(db: Database, seal: Seal, tenants: Tenants, clock: Clock) -> None:
    """Queue an email to each operator concerned who has not been notified yet."""
    slugs = {lane(tenant.slug): tenant for tenant in tenants.all() if tenant.mail.operator}
    if not health.open_breakers(db):
        return  # read without a lock first, because there is nearly always no misconfigured lane
    now = clock.now()
    with db.write() as connection:
        for broken in health.lock_broken(connection):
            tenant = slugs.get(broken.lane)
            if tenant is None or tenant.mail.operator is None:
                continue
            known = mail_queue.last_sent(connection, tenant=tenant.slug, template=_TEMPLATE)
            if known is not None and (known >= broken.since or known > now - _PAUSE):
                continue
            mail_queue.send(
                connection,
                seal,
                tenant=tenant.slug,
                template=_TEMPLATE,
                locale=tenant.site.locales[0],
                recipient=tenant.mail.operator,
                facts={"refused": "yes" if broken.reason == "KeyRefused" else None},
                now=now,
            )


def resume(db: Database, slugs: Collection[str], clock: Clock) -> None:
    """End the pauses of these tenants that a misconfiguration caused: one delivery is tried, then the others follow."""
    ended = set(queue.end_broken_pauses(db, [lane(slug) for slug in slugs], clock.now()))
    for slug in slugs:
        if lane(slug) in ended:
            log.info("deliveries to %s are tried again: its service works, or its file or key has changed", slug)


class Resumer:
    """Ends pauses of tenants whose service works again, or whose [tracker] section or key changed."""

    def __init__(self, db: Database, tenants: Tenants, clock: Clock) -> None:
        self._db, self._tenants, self._clock = db, tenants, clock
        self._known: dict[str, TrackerLink] = {}
        self._working: SimpleQueue[str] = SimpleQueue()

    def note_working(self, slug: str) -> None:
        """Note a successful sync, from any thread. One later statement resumes all tenants noted until then."""
        self._working.put(slug)

    def resume_working(self) -> None:
        """Resume the deliveries of the tenants noted since the last call; one thread calls this."""
        slugs = {self._working.get() for _ in range(self._working.qsize())}
        if slugs:
            resume(self._db, slugs, self._clock)

    def resume_changed(self) -> None:
        """Resume the deliveries of tenants that changed since the last call; the first call counts all as changed."""
        found = {tenant.slug: tenant.tracker for tenant in self._tenants.all()}
        changed = [slug for slug, tracker in found.items() if self._known.get(slug) != tracker]
        if changed:
            resume(self._db, changed, self._clock)
        self._known = found
