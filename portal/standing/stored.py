"""What stands in the database, as figures: any web process answers for all of them, whoever does the work."""

from collections import Counter
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from portal.alerts import health as alerts
from portal.applications.kind import APPLICATION
from portal.deliveries.accept import lane
from portal.deliveries.health import suspicions
from portal.letters.queue import KIND as LETTER
from portal.letters.queue import LANE as MAIL
from portal.outbox import alive
from portal.outbox import health as outbox
from portal.outbox.states import State
from portal.parts import Parts
from portal.passes import health as passes
from portal.passes.tables import ListName
from portal.records.kind import CHANGE
from portal.requests import health as requests

_BY_KIND = {
    APPLICATION.name: ("portal_submissions", "Submissions"),
    CHANGE.name: ("portal_record_changes", "Changes of candidates' records"),
    LETTER: ("portal_letters", "Letters by mail"),
}


class Stored:
    """Asked anew each time."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def families(self) -> Iterator[Metric]:
        """Every figure. Raises DatabaseUnavailable."""
        yield from self._queue()
        yield from self._suspicions()
        yield from self._breakers()
        yield from self._workers()
        yield from self._passes(ListName.VACANCIES, "portal_mirror")
        yield from self._passes(ListName.CANDIDATES, "portal_index")
        yield from self._requests()
        yield from self._alerts()

    def _queue(self) -> Iterator[Metric]:
        """All kinds by one question: it reads the whole queue."""
        parts = self._parts
        known = outbox.depths(parts.database)
        labels = ["kind", "tenant", "state"]
        depth = GaugeMetricFamily("portal_queue", "What is in the queue, by kind, tenant and state.", labels=labels)
        tried = GaugeMetricFamily("portal_queue_attempts", "Attempts that were made for it.", labels=labels)
        ages: dict[tuple[str, str], float] = {}
        for one in known:
            depth.add_metric([one.kind, one.tenant, one.state], one.count)
            tried.add_metric([one.kind, one.tenant, one.state], one.attempts)
            if one.oldest is not None:
                age = max(0.0, (parts.clock.now() - one.oldest).total_seconds())
                ages[one.kind, one.tenant] = max(age, ages.get((one.kind, one.tenant), 0.0))
        oldest = GaugeMetricFamily(
            "portal_queue_oldest_seconds", "Age of the oldest that still waits.", labels=["kind", "tenant"]
        )
        for key, age in sorted(ages.items()):
            oldest.add_metric(key, age)
        yield from (depth, tried, oldest)
        for kind, (name, what) in _BY_KIND.items():
            yield from _of_kind(name, what, [one for one in known if one.kind == kind], ages, kind)

    def _workers(self) -> Iterator[Metric]:
        crew = alive.crew(self._parts.database, self._parts.clock.now())
        yield GaugeMetricFamily("portal_workers", "Workers that showed themselves within 30 s.", crew.fresh)
        silent = float("inf") if crew.silent_for is None else crew.silent_for
        yield GaugeMetricFamily("portal_worker_silent_seconds", "Since the last sign of a worker; +Inf: none.", silent)

    def _suspicions(self) -> Iterator[Metric]:
        """Counted from what is stored, so any process answers for all, and a restart forgets nothing."""
        database = self._parts.database
        suspected = CounterMetricFamily(
            "portal_suspicions", "Applications that a program may have sent.", labels=["tenant", "reason"]
        )
        for (tenant, reason), count in sorted(suspicions(database).items()):
            suspected.add_metric([tenant, reason], count)
        yield suspected
        waits = GaugeMetricFamily(
            "portal_submissions_waiting", "Submissions held until somebody lets them go on.", labels=["tenant", "for"]
        )
        for (slug, who), count in sorted(outbox.waiting(database, APPLICATION.name).items()):
            waits.add_metric([slug, who.value], count)
        yield waits

    def _breakers(self) -> Iterator[Metric]:
        parts = self._parts
        troubled = outbox.open_breakers(parts.database)
        pauses = outbox.resting(parts.database, parts.clock.now())
        breaker = _by_tenant("portal_breaker_open", "1 while the tenant's service fails or refuses us.")
        rest = _by_tenant("portal_lane_rest_seconds", "For how long nothing is sent to the tenant's service.")
        for tenant in parts.tenants.all():
            breaker.add_metric([tenant.slug], float(lane(tenant.slug) in troubled))
            rest.add_metric([tenant.slug], pauses.get(lane(tenant.slug), 0.0))
        yield breaker
        yield rest
        yield GaugeMetricFamily("portal_mail_breaker_open", "1 while the mail server fails.", float(MAIL in troubled))

    def _passes(self, name: ListName, prefix: str) -> Iterator[Metric]:
        parts = self._parts
        known = passes.all_of(parts.database, name, parts.clock.now())
        ages = _by_tenant(
            f"{prefix}_age_seconds", f"Since the tenant's {name} were last read with success; +Inf: never."
        )
        failures = _by_tenant(f"{prefix}_failures", f"Passes over the tenant's {name} that failed in a row.")
        for tenant in parts.tenants.all():
            found = known.get(tenant.slug)
            ages.add_metric([tenant.slug], float("inf") if found is None or found.age is None else found.age)
            failures.add_metric([tenant.slug], found.failures if found else 0)
        yield ages
        yield failures

    def _requests(self) -> Iterator[Metric]:
        parts = self._parts
        owed = requests.owed(parts.database, parts.clock.now())
        what = "Withdrawals and erasures that the tenant has not answered"
        count = _by_tenant("portal_requests_open", f"{what}.")
        overdue = _by_tenant("portal_requests_overdue", f"{what} in time.")
        oldest = _by_tenant("portal_requests_oldest_seconds", f"{what}: age of the oldest.")
        # A tenant whose file is gone still owes its answers.
        for slug in sorted({*owed, *(tenant.slug for tenant in parts.tenants.all())}):
            known = owed.get(slug, requests.Owed(0, 0, 0.0))
            count.add_metric([slug], known.open)
            overdue.add_metric([slug], known.overdue)
            oldest.add_metric([slug], known.oldest)
        yield from (count, overdue, oldest)

    def _alerts(self) -> Iterator[Metric]:
        parts = self._parts
        known = alerts.standing(parts.database, parts.clock.now())
        count = GaugeMetricFamily("portal_alerts", "Searches subscribed to by mail.", labels=["tenant", "state"])
        late = _by_tenant("portal_alerts_late_seconds", "For how long the oldest alert that is due waits; 0: none.")
        for slug in sorted({*known, *(tenant.slug for tenant in parts.tenants.all())}):
            found = known.get(slug, alerts.Standing())
            count.add_metric([slug, "confirmed"], found.confirmed)
            count.add_metric([slug, "asked"], found.asked)
            late.add_metric([slug], found.late)
        yield from (count, late)


def _of_kind(
    name: str, what: str, known: list[outbox.Depth], ages: dict[tuple[str, str], float], kind: str
) -> Iterator[Metric]:
    counts: Counter[State] = Counter()
    for one in known:
        counts[one.state] += one.count
    by_state = GaugeMetricFamily(name, f"{what} by state.", labels=["state"])
    for state in State:
        by_state.add_metric([state.value], counts[state])
    yield by_state
    oldest = max((age for (of, _), age in ages.items() if of == kind), default=0.0)
    yield GaugeMetricFamily(
        f"{name}_oldest_undelivered_seconds", f"{what}: age of the oldest that still waits; 0: none.", oldest
    )


def _by_tenant(name: str, what: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, what, labels=["tenant"])
