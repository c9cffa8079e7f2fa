"""`/metrics` in Prometheus' text format, for this machine only or for clients with the token.

It responds while the database is unavailable too, with the metrics that do not need it, so that an alert can say which
part is down.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

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


def database_families(services: Services) -> Iterator[Metric]:
    """Yield the metrics read from the database: any process reports them for all, whichever does the work.

    Raises DatabaseUnavailable.
    """
    yield from _queue(services)
    yield from _suspicions(services)
    yield from _breakers(services)
    yield from _workers(services)
    yield from _passes(services, ListName.VACANCIES, "portal_mirror")
    yield from _passes(services, ListName.CANDIDATES, "portal_index")
    yield from _requests(services)
    yield from _alerts(services)


def _queue(services: Services) -> Iterator[Metric]:
    """Yield the metrics of all kinds from one query, which reads the whole queue."""
    known, now = outbox.depths(services.database), services.clock.now()
    counts, attempts = dict[tuple[str, ...], float](), dict[tuple[str, ...], float]()
    ages: dict[tuple[str, ...], float] = {}
    unreadable: Counter[tuple[str, ...]] = Counter()
    for one in known:
        whose = (one.kind, one.tenant)
        counts[*whose, one.state], attempts[*whose, one.state] = one.count, one.attempts
        unreadable[whose] += one.unreadable
        if one.oldest is not None:
            ages[whose] = max((now - one.oldest).total_seconds(), ages.get(whose, 0.0))
    of = ("kind", "tenant")
    yield _gauge("portal_queue", "Items in the queue, by kind, tenant and state.", (*of, "state"), counts)
    yield _gauge("portal_queue_attempts", "Attempts made for items in the queue.", (*of, "state"), attempts)
    yield _gauge("portal_queue_oldest_seconds", "Age of the oldest still waiting.", of, ages)
    yield _gauge("portal_queue_unreadable", "Of these, those that no secret key opens.", of, unreadable)
    for kind, (name, what) in _BY_KIND.items():
        by_state: dict[tuple[str, ...], float] = {(state,): 0 for state in OutboxState}
        for one in known:
            if one.kind == kind:
                by_state[one.state,] += one.count
        yield _gauge(name, f"{what} by state.", ("state",), by_state)
        oldest = max((age for key, age in ages.items() if key[0] == kind), default=0.0)
        about = f"{what}: age of the oldest still waiting; 0: none."
        yield GaugeMetricFamily(f"{name}_oldest_undelivered_seconds", about, oldest)


def _workers(services: Services) -> Iterator[Metric]:
    crew = heartbeat.crew(services.database, services.clock.now())
    yield GaugeMetricFamily("portal_workers", "Workers that reported within 30 s.", crew.fresh)
    silent, what = crew.silent_for, "Seconds since a worker last reported; +Inf: never."
    yield GaugeMetricFamily("portal_worker_silent_seconds", what, float("inf") if silent is None else silent)


def _suspicions(services: Services) -> Iterator[Metric]:
    """Yield counts of stored rows, so any process reports for all and a restart resets nothing."""
    suspected = CounterMetricFamily(
        "portal_suspicions", "Applications that a bot may have sent.", labels=["tenant", "reason"]
    )
    for key, count in sorted(suspicions(services.database).items()):
        suspected.add_metric(key, count)
    yield suspected
    held = outbox.waiting(services.database, APPLICATION.name)
    yield _gauge("portal_submissions_waiting", "Submissions held until someone releases them.", ("tenant", "for"), held)


def _breakers(services: Services) -> Iterator[Metric]:
    database, now, tenants = services.database, services.clock.now(), services.tenants.all()
    troubled, pauses = outbox.open_breakers(database), outbox.resting(database, now)
    lanes = {tenant.slug: lane(tenant.slug) for tenant in tenants}
    yield _by_tenant(
        "portal_breaker_open",
        "1 while the tenant's service fails or rejects the portal.",
        {slug: float(name in troubled) for slug, name in lanes.items()},
    )
    yield _by_tenant(
        "portal_lane_rest_seconds",
        "Seconds for which nothing is sent to the tenant's service.",
        {slug: pauses.get(name, 0.0) for slug, name in lanes.items()},
    )
    yield _by_tenant(
        "portal_service_certificate_days",
        "Until the certificate of the tenant's service expires.",
        passes.days_left(database, tenants, now),
    )
    yield GaugeMetricFamily("portal_mail_breaker_open", "1 while the mail server fails.", float(MAIL in troubled))
    late = codes.late(database, now, ttl=services.settings.code_ttl)
    yield GaugeMetricFamily("portal_codes_late", f"Sign-in codes that wait for more than {codes.LATE} s.", late)


def _passes(services: Services, name: ListName, prefix: str) -> Iterator[Metric]:
    known = passes.all_of(services.database, name, services.clock.now())
    ages, failures = dict.fromkeys(_slugs(services), float("inf")), dict.fromkeys(_slugs(services), 0)
    for slug in ages.keys() & known.keys():
        age, failures[slug] = known[slug].age, known[slug].failures
        ages[slug] = ages[slug] if age is None else age
    what = f"Seconds since the tenant's {name} were last read successfully; +Inf: never."
    yield _by_tenant(f"{prefix}_age_seconds", what, ages)
    yield _by_tenant(f"{prefix}_failures", f"Consecutive failed passes over the tenant's {name}.", failures)


def _requests(services: Services) -> Iterator[Metric]:
    owed = requests.owed(services.database, services.clock.now())
    # Requests to a tenant whose file was removed still need a response.
    known = {slug: owed.get(slug, requests.Owed(0, 0, 0.0)) for slug in {*owed, *_slugs(services)}}
    what = "Withdrawals and erasures that the tenant has not responded to"
    yield _by_tenant("portal_requests_open", f"{what}.", {slug: one.open for slug, one in known.items()})
    yield _by_tenant("portal_requests_overdue", f"{what} in time.", {slug: one.overdue for slug, one in known.items()})
    ages = {slug: one.oldest for slug, one in known.items()}
    yield _by_tenant("portal_requests_oldest_seconds", f"{what}: age of the oldest.", ages)


def _alerts(services: Services) -> Iterator[Metric]:
    found = alerts.standing(services.database, services.clock.now())
    known = {slug: found.get(slug, alerts.AlertCounts()) for slug in {*found, *_slugs(services)}}
    counts = {(slug, "confirmed"): one.confirmed for slug, one in known.items()}
    counts |= {(slug, "asked"): one.asked for slug, one in known.items()}
    yield _gauge("portal_alerts", "Job alerts by email.", ("tenant", "state"), counts)
    what = "Seconds that the oldest due alert has been waiting; 0: none."
    yield _by_tenant("portal_alerts_late_seconds", what, {slug: one.late for slug, one in known.items()})


def _slugs(services: Services) -> list[str]:
    return [tenant.slug for tenant in services.tenants.all()]


def _gauge(name: str, what: str, labels: Sequence[str], values: Mapping[Any, float]) -> Metric:
    """Return a gauge. values: by the labels' values, in the order of `labels`."""
    gauge = GaugeMetricFamily(name, what, labels=labels)
    for key, value in sorted(values.items()):
        gauge.add_metric(key, value)
    return gauge


def _by_tenant(name: str, what: str, values: Mapping[str, float]) -> Metric:
    return _gauge(name, what, ("tenant",), {(slug,): value for slug, value in values.items()})


def process_families(services: Services, found: Sequence[PartHealth]) -> Iterator[Metric]:
    """Yield the metrics of this process and machine. found: the health of the parts."""
    up = {(part.name,): float(part.state is not PartState.DOWN) for part in found}
    yield _gauge("portal_part_up", "0 while a part is down.", ("part",), up)
    problems = services.tenants.problems()
    wrong = {slug: float(slug in problems) for slug in {*problems, *_slugs(services)}}
    yield _by_tenant("portal_tenant_file_wrong", "1 while the tenant's file is invalid.", wrong)
    short, free = services.disks.short(), services.disks.free()
    yield _gauge(
        "portal_uploads_paused",
        "1 while this machine has too little disk space to accept files.",
        ("place",),
        {(place,): float(place in short) for place in free},
    )
    yield _gauge(
        "portal_free_bytes",
        "Bytes that can still be written there.",
        ("place",),
        {(place,): space for place, space in free.items()},
    )


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
        self._services, self._standing = services, standing

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
            [] if is_away else _all_or_nothing(self._services),
        )


def _all_or_nothing(services: Services) -> list[Metric]:
    try:
        return list(database_families(services))
    except PortalError:
        return []  # the database became unavailable since its probe; the next response reports it
