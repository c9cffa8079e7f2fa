"""`/metrics`: what monitoring asks, in Prometheus' text format. For this machine alone, or for who has the token.

Figures come from the database, so that any web process answers for all of them, whoever does the work.
"""

import hmac
import ipaddress
from collections.abc import Iterator

from flask import Blueprint, Request, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from portal.alerts import health as alerts
from portal.applications.kind import APPLICATION
from portal.deliveries.accept import lane
from portal.deliveries.health import suspicions
from portal.errors import DatabaseUnavailable
from portal.letters.queue import KIND as LETTER
from portal.letters.queue import LANE as MAIL
from portal.outbox import health as outbox
from portal.parts import Parts
from portal.passes import health as passes
from portal.passes.tables import ListName
from portal.records.kind import CHANGE
from portal.requests import health as requests
from portal.web.access import operations


def blueprint(parts: Parts) -> Blueprint:
    """GET /metrics: 200, 401 without the token from elsewhere, 403 where no token is set, 503 without a database."""
    pages = Blueprint("metrics", __name__)
    registry = CollectorRegistry()
    registry.register(_Figures(parts))
    token = parts.settings.metrics_token

    @pages.get("/metrics")
    @operations
    def metrics() -> Response:
        from_here = not parts.settings.trusted_proxies and _is_from_here(request)
        if not from_here and not _has_token(request, token):
            return _refusal(has_token=token is not None)
        try:
            return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
        except DatabaseUnavailable as error:
            return Response(f"{error}\n", status=503, mimetype="text/plain")

    return pages


class _Figures(Collector):
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def describe(self) -> Iterator[Metric]:
        """Nothing beforehand: asking would need the database, which may not have its tables yet."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Ask the database, anew each time."""
        yield from self._of(APPLICATION.name, "portal_submissions", "Submissions")
        yield from self._of(CHANGE.name, "portal_record_changes", "Changes of candidates' records")
        yield from self._of(LETTER, "portal_letters", "Letters by mail")
        yield from self._suspicions()
        yield from self._breakers()
        yield from self._passes(ListName.VACANCIES, "portal_mirror")
        yield from self._passes(ListName.CANDIDATES, "portal_index")
        yield from self._requests()
        yield from self._alerts()
        yield from self._room()

    def _of(self, kind: str, name: str, what: str) -> Iterator[Metric]:
        parts = self._parts
        by_state = GaugeMetricFamily(name, f"{what} by state.", labels=["state"])
        for state, count in outbox.counts(parts.database, kind).items():
            by_state.add_metric([state.value], count)
        yield by_state
        since = outbox.oldest_unfinished(parts.database, kind)
        age = (parts.clock.now() - since).total_seconds() if since else 0.0
        yield GaugeMetricFamily(
            f"{name}_oldest_undelivered_seconds", f"{what}: age of the oldest that still waits; 0: none.", max(0.0, age)
        )

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

    def _room(self) -> Iterator[Metric]:
        disks = self._parts.disks
        short = disks.short()
        paused = GaugeMetricFamily(
            "portal_uploads_paused", "1 while this machine has too little room to take files.", labels=["place"]
        )
        for place in disks.places:
            paused.add_metric([place], float(place in short))
        yield paused

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


def _by_tenant(name: str, what: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, what, labels=["tenant"])


def _is_from_here(asked: Request) -> bool:
    """Whether this machine asks, and not a proxy on it for somebody else."""
    forwarded = any(name.startswith(("HTTP_X_FORWARDED", "HTTP_FORWARDED")) for name in asked.environ)
    return not forwarded and _is_loopback(asked.environ.get("REMOTE_ADDR", ""))


def _is_loopback(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return bool((mapped or found).is_loopback)


def _has_token(asked: Request, token: str | None) -> bool:
    kind, _, given = asked.headers.get("Authorization", "").partition(" ")
    return (
        token is not None
        and kind.lower() == "bearer"
        and hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
    )


def _refusal(*, has_token: bool) -> Response:
    if has_token:
        refusal = Response("a bearer token is needed\n", status=401, mimetype="text/plain")
        refusal.headers["WWW-Authenticate"] = "Bearer"
        return refusal
    return Response("answers this machine alone: set PORTAL_METRICS_TOKEN\n", status=403, mimetype="text/plain")
