"""What a worker does beside serving pages: deliver, scan, mirror, tell, purge, fetch pictures; from the same parts."""

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial

from portal.acts import audit
from portal.alerts.telling import Teller
from portal.attachments.scanner import open_scanner
from portal.candidates import history, index
from portal.candidates import mirror as candidates
from portal.deliveries.alarm import tell_of_what_is_turned_away
from portal.deliveries.handler import DeliveryHandler
from portal.deliveries.purge import purge
from portal.deliveries.scanning import Scanning
from portal.errors import PortalError, place_of
from portal.kinds import KINDS
from portal.letters import allowance
from portal.letters import queue as letters
from portal.letters.deliver import LetterHandler, Post
from portal.letters.look import Look, logo_of
from portal.letters.render import Renderer
from portal.logs import Part
from portal.mail.address import open_mailer
from portal.outbox import worker as outbox
from portal.outbox.alive import EVERY as BEAT
from portal.outbox.alive import Alive
from portal.outbox.decide import Policy
from portal.parts import Parts
from portal.passes import quiet, state
from portal.passes.due import Course, Lookout, attempt, due
from portal.passes.pool import Pool
from portal.passes.reader import Report
from portal.passes.run import Order
from portal.passes.state import Pace
from portal.passes.tables import ListName
from portal.pictures import keeping as pictures
from portal.pictures.fetching import Web
from portal.pushes.deliver import Engines, PushHandler
from portal.pushes.health import channels_of
from portal.pushes.notice import forget_settled, notice
from portal.pushes.tables import Channel
from portal.signin import codes, sessions
from portal.signin.deliver import CodeHandler
from portal.subscribe.saying import read
from portal.tenants.model import Tenant
from portal.uploads import refusals
from portal.uploads.forgetting import forget_asked
from portal.uploads.storing import delete_unclaimed
from portal.vacancies import mirror, version
from portal.web import accent
from portal.web.folders import TEMPLATES, TRANSLATIONS

log = logging.getLogger(__name__)

_SCAN_LOOK = 1.0
_HOUSEKEEPING = 5.0
_PICTURES = 10.0
_ALERTS = 30.0
_MAIL_THREADS = 8
"""For letters, and as many for codes: a mail server that hangs holds up no delivery, and receipts no code."""

_PUSH_THREADS = 2
_PUSH_LOOK = 15.0
"""Seconds; where nothing changed, a look is two small questions a tenant that pushes."""


class Work:
    """A worker's threads, and the same work one step at a time for tests."""

    def __init__(self, parts: Parts, engines: Engines = Engines()) -> None:  # noqa: B008  nothing in it changes
        self._parts = parts
        settings = parts.settings
        self._policy = Policy(
            retry_base=settings.delivery_retry_base,
            lease=settings.delivery_lease,
            ambiguous_delay=settings.delivery_ambiguous_delay,
            give_up=settings.delivery_give_up,
            begin_within=(settings.delivery_lease - settings.delivery_deadline) / 4,
            first_probe=min(Policy().first_probe, settings.delivery_retry_base),
        )
        self._pace = Pace(settings.sync_interval, settings.reconcile_interval)
        self._vacancies = Course(ListName.VACANCIES, mirror.rules, self._sync_vacancies)
        self._candidates = Course(ListName.CANDIDATES, lambda _: None, self._sync_candidates)
        deliveries = DeliveryHandler(
            parts.database,
            parts.seal,
            KINDS,
            parts.tenants,
            parts.upstream,
            parts.clock,
            spare=(settings.delivery_lease - settings.delivery_deadline) * 3 / 4,
        )
        self._deliveries: dict[str, outbox.Handler] = dict.fromkeys(KINDS, deliveries)
        self._mail = self._mail_handlers()
        pushes = PushHandler(
            parts.database, parts.tenants, parts.clock, parts.sockets, engines, base_url=settings.base_url
        )
        self._pushes: dict[str, outbox.Handler] = dict.fromkeys(Channel, pushes)
        self._handlers = {**self._deliveries, **self._mail, **self._pushes}
        self._teller = Teller(parts.database, parts.seal, parts.tenants, parts.clock, read)
        self._web = Web(parts.clock, parts.transport)
        scanner, absence = open_scanner(settings.scanner), parts.absences.of(Part.SCANNER)
        self._scanning = scanner and Scanning(
            parts.database, parts.store, scanner, self._deliveries, self._policy, parts.clock, absence
        )

    def _mail_handlers(self) -> dict[str, outbox.Handler]:
        parts, settings = self._parts, self._parts.settings
        mailer, renderer = open_mailer(settings.mail), Renderer(TEMPLATES, TRANSLATIONS)
        post = Post(
            parts.tenants, mailer, renderer, parts.clock, base_url=settings.base_url, look_of=partial(look_of, parts)
        )
        return {
            letters.KIND: LetterHandler(parts.database, parts.seal, post, parts.clock),
            codes.KIND: CodeHandler(
                parts.database,
                parts.seal,
                post,
                parts.clock,
                known=lambda tenant, email: index.known(parts.database, parts.seal, tenant, email),
                ttl=settings.code_ttl,
            ),
        }

    def run(self, stop: threading.Event, *, threads: int, passes: int = 8) -> None:
        """Work until `stop` is set; then what is in flight is finished. threads: deliveries at once."""
        parts = self._parts
        alive = Alive(parts.database, parts.clock)
        _guarded(alive.beat)
        jobs = [lambda: self._every(BEAT, alive.beat, stop)]
        jobs += self._crew(self._deliveries, threads, stop, alive.id)
        for kind, handler in self._mail.items():
            jobs += self._crew({kind: handler}, _MAIL_THREADS, stop, alive.id)
        jobs += self._crew(self._pushes, _PUSH_THREADS, stop, alive.id)
        jobs.append(lambda: self._every(_PUSH_LOOK, self.notice_what_to_push, stop))
        jobs.append(lambda: self._follow(passes, stop))
        jobs.append(lambda: self._every(_SCAN_LOOK, self.scan_what_is_held, stop))
        jobs.append(lambda: self._every(_HOUSEKEEPING, self.keep_house, stop))
        jobs.append(lambda: self._every(_ALERTS, self.tell_of_new_jobs, stop))
        jobs.append(lambda: self._every(_PICTURES, self.fetch_pictures, stop))
        running = [threading.Thread(target=job, daemon=True) for job in jobs]
        for thread in running:
            thread.start()
        stop.wait()
        ends = parts.clock.monotonic() + parts.settings.stop_timeout
        for thread in running:
            thread.join(timeout=max(0.0, ends - parts.clock.monotonic()))
        if not any(thread.is_alive() for thread in running):
            _guarded(alive.leave)

    def _crew(
        self, handlers: Mapping[str, outbox.Handler], threads: int, stop: threading.Event, worker: str
    ) -> list[Callable[[], None]]:
        parts, clock = self._parts, self._parts.clock
        crew = outbox.crew_of(
            parts.database, handlers, self._policy, clock, stop, worker=worker, absences=parts.absences, threads=threads
        )
        return [lambda: outbox.run(handlers, self._policy, clock, stop, crew)] * threads

    def deliver_what_is_due(self) -> int:
        """Attempt everything that is due now; returns how many attempts were made."""
        made = 0
        parts = self._parts
        while outbox.step(parts.database, self._handlers, self._policy, parts.clock, absences=parts.absences):
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
        if self._scanning:
            self._scanning.scan_what_is_held()

    def notice_what_to_push(self) -> None:
        """Queue what search engines are to be told; one tenant's trouble is no other's."""
        for tenant in self._parts.tenants.all():
            for channel in channels_of(tenant):
                _guarded(partial(notice, self._parts.database, tenant, channel, self._parts.clock.now()))

    def fetch_pictures(self) -> int:
        """Fetch the logos and header pictures that are due; returns how many were tried."""
        parts = self._parts
        return pictures.refresh(parts.database, parts.tenants.all(), self._web, parts.clock, version.renew)

    def tell_of_new_jobs(self) -> int:
        """Write to everybody whose alert is due or ends soon; returns how many letters were queued."""
        return self._teller.tell() + self._teller.warn()

    def keep_house(self) -> None:
        """Give up what is past its time and tell who must act; erase what is to be forgotten or was never claimed.

        Each step by itself: one that fails is logged, and the others are done all the same.
        """
        for step in self._housekeeping():
            _guarded(step)

    def _housekeeping(self) -> list[Callable[[], object]]:
        parts, settings = self._parts, self._parts.settings
        db, clock = parts.database, parts.clock
        return [
            lambda: outbox.give_up_overdue(db, self._handlers, self._policy, clock),
            lambda: tell_of_what_is_turned_away(db, parts.seal, parts.tenants, clock),
            lambda: purge(db, KINDS, after=settings.purge_after, clock=clock),
            lambda: letters.forget_settled(
                db, before=clock.now() - max(timedelta(seconds=settings.purge_after), allowance.COUNTED)
            ),
            lambda: allowance.forget_old(db, clock.now()),
            lambda: delete_unclaimed(db, parts.store, older_than=settings.upload_ttl, clock=clock),
            lambda: forget_asked(db, parts.store, older_than=settings.upload_ttl, clock=clock),
            lambda: sessions.forget_expired(db, ttl=settings.session_ttl, clock=clock),
            self._teller.forget_what_is_over,
            lambda: history.forget_old(db, clock.now()),
            lambda: audit.forget_old(db, clock.now()),
            lambda: refusals.forget_old(db, clock.now()),
            lambda: forget_settled(db, clock.now()),
            db.truncate_log,
            self._parts.absences.catch_up,
        ]

    def _follow(self, passes: int, stop: threading.Event) -> None:
        parts = self._parts
        lookout = Lookout(parts.database, [self._vacancies, self._candidates], self._pace)
        pool = Pool(passes, parts.clock, lambda one, gives_way: attempt(one, self._pace, gives_way))
        pool.run(lambda: lookout.look(parts.tenants.all(), parts.clock.now()), stop)
        _guarded(lambda: quiet.write_down(parts.database))

    def _pass_over(self, course: Course) -> None:
        parts = self._parts
        known, now = state.all_of(parts.database), parts.clock.now()
        for one in due(known, [course], parts.tenants.all(), now, self._pace):
            attempt(one, self._pace)
        quiet.write_down(parts.database, now)

    def _sync_vacancies(self, tenant: Tenant, order: Order) -> Report:
        parts = self._parts
        return mirror.sync(parts.database, parts.upstream(tenant), tenant, parts.clock, order)

    def _sync_candidates(self, tenant: Tenant, order: Order) -> Report:
        parts = self._parts
        return candidates.sync(parts.database, parts.upstream(tenant), tenant, parts.seal, parts.clock, order)

    def _every(self, seconds: float, job: Callable[[], object], stop: threading.Event) -> None:
        while not stop.is_set():
            _guarded(job)
            stop.wait(seconds)


def look_of(parts: Parts, tenant: Tenant) -> Look:
    """How a company's letters look: in the colours of its pages, with its logo."""
    colours = accent.light(tenant.site.accent), accent.dark(tenant.site.accent)
    return Look(*colours, logo_of(parts.database, tenant))


def _guarded(job: Callable[[], object]) -> None:
    try:
        job()
    except PortalError as error:
        log.error("%s", error)  # noqa: TRY400  expected while a part is away
    except Exception as error:  # noqa: BLE001  one fault must not end mirroring and purging for good
        log.error("a fault in the worker: %s", place_of(error))  # noqa: TRY400  a traceback may hold personal data
