"""The threads that send the hiring pages' emails and delete what has expired, in each process of the service.

The outbox is the portal's mechanism, on the service's tables: any number of processes share one database.
"""

import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from portal.adapters.mail.message import Mailer
from portal.background.mails import queue as mail_queue
from portal.background.mails import quota
from portal.background.mails.deliver import MailComposer
from portal.background.mails.render import Renderer
from portal.background.outbox import worker as outbox
from portal.background.outbox.retry_policy import Policy
from portal.people.signin import codes, sessions
from portal.people.signin.deliver import CodeHandler
from portal.platform.database.db import Database
from portal.platform.errors import PortalError, error_location
from portal.platform.logs.outage_log import Outages
from portal.site.design.assets import TEMPLATES, TRANSLATIONS
from portal.tenants.folder import TenantAway
from portal.tenants.model import MailAddresses, Tenant, TrackerLink
from portal.tracker.hiring import colleagues, company_settings, guard, jobs, notifications, privacy
from portal.tracker.hiring.guard import HiringServices
from portal.tracker.hiring.replies import ReplyHandler

log = logging.getLogger(__name__)
_THREADS = 8
"""Threads for emails, and as many for codes, so that no code waits for an email that hangs."""
_NOTIFY = 10.0
"""Applications that arrive within these seconds are told of in one email."""
_HOUSEKEEPING = 60.0


class SenderDirectory:
    """The companies in whose name emails are sent, as the email templates know a company."""

    def __init__(self, database: Database, base_url: str) -> None:
        self._database, self._base_url = database, base_url

    def get(self, slug: str) -> Tenant | None:
        """Return the company with that slug, or None."""
        found = colleagues.tenant(self._database, slug)
        if found is None:
            return None
        sender = MailAddresses(sender=company_settings.of(self._database, found.id).sender)
        return Tenant(slug, found.name, TrackerLink(self._base_url, slug, ""), mail=sender)

    def require(self, slug: str) -> Tenant:
        """Return the company with that slug. Raises TenantAway."""
        if (found := self.get(slug)) is None:
            raise TenantAway(f"the service has no tenant {slug} any more")
        return found


class HiringMailWorker:
    """Sender of the hiring pages' emails."""

    def __init__(self, services: HiringServices, mailer: Mailer) -> None:
        database, seal, clock = services.database, services.seal, services.clock
        self._database, self._seal, self._clock, self._store = database, seal, clock, services.store
        self._policy, self._outages = Policy(), Outages(clock)
        directory, renderer = SenderDirectory(database, services.base_url), Renderer(TEMPLATES, TRANSLATIONS)
        post = MailComposer(directory, mailer, renderer, clock, base_url=services.base_url)
        self._handlers: dict[str, outbox.Handler] = {
            mail_queue.KIND: ReplyHandler(database, seal, post, clock),
            codes.KIND: CodeHandler(
                database,
                seal,
                post,
                clock,
                known=lambda slug, email: _is_colleague(database, slug, email),
                ttl=guard.CODE_TTL,
                unknown="no_colleague",
            ),
        }

    def start(self, stop: threading.Event) -> None:
        """Work in threads until `stop` is set."""
        jobs = [
            partial(self._repeat, self.notify, _NOTIFY, stop),
            partial(self._repeat, self.keep_house, _HOUSEKEEPING, stop),
        ]
        for kind, handler in self._handlers.items():
            own, common = {kind: handler}, (self._policy, self._clock, stop)
            batcher = outbox.batcher_of(self._database, own, *common, outages=self._outages, threads=_THREADS)
            jobs += [partial(outbox.run, own, *common, batcher)] * _THREADS
        for job in jobs:
            threading.Thread(target=job, daemon=True, name="hiring").start()

    def send_what_is_due(self) -> None:
        """Send every email that is due now."""
        while outbox.step(self._database, self._handlers, self._policy, self._clock, outages=self._outages):
            pass

    def notify(self) -> None:
        """Queue emails to colleagues about applications that arrived."""
        notifications.notify(self._database, self._seal, self._clock)

    def keep_house(self) -> None:
        """Give up emails that could not be sent for days, and delete what has expired."""
        database, clock = self._database, self._clock
        outbox.give_up_overdue(database, self._handlers, self._policy, clock)
        sessions.forget_expired(database, ttl=guard.SESSION_TTL, clock=clock)
        mail_queue.forget_settled(database, before=clock.now() - max(timedelta(days=7), quota.COUNTED))
        quota.forget_old(database, clock.now())
        jobs.forget_drafts(database, clock.now())
        privacy.announce(database, self._seal, clock)
        privacy.erase_old(database, self._store, clock)

    def _repeat(self, job: Callable[[], None], every: float, stop: threading.Event) -> None:
        while not stop.wait(every):
            try:
                job()
            except PortalError as error:
                log.error("hiring pages: %s", error)  # noqa: TRY400  expected during an outage of a dependency
            except Exception as error:  # noqa: BLE001  one error must not end the emails for good
                log.error("hiring pages: internal error: %s", error_location(error))  # noqa: TRY400  no personal data


def _is_colleague(database: Database, slug: str, email: str) -> bool:
    found = colleagues.tenant(database, slug)
    return found is not None and colleagues.find(database, found.id, email) is not None
