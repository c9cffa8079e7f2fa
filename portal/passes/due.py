"""Which passes are due, over every list that a worker follows."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from portal.db import EPOCH, Database
from portal.errors import GaveWay, PortalError, place_of
from portal.logs import Happened, event
from portal.passes import quiet, state
from portal.passes.reader import Report
from portal.passes.run import Order
from portal.passes.state import Pace, State
from portal.passes.tables import ListName
from portal.tenants.model import Tenant
from portal.tracing import Step, step

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Course:
    """A list as a worker follows it. rules: as in run.Order. sync: makes one pass of that order."""

    name: ListName
    rules: Callable[[Tenant], str | None]
    sync: Callable[[Tenant, Order], Report]


@dataclass(frozen=True, slots=True)
class Due:
    """One pass to make. whole: it will read everything."""

    course: Course
    tenant: Tenant
    whole: bool

    @property
    def key(self) -> tuple[str, str]:
        """List and tenant."""
        return self.course.name, self.tenant.slug


def due(
    known: dict[tuple[str, str], State], courses: Sequence[Course], tenants: Iterable[Tenant], now: datetime, pace: Pace
) -> list[Due]:
    """What is due, longest not looked at first. known: state.all_of."""
    found: list[tuple[datetime, Due]] = []
    for tenant in tenants:
        for course in courses:
            mine, rules = known.get((course.name, tenant.slug), _NEVER), course.rules(tenant)
            if mine.is_due(pace, rules, now):
                found.append((mine.last_look or EPOCH, Due(course, tenant, mine.wants_whole(pace, rules, now))))
    return [each for _, each in sorted(found, key=lambda one: one[0])]


def attempt(one: Due, pace: Pace, gives_way: Callable[[], bool] = lambda: False) -> bool:
    """Make the pass; whatever it raises is logged and stops no other. False where there was none to make after all."""
    with step(f"read {one.course.name}", tenant=one.tenant.slug, kind=one.course.name) as made:
        return _attempted(one, Order(pace=pace, gives_way=gives_way), made)


def _attempted(one: Due, order: Order, made: Step) -> bool:
    try:
        report = one.course.sync(one.tenant, order)
    except GaveWay:
        return True
    except PortalError as error:
        made.ends(error=type(error).__name__)
        event(Happened.POSTPONED, tenant=one.tenant.slug, kind=one.course.name, because=error, level=logging.WARNING)
        return True
    except Exception as error:  # noqa: BLE001  a fault over one tenant's list must stop no other's pass
        made.ends(error="Fault")
        log.error("%s of %s: a fault: %s", *one.key, place_of(error))  # noqa: TRY400  a traceback may hold personal data
        return True
    if report.changed or report.withdrawn:
        count = report.changed + report.withdrawn
        event(Happened.SYNCED, tenant=one.tenant.slug, kind=one.course.name, count=count, seconds=report.seconds)
    for alarm in report.alarms:
        log.error("%s of %s: %s", *one.key, alarm)
    return not report.skipped


class Lookout:
    """Looks for what is due, often: the database is asked at every fourth look, and between this process remembers."""

    def __init__(self, db: Database, courses: Sequence[Course], pace: Pace) -> None:
        self._db = db
        self._courses = courses
        self._pace = pace
        self._looks = 0
        self._known: dict[tuple[str, str], State] = {}

    def look(self, tenants: Iterable[Tenant], now: datetime) -> list[Due]:
        """What is due now. What this process did since the database was asked is not seen, so a pass asks again.

        What it remembers of quiet passes is written down on the way, when it is time.
        """
        if self._looks % 4 == 0:
            quiet.write_down(self._db, now)
            self._known = state.all_of(self._db)
        self._looks += 1
        return due(self._known, self._courses, tenants, now, self._pace)


_NEVER = State()
