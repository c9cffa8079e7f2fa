"""Which passes are due, over every list that a worker syncs."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from portal.background.sync import deferred_writes, state
from portal.background.sync.reader import Report
from portal.background.sync.run import PassOptions
from portal.background.sync.state import SyncIntervals, SyncState
from portal.background.sync.tables import ListName
from portal.platform.database.db import EPOCH, Database
from portal.platform.errors import GaveWay, PortalError, place_of
from portal.platform.logs import Happened, event
from portal.platform.tracing import TraceStep, step
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SyncedList:
    """A list that a worker syncs. rules: as in run.Order. sync: makes one pass."""

    name: ListName
    rules: Callable[[Tenant], str | None]
    sync: Callable[[Tenant, PassOptions], Report]


@dataclass(frozen=True, slots=True)
class DuePass:
    """One pass to make. whole: it will read everything."""

    course: SyncedList
    tenant: Tenant
    whole: bool

    @property
    def key(self) -> tuple[str, str]:
        """The list and the tenant."""
        return self.course.name, self.tenant.slug


def due(
    known: dict[tuple[str, str], SyncState],
    courses: Sequence[SyncedList],
    tenants: Iterable[Tenant],
    now: datetime,
    pace: SyncIntervals,
) -> list[DuePass]:
    """Return the passes that are due, first the lists not read for the longest. known: from state.all_of."""
    found: list[tuple[datetime, DuePass]] = []
    for tenant in tenants:
        for course in courses:
            mine, rules = known.get((course.name, tenant.slug), _NEVER), course.rules(tenant)
            if mine.is_due(pace, rules, now):
                found.append((mine.last_look or EPOCH, DuePass(course, tenant, mine.wants_whole(pace, rules, now))))
    return [each for _, each in sorted(found, key=lambda one: one[0])]


def attempt(one: DuePass, pace: SyncIntervals, gives_way: Callable[[], bool] = lambda: False) -> bool:
    """Make the pass and log whatever it raises. Return False if there was none to make after all."""
    with step(f"read {one.course.name}", tenant=one.tenant.slug, kind=one.course.name) as made:
        return _attempted(one, PassOptions(pace=pace, gives_way=gives_way), made)


def _attempted(one: DuePass, order: PassOptions, made: TraceStep) -> bool:
    try:
        report = one.course.sync(one.tenant, order)
    except GaveWay:
        return True
    except PortalError as error:
        made.ends(error=type(error).__name__)
        event(Happened.POSTPONED, tenant=one.tenant.slug, kind=one.course.name, because=error, level=logging.WARNING)
        return True
    except Exception as error:  # noqa: BLE001  an error with one tenant's list must stop no other pass
        made.ends(error="Fault")
        log.error("%s of %s: internal error: %s", *one.key, place_of(error))  # noqa: TRY400  a traceback may hold personal data
        return True
    if report.changed or report.withdrawn:
        count = report.changed + report.withdrawn
        event(Happened.SYNCED, tenant=one.tenant.slug, kind=one.course.name, count=count, seconds=report.seconds)
    for alarm in report.alarms:
        log.error("%s of %s: %s", *one.key, alarm)
    return not report.skipped


class DuePassFinder:
    """A frequent check for due passes: every sixteenth look queries the database, the others use its result."""

    def __init__(self, db: Database, courses: Sequence[SyncedList], pace: SyncIntervals) -> None:
        self._db = db
        self._courses = courses
        self._pace = pace
        self._looks = 0
        self._known: dict[tuple[str, str], SyncState] = {}

    def look(self, tenants: Iterable[Tenant], now: datetime) -> list[DuePass]:
        """Return what is due now, and write deferred states when it is time.

        What other passes did since the last query is unknown, so each pass checks again itself whether it is due.
        """
        if self._looks % 16 == 0:
            deferred_writes.write_down(self._db, now)
            self._known = state.all_of(self._db)
        self._looks += 1
        return due(self._known, self._courses, tenants, now, self._pace)


_NEVER = SyncState()
