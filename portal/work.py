"""What a worker does beside serving pages: deliver, mirror, purge; wired from the same parts as the application."""

import logging
import threading
from collections.abc import Callable

from portal.app import TEMPLATES, TRANSLATIONS, Parts
from portal.applications import alarm
from portal.applications.accept import KIND
from portal.applications.deliver import SubmissionHandler
from portal.applications.purge import finish_discarding, forget_the_log, purge_delivered
from portal.applications.scan import scan_held
from portal.applications.uploads import delete_unclaimed
from portal.attachments.scanner import open_scanner
from portal.candidates import index
from portal.candidates import mirror as candidates
from portal.errors import PortalError, place_of
from portal.letters.deliver import LetterHandler, Post
from portal.letters.queue import KIND as LETTER
from portal.letters.render import Renderer
from portal.mail.address import open_mailer
from portal.outbox import worker as outbox
from portal.outbox.decide import Policy
from portal.passes import state
from portal.passes.due import Course, Lookout, attempt, due
from portal.passes.pool import Pool
from portal.passes.reader import Report
from portal.passes.state import Pace
from portal.passes.tables import ListName
from portal.records import history, receipt
from portal.records import scan as changes
from portal.records.change import KIND as CHANGE
from portal.records.deliver import ChangeHandler
from portal.sealing import Seal
from portal.signin import sessions
from portal.signin.codes import KIND as CODE
from portal.signin.deliver import CodeHandler
from portal.tenants.model import Tenant
from portal.vacancies import mirror

log = logging.getLogger(__name__)

_SCAN_LOOK = 1.0
_HOUSEKEEPING = 10.0


class Work:
    """A worker's threads, and the same work one step at a time for tests."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        settings = parts.settings
        self._policy = Policy(
            retry_base=settings.delivery_retry_base,
            lease=settings.delivery_lease,
            ambiguous_delay=settings.delivery_ambiguous_delay,
            give_up=settings.delivery_give_up,
        )
        self._pace = Pace(settings.sync_interval, settings.reconcile_interval)
        self._vacancies = Course(ListName.VACANCIES, mirror.rules, self._sync_vacancies)
        self._candidates = Course(ListName.CANDIDATES, lambda _: None, self._sync_candidates)
        self._scanner = open_scanner(settings.scanner)
        self._seal = Seal(settings.secret_key, settings.secret_key_fallbacks)
        spare = settings.delivery_lease - settings.delivery_deadline
        self._changes = ChangeHandler(
            parts.database, parts.tenants, parts.upstream, self._seal, parts.clock, spare=spare
        )
        mailer, renderer = open_mailer(settings.mail), Renderer(TEMPLATES, TRANSLATIONS)
        self._handlers: dict[str, outbox.Handler] = {
            KIND: SubmissionHandler(
                parts.database,
                parts.tenants,
                parts.upstream,
                parts.clock,
                spare=spare,
            ),
            LETTER: LetterHandler(
                parts.database, parts.tenants, mailer, renderer, parts.clock, base_url=settings.base_url
            ),
            CODE: CodeHandler(
                parts.database,
                self._seal,
                Post(parts.tenants, mailer, renderer, parts.clock, base_url=settings.base_url),
                parts.clock,
                known=lambda tenant, email: index.known(parts.database, self._seal, tenant, email),
                ttl=settings.code_ttl,
            ),
            CHANGE: self._changes,
        }

    def run(self, stop: threading.Event, *, threads: int, passes: int = 8) -> None:
        """Work until `stop` is set; then what is in flight is finished. threads: deliveries at once."""
        parts = self._parts
        lookout = outbox.Lookout(stop)
        jobs: list[Callable[[], None]] = [
            lambda: outbox.run(parts.database, self._handlers, self._policy, parts.clock, stop, lookout)
            for _ in range(threads)
        ]
        jobs.append(lambda: self._follow(passes, stop))
        jobs.append(lambda: self._every(_SCAN_LOOK, self.scan_what_is_held, stop))
        jobs.append(lambda: self._every(_HOUSEKEEPING, self.keep_house, stop))
        running = [threading.Thread(target=job, daemon=True) for job in jobs]
        for thread in running:
            thread.start()
        stop.wait()
        for thread in running:
            thread.join(timeout=parts.settings.delivery_deadline + 5)

    def deliver_what_is_due(self) -> int:
        """Attempt everything that is due now; returns how many attempts were made."""
        made = 0
        while outbox.step(self._parts.database, self._handlers, self._policy, self._parts.clock):
            made += 1
        return made

    def mirror_what_is_due(self) -> None:
        """A pass over the vacancies of each tenant whose interval is over; one tenant's failure stops no other."""
        self._pass_over(self._vacancies)

    def index_what_is_due(self) -> None:
        """The same over the candidates."""
        self._pass_over(self._candidates)

    def scan_what_is_held(self) -> None:
        """Let the scanner see what is held; nothing to do where none is set."""
        if self._scanner:
            parts = self._parts
            scan_held(
                parts.database,
                parts.store,
                self._scanner,
                parts.clock,
                tenants=parts.tenants,
                give_up=parts.settings.delivery_give_up,
            )
            changes.scan_held(parts.database, parts.store, self._scanner, parts.clock, handler=self._changes)

    def keep_house(self) -> None:
        """Give up what is past its time and tell who must act; erase what is to be forgotten or was never claimed."""
        parts, settings = self._parts, self._parts.settings
        outbox.give_up_overdue(parts.database, self._handlers, self._policy, parts.clock)
        alarm.tell_of_what_is_turned_away(parts.database, parts.tenants, parts.clock)
        while purge_delivered(parts.database, after=settings.purge_after, clock=parts.clock):
            pass
        finish_discarding(parts.database, parts.store, parts.clock)
        forget_the_log(parts.database)
        delete_unclaimed(parts.database, parts.store, older_than=settings.upload_ttl, clock=parts.clock)
        sessions.forget_expired(parts.database, ttl=settings.session_ttl, clock=parts.clock)
        receipt.forget_overtaken(parts.database, parts.clock)
        history.forget_old(parts.database, parts.clock.now())

    def _follow(self, passes: int, stop: threading.Event) -> None:
        parts = self._parts
        lookout = Lookout(parts.database, [self._vacancies, self._candidates], self._pace)
        pool = Pool(passes, parts.clock, lambda one, gives_way: attempt(one, self._pace, gives_way))
        pool.run(lambda: lookout.look(parts.tenants.all(), parts.clock.now()), stop)

    def _pass_over(self, course: Course) -> None:
        parts = self._parts
        known, now = state.all_of(parts.database), parts.clock.now()
        for one in due(known, [course], parts.tenants.all(), now, self._pace):
            attempt(one, self._pace)

    def _sync_vacancies(self, tenant: Tenant, pace: Pace, gives_way: Callable[[], bool]) -> Report:
        parts = self._parts
        upstream = parts.upstream(tenant)
        return mirror.sync(parts.database, upstream, tenant, parts.clock, pace=pace, gives_way=gives_way)

    def _sync_candidates(self, tenant: Tenant, pace: Pace, gives_way: Callable[[], bool]) -> Report:
        parts = self._parts
        upstream = parts.upstream(tenant)
        return candidates.sync(
            parts.database, upstream, tenant, self._seal, parts.clock, pace=pace, gives_way=gives_way
        )

    def _every(self, seconds: float, job: Callable[[], None], stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                job()
            except PortalError as error:
                log.error("%s", error)  # noqa: TRY400  expected while a part is away
            except Exception as error:  # noqa: BLE001  one fault must not end mirroring and purging for good
                log.error("a fault in the worker: %s", place_of(error))  # noqa: TRY400  a traceback may hold personal data
            stop.wait(seconds)
