"""Background work: deliver, scan, sync, send emails, run housekeeping, push to search engines, fetch pictures."""

import threading
from collections.abc import Callable, Mapping
from functools import partial

from portal import housekeeping
from portal.adapters.inspection.scanner import open_scanner
from portal.adapters.mail.transports import open_mailer
from portal.adapters.tracker_client.errors import CertificateExpired
from portal.background.mails import queue as mail_queue
from portal.background.mails.deliver import MailComposer, MailHandler
from portal.background.mails.render import MailColours, MailDesign, Renderer, logos_of
from portal.background.outbox import heartbeat, wakeup
from portal.background.outbox import worker as outbox
from portal.background.outbox.claim import retry_unreadable
from portal.background.outbox.retry_policy import policy_of
from portal.background.outbox.wakeup import WorkLoop, run_each, run_every, run_guarded
from portal.background.sync import state
from portal.background.sync.health import Certificates
from portal.background.sync.run import PassOptions, Report
from portal.background.sync.schedule import DuePass, DuePassFinder, SyncedList, SyncPool, attempt, due
from portal.background.sync.state import SyncIntervals, rules_with_source
from portal.background.sync.tables import ListName
from portal.delivery.envelopes.handler import DeliveryHandler
from portal.delivery.envelopes.misconfiguration import Resumer
from portal.delivery.envelopes.scanning import Scanning
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import tombstones
from portal.delivery.record_changes import undo_links
from portal.jobs.alerts.sending import AlertSender
from portal.jobs.mirror import mirror, version
from portal.jobs.mirror.ingest import rules_hash
from portal.jobs.pushes import job_events
from portal.jobs.pushes.changes import channels_of, queue_changes
from portal.jobs.pushes.search_engines import SearchEngineUrls
from portal.jobs.pushes.webhooks import push_handlers
from portal.people.index import index
from portal.people.signin import codes
from portal.people.signin.deliver import CodeHandler
from portal.platform.database.engines import SESSIONS
from portal.platform.logs import Part
from portal.platform.logs.outage_log import CHECK_EVERY
from portal.services import Services
from portal.site.alerts.views import parse_saved_search
from portal.site.design import accent
from portal.site.design.assets import TEMPLATES, TRANSLATIONS
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures as pictures
from portal.tenants.pictures.fetching import PictureDownloader

_SCAN_THREADS = 4
"""A scan mostly waits for database, storage and clamd, which scans ten files at once by default."""
_URGENT_STEPS_EVERY = 10.0
"""Seconds between runs of housekeeping's urgent steps."""
_CLEANUP_EVERY = 60.0
"""The same for cleanup steps; fewer where PORTAL_PURGE_AFTER is shorter, but at least _CLEANUP_EVERY_MIN."""
_CLEANUP_EVERY_MIN = 5.0
"""Shorter pauses would only add queries."""
_RETENTION_EVERY = 3_600.0
_PICTURES_EVERY = 10.0
_ALERTS_EVERY = 30.0
_MAIL_THREADS = 8
"""Threads for emails, and as many for codes: a hanging mail server delays no deliveries, and emails delay no codes."""

_PUSH_THREADS = 2
_WEBHOOK_THREADS = 4
"""Threads for webhooks alone, so that a hanging webhook delays no notice to search engines."""
_PUSH_CHECK = 15.0
"""Seconds between checks; without changes, a check costs two small queries for each tenant that uses pushes."""


class WorkerThreads:
    """Threads of a worker, and the same work one step at a time for tests."""

    def __init__(self, services: Services, urls: SearchEngineUrls = SearchEngineUrls()) -> None:  # noqa: B008  it is immutable
        self._services = services
        settings, database = services.settings, services.database
        tenants, clock = services.tenants, services.clock
        self._heartbeat = heartbeat.Heartbeat(database, clock)
        self._running: list[threading.Thread] = []
        self._policy = policy_of(settings)
        self._intervals = SyncIntervals(settings.sync_interval, settings.reconcile_interval)
        self._vacancies = SyncedList(ListName.VACANCIES, rules_hash, self._sync_vacancies)
        self._candidates = SyncedList(
            ListName.CANDIDATES, lambda tenant: rules_with_source(tenant.tracker), self._sync_candidates
        )
        max_check = (settings.delivery_lease - settings.delivery_deadline) * 3 / 4
        deliveries = DeliveryHandler(
            database, services.seal, KINDS, tenants, services.upstream, clock, max_check_seconds=max_check
        )
        self._deliveries: dict[str, outbox.Handler] = dict.fromkeys(KINDS, deliveries)
        self._mail = self._mail_handlers()
        self._pushes, self._webhooks = push_handlers(
            database, tenants, clock, services.sockets, urls, base_url=settings.base_url
        )
        self._handlers = {**self._deliveries, **self._mail, **self._pushes, **self._webhooks}
        self._alert_sender = AlertSender(database, services.seal, tenants, clock, parse_saved_search)
        self._certificates = Certificates(database)
        self._resumer = Resumer(database, tenants, clock)
        urgent_steps = housekeeping.urgent_steps(services, self._handlers, self._policy)
        self._urgent_steps = [*urgent_steps, self._resumer.resume_changed]
        self._cleanup_steps = housekeeping.cleanup_steps(services, self._alert_sender)
        self._retention_steps = housekeeping.retention_steps(services)
        self._downloader = PictureDownloader(clock, services.transport)
        scanner, outage = open_scanner(settings.scanner), services.outages.of(Part.SCANNER)
        self._scanning = scanner and Scanning(
            database, services.store, scanner, self._deliveries, self._policy, clock, outage
        )

    def _mail_handlers(self) -> dict[str, outbox.Handler]:
        services, settings = self._services, self._services.settings
        mailer, renderer = open_mailer(settings.mail, settings.allow_insecure), Renderer(TEMPLATES, TRANSLATIONS)
        composer = MailComposer(
            services.tenants,
            mailer,
            renderer,
            services.clock,
            base_url=settings.base_url,
            design_of=partial(design_of, services),
        )
        return {
            mail_queue.KIND: MailHandler(services.database, services.seal, composer, services.clock),
            codes.KIND: CodeHandler(
                services.database,
                services.seal,
                composer,
                services.clock,
                is_known_address=lambda tenant, email: (
                    undo_links.is_open_for(services.database, services.seal, tenant, email, services.clock.now())
                    or index.known_for_certain(services.database, services.seal, tenant, email)
                ),
                ttl=settings.code_ttl,
            ),
        }

    def run(self, stop: threading.Event, *, threads: int, passes: int = 8) -> None:
        """Work until `stop` is set, then finish what is in progress. threads: concurrent deliveries.

        passes: concurrent syncs of lists. Waits at most PORTAL_STOP_TIMEOUT for the threads to end.
        """
        services = self._services
        run_guarded(self._heartbeat.beat)
        run_guarded(lambda: retry_unreadable(services.database, services.clock.now()))
        # Before any delivery: a restored database may contain people whose data was erased since the backup.
        run_guarded(lambda: tombstones.apply_unknown(services.database, services.erasures, services.clock.now()))
        jobs = [lambda: run_every(heartbeat.EVERY, self._heartbeat.beat, stop, again=heartbeat.AGAIN)]
        loops: list[WorkLoop] = []
        jobs += self._delivery_threads("deliveries", self._deliveries, threads, stop, loops)
        for kind, handler in self._mail.items():
            jobs += self._delivery_threads(f"{kind}s", {kind: handler}, _MAIL_THREADS, stop, loops)
        jobs += self._delivery_threads("pushes", self._pushes, _PUSH_THREADS, stop, loops)
        jobs += self._delivery_threads("webhooks", self._webhooks, _WEBHOOK_THREADS, stop, loops)
        jobs.append(lambda: run_every(_PUSH_CHECK, self.queue_pushes, stop))
        jobs.append(lambda: self._sync_lists(passes, stop))
        if self._scanning:
            scans = self._scanning.batcher(stop, _SCAN_THREADS)
            loops.append(WorkLoop(KINDS, scans, held=True))
            jobs += [partial(self._scanning.run, scans, stop)] * _SCAN_THREADS
        jobs.append(partial(wakeup.run, services.database, services.clock, loops, stop))
        jobs.append(lambda: run_every(_URGENT_STEPS_EVERY, partial(run_each, self._urgent_steps), stop))
        cleanup_every = min(_CLEANUP_EVERY, max(_CLEANUP_EVERY_MIN, services.settings.purge_after))
        jobs.append(lambda: run_every(cleanup_every, partial(run_each, self._cleanup_steps), stop))
        jobs.append(lambda: run_every(_RETENTION_EVERY, partial(run_each, self._retention_steps), stop))
        jobs.append(lambda: run_every(CHECK_EVERY, services.outages.catch_up, stop))
        jobs.append(lambda: run_every(_ALERTS_EVERY, self.queue_job_alerts, stop))
        jobs.append(lambda: run_every(_PICTURES_EVERY, self.fetch_pictures, stop))
        running = [threading.Thread(target=job, daemon=True) for job in jobs]
        for thread in running:
            thread.start()
        self._running = running
        stop.wait()
        self._running = []
        ends = services.clock.monotonic() + services.settings.stop_timeout
        for thread in running:
            thread.join(timeout=max(0.0, ends - services.clock.monotonic()))
        if not any(thread.is_alive() for thread in running):
            run_guarded(self._heartbeat.unregister)

    def is_alive(self) -> bool:
        """Return whether no thread has died and the heartbeat is not stuck; a database outage alone changes nothing."""
        return all(thread.is_alive() for thread in self._running) and not self._heartbeat.is_stuck()

    def _delivery_threads(
        self,
        pool_name: str,
        handlers: Mapping[str, outbox.Handler],
        threads: int,
        stop: threading.Event,
        loops: list[WorkLoop],
    ) -> list[Callable[[], None]]:
        database, clock, outages = self._services.database, self._services.clock, self._services.outages
        batcher = outbox.batcher_of(
            database, handlers, self._policy, clock, stop, worker=self._heartbeat.id, outages=outages, threads=threads
        )
        self._heartbeat.pools[pool_name] = batcher.usage
        loops.append(WorkLoop(handlers, batcher))
        return [lambda: outbox.run(handlers, self._policy, clock, stop, batcher)] * threads

    def deliver_what_is_due(self) -> int:
        """Attempt every delivery, email and push that is due now; return how many attempts were made."""
        made, services = 0, self._services
        while outbox.step(services.database, self._handlers, self._policy, services.clock, outages=services.outages):
            made += 1
        return made

    def mirror_what_is_due(self) -> None:
        """Sync the vacancies of each tenant that is due; a failure of one tenant does not stop the others."""
        self._sync_due(self._vacancies)

    def index_what_is_due(self) -> None:
        """Sync the candidates in the same way."""
        self._sync_due(self._candidates)

    def scan_held_files(self) -> None:
        """Let the scanner check the files that wait for it; does nothing where no scanner is configured."""
        if self._scanning:
            self._scanning.scan_held_files()

    def queue_pushes(self) -> None:
        """Queue changes for search engines and webhooks; a failure of one tenant does not stop the others."""
        database, clock = self._services.database, self._services.clock
        tenants = self._services.tenants.all()
        for tenant in tenants:
            for channel in channels_of(tenant):
                run_guarded(partial(queue_changes, database, tenant, channel, clock.now()))
        run_each(job_events.steps(database, tenants, clock.now()))

    def fetch_pictures(self) -> int:
        """Fetch the logos and header pictures that are due; return how many were attempted."""
        services = self._services
        return pictures.refresh(
            services.database, services.tenants.all(), self._downloader, services.clock, version.renew
        )

    def queue_job_alerts(self) -> int:
        """Queue an email for every job alert that is due or ends soon; return how many were queued."""
        return self._alert_sender.queue_due() + self._alert_sender.queue_expiry_warnings()

    def run_housekeeping(self) -> None:
        """Expire overdue rows and notify the people who must act; delete expired data and unclaimed files.

        Each step is independent: one that fails is logged, and the others still run.
        """
        run_each([*self._urgent_steps, *self._retention_steps, *self._cleanup_steps])

    def _sync_lists(self, passes: int, stop: threading.Event) -> None:
        services = self._services
        if not services.database.is_sqlite:
            passes = min(passes, SESSIONS - 1)  # each sync holds a connection for its lock; one more connection listens
        finder = DuePassFinder(services.database, [self._vacancies, self._candidates], self._intervals)
        pool = SyncPool(
            passes, services.clock, lambda due_pass, must_yield: attempt(due_pass, self._intervals, must_yield)
        )
        self._heartbeat.pools["passes"] = pool.usage

        def find_due() -> list[DuePass]:
            self._resumer.resume_working()
            return finder.find(services.tenants.all(), services.clock.now())

        pool.run(find_due, stop)
        run_guarded(lambda: state.save_deferred(services.database))

    def _sync_due(self, synced_list: SyncedList) -> None:
        services = self._services
        states, now = state.all_of(services.database), services.clock.now()
        for due_pass in due(states, [synced_list], services.tenants.all(), now, self._intervals):
            attempt(due_pass, self._intervals)
        self._resumer.resume_working()
        state.save_deferred(services.database, now)

    def _sync_vacancies(self, tenant: Tenant, options: PassOptions) -> Report:
        services = self._services
        try:
            report = mirror.sync(services.database, services.upstream(tenant), tenant, services.clock, options)
        except CertificateExpired:
            self._certificates.note_expired(tenant.slug, services.clock.now())
            raise
        if not report.skipped:
            self._certificates.note(tenant.slug, services.upstream(tenant).certificate_until())
            self._resumer.note_working(tenant.slug)
        return report

    def _sync_candidates(self, tenant: Tenant, options: PassOptions) -> Report:
        services = self._services
        return index.sync(services.database, services.upstream(tenant), tenant, services.seal, services.clock, options)


def design_of(services: Services, tenant: Tenant) -> MailDesign:
    """Return the design of a company's emails: the colours of its pages, and its logo."""
    palettes = accent.light(tenant.site.accent), accent.dark(tenant.site.accent)
    light, dark = (MailColours(palette.fill, palette.on_fill, palette.text, palette.soft) for palette in palettes)
    return MailDesign(light, dark, *logos_of(services.database, tenant))
