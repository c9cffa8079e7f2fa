"""The threads that send the hiring pages' emails and delete what has expired, in each process of the service.

The outbox is the portal's mechanism, on the service's tables: any number of processes share one database.
"""

import threading
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa

from portal.adapters.mail.message import Mailer
from portal.background.mails import queue as mail_queue
from portal.background.mails import quota
from portal.background.mails.deliver import MailComposer
from portal.background.mails.render import Renderer
from portal.background.outbox import worker as outbox
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.wakeup import run_every
from portal.people.signin import codes, sessions
from portal.people.signin.deliver import CodeHandler
from portal.platform.database.db import Database
from portal.platform.logs.outage_log import Outages
from portal.site.design.assets import TEMPLATES, TRANSLATIONS
from portal.tenants.folder import TenantMissing
from portal.tenants.model import MailAddresses, Tenant, TrackerLink
from portal.tracker.hiring import colleagues, company_settings, guard, jobs, privacy
from portal.tracker.hiring.application_list import full_name, job_title, select_applications, title_of
from portal.tracker.hiring.colleagues import DAY, Notify, lock_company, send_email
from portal.tracker.hiring.guard import HiringServices
from portal.tracker.hiring.replies import ReplyHandler
from portal.tracker.hiring.tables import hiring_settings
from portal.tracker.tables import applications, tenants

_THREADS = 8
"""Threads for emails, and as many for codes, so that no code waits for an email that hangs."""
_NOTIFY = 10.0
"""Applications that arrive within these seconds are listed in one email."""
_HOUSEKEEPING = 60.0
_LISTED = 100
"""Applications that one email lists."""
_s = hiring_settings.c


class SenderDirectory:
    """The companies that send emails, as the Tenant objects that email templates use."""

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
        """Return the company with that slug. Raises TenantMissing."""
        if (found := self.get(slug)) is None:
            raise TenantMissing(f"the service has no tenant {slug} any more")
        return found


class HiringMailWorker:
    """Sender of the hiring pages' emails."""

    def __init__(self, services: HiringServices, mailer: Mailer) -> None:
        database, seal, clock = services.database, services.seal, services.clock
        self._database, self._seal, self._clock, self._store = database, seal, clock, services.store
        self._policy, self._outages = Policy(), Outages(clock)
        directory, renderer = SenderDirectory(database, services.base_url), Renderer(TEMPLATES, TRANSLATIONS)
        composer = MailComposer(directory, mailer, renderer, clock, base_url=services.base_url)
        self._handlers: dict[str, outbox.Handler] = {
            mail_queue.KIND: ReplyHandler(database, seal, composer, clock),
            codes.KIND: CodeHandler(
                database,
                seal,
                composer,
                clock,
                is_known_address=lambda slug, email: (
                    (found := colleagues.tenant(database, slug)) is not None
                    and colleagues.find(database, found.id, email) is not None
                ),
                ttl=guard.CODE_TTL,
                unknown="no_colleague",
            ),
        }

    def start(self, stop: threading.Event) -> None:
        """Work in threads until `stop` is set."""
        jobs = [
            partial(run_every, _NOTIFY, self.notify, stop),
            partial(run_every, _HOUSEKEEPING, self.run_housekeeping, stop),
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
        """Queue emails to colleagues about new applications: one for each, or one a day, as each colleague chose.

        Applications that arrive together are listed in one email. Every process checks; of those that check at the same
        time one moves the company's mark, in the transaction that queues the emails, so no colleague is notified twice.
        """
        t, now = tenants.c, self._clock.now()
        here: sa.Select[Any] = sa.select(t.id, t.slug, t.last_turn, _s.notified_turn, _s.digest_turn, _s.digest_at)
        new = t.last_turn > _s.notified_turn
        daily = sa.and_(_s.digest_at <= now, t.last_turn > _s.digest_turn)
        with self._database.read() as connection:
            due = connection.execute(here.join(hiring_settings, _s.tenant_id == t.id).where(new | daily)).all()
        for one in due:
            if one.last_turn > one.notified_turn:
                self._tell(one, Notify.EACH, _s.notified_turn, now)
            if one.digest_at <= now and one.last_turn > one.digest_turn:
                self._tell(one, Notify.DAILY, _s.digest_turn, now)

    def _tell(self, company: sa.Row[Any], which: Notify, mark: sa.Column[datetime], now: datetime) -> None:
        """Move a mark of the company past the reported applications, and queue the emails about them."""
        a, since = applications.c, getattr(company, mark.key)
        with self._database.read() as connection:
            query = select_applications(connection, company.id, a.id, a.turn, job_title(connection))
            arrived = query.where(a.turn > since, a.turn <= company.last_turn, sa.not_(a.is_loaded))
            rows = connection.execute(arrived.order_by(a.turn).limit(_LISTED)).all()
        until = rows[-1].turn if len(rows) == _LISTED else company.last_turn
        moved: dict[str, datetime] = {mark.key: until}
        if which is Notify.DAILY and until == company.last_turn:
            moved["digest_at"] = now + DAY
        with self._database.write() as connection:
            lock_company(connection, company.id)  # a colleague who is being removed gets no email
            here = (_s.tenant_id == company.id, mark == since)
            if connection.execute(hiring_settings.update().where(*here).values(**moved)).rowcount != 1:
                return  # another process reports these
            if rows:
                facts = {"arrived": [[row.id, full_name(row), title_of(row)] for row in rows]}
                send_email(connection, self._seal, company, which, "new_applications", facts, now)

    def run_housekeeping(self) -> None:
        """Give up emails that could not be sent for days, and delete what has expired."""
        database, clock = self._database, self._clock
        outbox.give_up_overdue(database, self._handlers, self._policy, clock)
        sessions.forget_expired(database, ttl=guard.SESSION_TTL, clock=clock)
        mail_queue.forget_settled(database, before=clock.now() - max(timedelta(days=7), quota.DIGESTS_COUNTED_FOR))
        quota.forget_old(database, clock.now())
        jobs.forget_drafts(database, clock.now())
        privacy.announce_erasures(database, self._seal, clock)
        privacy.erase_old(database, self._store, clock)
