"""Which passes are due, over every list that a worker syncs."""

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from portal.background.sync import state
from portal.background.sync.run import PassOptions, Report
from portal.background.sync.state import SyncIntervals, SyncState
from portal.background.sync.tables import ListName
from portal.platform.clock import Clock
from portal.platform.database.db import EPOCH, Database
from portal.platform.errors import PassYielded, PortalError, error_location
from portal.platform.logs import EventName, event
from portal.platform.tracing import TraceStep, step
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SyncedList:
    """A list that a worker syncs. rules: as in run.PassOptions. sync: makes one pass."""

    name: ListName
    rules: Callable[[Tenant], str | None]
    sync: Callable[[Tenant, PassOptions], Report]


@dataclass(frozen=True, slots=True)
class DuePass:
    """One pass to make. whole: it will read everything."""

    synced_list: SyncedList
    tenant: Tenant
    whole: bool

    @property
    def key(self) -> tuple[str, str]:
        """The list and the tenant."""
        return self.synced_list.name, self.tenant.slug


def due(
    known: dict[tuple[str, str], SyncState],
    lists: Sequence[SyncedList],
    tenants: Iterable[Tenant],
    now: datetime,
    intervals: SyncIntervals,
) -> list[DuePass]:
    """Return the passes that are due, first the lists not read for the longest. known: from state.all_of."""
    found: list[tuple[datetime, DuePass]] = []
    for tenant in tenants:
        for synced_list in lists:
            mine, rules = known.get((synced_list.name, tenant.slug), _NEVER), synced_list.rules(tenant)
            if mine.is_due(intervals, rules, now):
                found.append(
                    (mine.last_look or EPOCH, DuePass(synced_list, tenant, mine.wants_whole(intervals, rules, now)))
                )
    return [each for _, each in sorted(found, key=lambda one: one[0])]


def attempt(one: DuePass, intervals: SyncIntervals, must_yield: Callable[[], bool] = lambda: False) -> bool:
    """Make the pass and log any error. Return False if it was no longer due."""
    with step(f"read {one.synced_list.name}", tenant=one.tenant.slug, kind=one.synced_list.name) as made:
        return _attempted(one, PassOptions(intervals=intervals, must_yield=must_yield), made)


def _attempted(one: DuePass, options: PassOptions, made: TraceStep) -> bool:
    try:
        report = one.synced_list.sync(one.tenant, options)
    except PassYielded:
        return True
    except PortalError as error:
        made.set_result(error=type(error).__name__)
        event(
            EventName.POSTPONED, tenant=one.tenant.slug, kind=one.synced_list.name, because=error, level=logging.WARNING
        )
        return True
    except Exception as error:  # noqa: BLE001  an error with one tenant's list must stop no other pass
        made.set_result(error="Fault")
        log.error("%s of %s: internal error: %s", *one.key, error_location(error))  # noqa: TRY400  a traceback may hold personal data
        return True
    if report.changed or report.withdrawn:
        count = report.changed + report.withdrawn
        event(EventName.SYNCED, tenant=one.tenant.slug, kind=one.synced_list.name, count=count, seconds=report.seconds)
    for alarm in report.alarms:
        log.error("%s of %s: %s", *one.key, alarm)
    return not report.skipped


class DuePassFinder:
    """A frequent check for due passes: every sixteenth check queries the database, the others use its result."""

    def __init__(self, db: Database, lists: Sequence[SyncedList], intervals: SyncIntervals) -> None:
        self._db = db
        self._lists = lists
        self._intervals = intervals
        self._checks = 0
        self._known: dict[tuple[str, str], SyncState] = {}

    def find(self, tenants: Iterable[Tenant], now: datetime) -> list[DuePass]:
        """Return what is due now, and write deferred states when it is time.

        The result may be outdated by passes of other workers, so each pass checks again whether it is due.
        """
        if self._checks % 16 == 0:
            state.save_deferred(self._db, now)
            self._known = state.all_of(self._db)
        self._checks += 1
        return due(self._known, self._lists, tenants, now, self._intervals)


_NEVER = SyncState()


CHECK_EVERY = 0.25
"""Seconds between checks for passes that are due."""
LONG = 2.0
"""A pass is long from this many seconds on."""
_AGAIN = 1.0
"""Minimum seconds between two passes of this process over the same list, whether the last one succeeded or not."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _RunningPass:
    thread: threading.Thread
    began: float
    known_long: bool


class SyncPool:
    """A pool that runs at most `size` passes at once.

    attempt: makes one pass and raises nothing; returns False if it was no longer due. Its second argument is a function
    that returns whether the pass must yield.
    """

    def __init__(self, size: int, clock: Clock, attempt: Callable[[DuePass, Callable[[], bool]], bool]) -> None:
        self._size = size
        self._long_most = max(1, size // 2)
        self._clock = clock
        self._attempt = attempt
        self._lock = threading.Lock()
        self._freed = threading.Event()
        self._running: dict[Key, _RunningPass] = {}
        self._others_wait = False
        self._ended: dict[Key, float] = {}
        self._took: dict[tuple[Key, bool], float] = {}

    def run(self, look: Callable[[], list[DuePass]], stop: threading.Event) -> None:
        """Make every pass that `look` returns, until `stop` is set; then wait for the running ones to finish."""
        while not stop.is_set():
            ends = self._clock.monotonic() + CHECK_EVERY
            waiting = self._looked(look)
            while (waiting := self._start(waiting)) and not stop.is_set():
                if not self._freed.wait(max(0.0, ends - self._clock.monotonic())):
                    break
                self._freed.clear()
            stop.wait(max(0.0, ends - self._clock.monotonic()))
        for running in list(self._running.values()):
            running.thread.join()

    def usage(self) -> tuple[int, int]:
        """Return how many passes are being made, and how many may be made at once."""
        with self._lock:
            return len(self._running), self._size

    def _looked(self, look: Callable[[], list[DuePass]]) -> list[DuePass]:
        try:
            return look()
        except PortalError as error:
            log.error("%s; passes wait", error)  # noqa: TRY400  expected during an outage of the database
        except Exception as error:  # noqa: BLE001  one error must not end the sync for good
            log.error("internal error while looking for passes: %s", error_location(error))  # noqa: TRY400  a traceback may hold personal data
        return []

    def _start(self, wanted: list[DuePass]) -> list[DuePass]:
        """Start as many passes as there are slots for; return those that have to wait."""
        waiting: list[DuePass] = []
        now = self._clock.monotonic()
        with self._lock:
            self._others_wait = False
            for one in wanted:
                ended = self._ended.get(one.key)
                if one.key in self._running or (ended is not None and now - ended < _AGAIN):
                    continue
                known_long = self._took.get((one.key, one.whole), 0.0) >= LONG
                is_full = len(self._running) >= self._size
                if is_full or (known_long and len(self._long(now)) >= self._long_most):
                    waiting.append(one)
                    self._others_wait |= not known_long
                    continue
                thread = threading.Thread(target=self._pass, args=(one,), daemon=True)
                self._running[one.key] = _RunningPass(thread, now, known_long)
                thread.start()
        return waiting

    def _long(self, now: float) -> list[Key]:
        """Return the passes that are long by now, first those for which half of the slots are reserved."""
        found = [(not r.known_long, r.began, key) for key, r in self._running.items() if _is_long(r, now)]
        return [key for *_, key in sorted(found)]

    def _must_yield(self, key: Key) -> bool:
        with self._lock:
            if not self._others_wait or len(self._running) < self._size:
                return False
            return key in self._long(self._clock.monotonic())[self._long_most :]

    def _pass(self, one: DuePass) -> None:
        made = False
        try:
            made = self._attempt(one, partial(self._must_yield, one.key))
        finally:
            with self._lock:
                self._ended[one.key] = now = self._clock.monotonic()
                running = self._running.pop(one.key)
                if made:
                    self._took[one.key, one.whole] = now - running.began
            self._freed.set()


def _is_long(running: _RunningPass, now: float) -> bool:
    return running.known_long or now - running.began >= LONG
