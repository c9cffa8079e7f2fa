"""`/metrics` in Prometheus' text format, for this machine only or for clients with the token.

It responds while the database is unavailable too, with the metrics that do not need it, so that an alert can say which
part is down.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from flask import Blueprint, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from portal.background.mails.queue import KIND as LETTER
from portal.background.mails.queue import LANE as MAIL
from portal.background.outbox import health as outbox
from portal.background.outbox import heartbeat
from portal.background.outbox.states import OutboxState
from portal.background.sync import health as passes
from portal.background.sync.tables import ListName
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.accept import lane
from portal.delivery.envelopes.health import suspicions
from portal.delivery.privacy_requests import health as requests
from portal.delivery.record_changes.kind import CHANGE
from portal.gateway import metrics_access
from portal.jobs.alerts import health as alerts
from portal.operations.health.part import PartHealth, PartName, PartState
from portal.operations.health.portal_health import PortalHealth
from portal.people.signin import codes
from portal.platform.errors import PortalError
from portal.platform.metrics.figures import PORTAL
from portal.platform.metrics.serving import families, measure
from portal.services import Services
from portal.site.routing.access import operations

_BY_KIND = {
    APPLICATION.name: ("portal_submissions", "Submissions"),
    CHANGE.name: ("portal_record_changes", "Profile changes"),
    LETTER: ("portal_letters", "Emails"),
}


class DatabaseMetrics:
    """Metrics read from the database for each scrape: any process reports them for all, whichever does the work."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def families(self) -> Iterator[Metric]:
        """Yield every metric. Raises DatabaseUnavailable."""
        yield from self._queue()
        yield from self._suspicions()
        yield from self._breakers()
        yield from self._workers()
        yield from self._passes(ListName.VACANCIES, "portal_mirror")
        yield from self._passes(ListName.CANDIDATES, "portal_index")
        yield from self._requests()
        yield from self._alerts()

    def _queue(self) -> Iterator[Metric]:
        """Yield the metrics of all kinds from one query, which reads the whole queue."""
        services = self._services
        known = outbox.depths(services.database)
        labels = ["kind", "tenant", "state"]
        depth = GaugeMetricFamily("portal_queue", "Items in the queue, by kind, tenant and state.", labels=labels)
        tried = GaugeMetricFamily("portal_queue_attempts", "Attempts made for items in the queue.", labels=labels)
        ages: dict[tuple[str, str], float] = {}
        unreadable: Counter[tuple[str, str]] = Counter()
        for one in known:
            unreadable[one.kind, one.tenant] += one.unreadable
            depth.add_metric([one.kind, one.tenant, one.state], one.count)
            tried.add_metric([one.kind, one.tenant, one.state], one.attempts)
            if one.oldest is not None:
                age = max(0.0, (services.clock.now() - one.oldest).total_seconds())
                ages[one.kind, one.tenant] = max(age, ages.get((one.kind, one.tenant), 0.0))
        oldest = GaugeMetricFamily(
            "portal_queue_oldest_seconds", "Age of the oldest still waiting.", labels=["kind", "tenant"]
        )
        for key, age in sorted(ages.items()):
            oldest.add_metric(key, age)
        sealed = GaugeMetricFamily(
            "portal_queue_unreadable", "Of these, those that no secret key opens.", labels=["kind", "tenant"]
        )
        for whose, count in sorted(unreadable.items()):
            sealed.add_metric(whose, count)
        yield from (depth, tried, oldest, sealed)
        for kind, (name, what) in _BY_KIND.items():
            yield from _of_kind(name, what, [one for one in known if one.kind == kind], ages, kind)

    def _workers(self) -> Iterator[Metric]:
        crew = heartbeat.crew(self._services.database, self._services.clock.now())
        yield GaugeMetricFamily("portal_workers", "Workers that reported within 30 s.", crew.fresh)
        silent = float("inf") if crew.silent_for is None else crew.silent_for
        yield GaugeMetricFamily(
            "portal_worker_silent_seconds", "Seconds since a worker last reported; +Inf: never.", silent
        )

    def _suspicions(self) -> Iterator[Metric]:
        """Yield counts of stored rows, so any process reports for all and a restart resets nothing."""
        database = self._services.database
        suspected = CounterMetricFamily(
            "portal_suspicions", "Applications that a bot may have sent.", labels=["tenant", "reason"]
        )
        for (tenant, reason), count in sorted(suspicions(database).items()):
            suspected.add_metric([tenant, reason], count)
        yield suspected
        waits = GaugeMetricFamily(
            "portal_submissions_waiting", "Submissions held until someone releases them.", labels=["tenant", "for"]
        )
        for (slug, who), count in sorted(outbox.waiting(database, APPLICATION.name).items()):
            waits.add_metric([slug, who.value], count)
        yield waits

    def _breakers(self) -> Iterator[Metric]:
        services = self._services
        troubled = outbox.open_breakers(services.database)
        pauses = outbox.resting(services.database, services.clock.now())
        breaker = _by_tenant("portal_breaker_open", "1 while the tenant's service fails or rejects the portal.")
        rest = _by_tenant("portal_lane_rest_seconds", "Seconds for which nothing is sent to the tenant's service.")
        for tenant in services.tenants.all():
            breaker.add_metric([tenant.slug], float(lane(tenant.slug) in troubled))
            rest.add_metric([tenant.slug], pauses.get(lane(tenant.slug), 0.0))
        ends = _by_tenant("portal_service_certificate_days", "Until the certificate of the tenant's service expires.")
        for slug, days in sorted(
            passes.days_left(services.database, services.tenants.all(), services.clock.now()).items()
        ):
            ends.add_metric([slug], days)
        yield from (breaker, rest, ends)
        yield GaugeMetricFamily("portal_mail_breaker_open", "1 while the mail server fails.", float(MAIL in troubled))
        late = codes.late(services.database, services.clock.now(), ttl=services.settings.code_ttl)
        yield GaugeMetricFamily("portal_codes_late", f"Sign-in codes that wait for more than {codes.LATE} s.", late)

    def _passes(self, name: ListName, prefix: str) -> Iterator[Metric]:
        services = self._services
        known = passes.all_of(services.database, name, services.clock.now())
        ages = _by_tenant(
            f"{prefix}_age_seconds", f"Seconds since the tenant's {name} were last read successfully; +Inf: never."
        )
        failures = _by_tenant(f"{prefix}_failures", f"Consecutive failed passes over the tenant's {name}.")
        for tenant in services.tenants.all():
            found = known.get(tenant.slug)
            ages.add_metric([tenant.slug], float("inf") if found is None or found.age is None else found.age)
            failures.add_metric([tenant.slug], found.failures if found else 0)
        yield ages
        yield failures

    def _requests(self) -> Iterator[Metric]:
        services = self._services
        owed = requests.owed(services.database, services.clock.now())
        what = "Withdrawals and erasures that the tenant has not responded to"
        count = _by_tenant("portal_requests_open", f"{what}.")
        overdue = _by_tenant("portal_requests_overdue", f"{what} in time.")
        oldest = _by_tenant("portal_requests_oldest_seconds", f"{what}: age of the oldest.")
        # Requests to a tenant whose file was removed still need a response.
        for slug in sorted({*owed, *(tenant.slug for tenant in services.tenants.all())}):
            known = owed.get(slug, requests.Owed(0, 0, 0.0))
            count.add_metric([slug], known.open)
            overdue.add_metric([slug], known.overdue)
            oldest.add_metric([slug], known.oldest)
        yield from (count, overdue, oldest)

    def _alerts(self) -> Iterator[Metric]:
        services = self._services
        known = alerts.standing(services.database, services.clock.now())
        count = GaugeMetricFamily("portal_alerts", "Job alerts by email.", labels=["tenant", "state"])
        late = _by_tenant("portal_alerts_late_seconds", "Seconds that the oldest due alert has been waiting; 0: none.")
        for slug in sorted({*known, *(tenant.slug for tenant in services.tenants.all())}):
            found = known.get(slug, alerts.AlertCounts())
            count.add_metric([slug, "confirmed"], found.confirmed)
            count.add_metric([slug, "asked"], found.asked)
            late.add_metric([slug], found.late)
        yield from (count, late)


def _of_kind(
    name: str, what: str, known: list[outbox.Depth], ages: dict[tuple[str, str], float], kind: str
) -> Iterator[Metric]:
    counts: Counter[OutboxState] = Counter()
    for one in known:
        counts[one.state] += one.count
    by_state = GaugeMetricFamily(name, f"{what} by state.", labels=["state"])
    for state in OutboxState:
        by_state.add_metric([state.value], counts[state])
    yield by_state
    oldest = max((age for (of, _), age in ages.items() if of == kind), default=0.0)
    yield GaugeMetricFamily(
        f"{name}_oldest_undelivered_seconds", f"{what}: age of the oldest still waiting; 0: none.", oldest
    )


def _by_tenant(name: str, what: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, what, labels=["tenant"])


def process_families(services: Services, found: Sequence[PartHealth]) -> Iterator[Metric]:
    """Yield every metric. found: the health of the parts."""
    up = GaugeMetricFamily("portal_part_up", "0 while a part is down.", labels=["part"])
    for part in found:
        up.add_metric([part.name], float(part.state is not PartState.DOWN))
    yield up
    yield _tenant_files(services)
    yield from _room(services)


def _tenant_files(services: Services) -> Metric:
    wrong = GaugeMetricFamily("portal_tenant_file_wrong", "1 while the tenant's file is invalid.", labels=["tenant"])
    problems = services.tenants.problems()
    for slug in sorted({*problems, *(tenant.slug for tenant in services.tenants.all())}):
        wrong.add_metric([slug], float(slug in problems))
    return wrong


def _room(services: Services) -> Iterator[Metric]:
    disks = services.disks
    short = disks.short()
    paused = GaugeMetricFamily(
        "portal_uploads_paused", "1 while this machine has too little disk space to accept files.", labels=["place"]
    )
    free = GaugeMetricFamily("portal_free_bytes", "Bytes that can still be written there.", labels=["place"])
    for place, space in disks.free().items():
        paused.add_metric([place], float(place in short))
        free.add_metric([place], space)
    yield from (paused, free)


def blueprint(services: Services, standing: PortalHealth) -> Blueprint:
    """Return the blueprint of GET /metrics: 200; 401 from elsewhere without the token; 403 if none is configured."""
    pages = Blueprint("metrics", __name__)
    registry = CollectorRegistry()
    registry.register(_PortalFigures(services, standing))
    settings, token = services.settings, services.settings.metrics_token

    @pages.get("/metrics")
    @operations
    def metrics() -> Response:
        proxies = settings.trusted_proxies
        if not metrics_access.may_see(request.environ, token=token, base_url=settings.base_url, proxies=proxies):
            status, words, headers = metrics_access.refusal(token=token, setting="PORTAL_METRICS_TOKEN")
            return Response(words, status=status, headers=headers, mimetype="text/plain")
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    return pages


class _PortalFigures(Collector):
    def __init__(self, services: Services, standing: PortalHealth) -> None:
        self._services, self._standing, self._stored = services, standing, DatabaseMetrics(services)

    def describe(self) -> Iterator[Metric]:
        """Describe no metrics in advance: that would need the database, which may not have its tables yet."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        measure(PORTAL, self._services.database, self._services.room)
        found = self._standing.of_each()
        is_away = any(part.name is PartName.DATABASE and part.state is PartState.DOWN for part in found)
        return chain(
            families("portal"),
            process_families(self._services, found),
            [] if is_away else _all_or_nothing(self._stored),
        )


def _all_or_nothing(stored: DatabaseMetrics) -> list[Metric]:
    try:
        return list(stored.families())
    except PortalError:
        return []  # the database became unavailable since its probe; the next response reports it
