"""`/metrics` in Prometheus' text format, for this machine only or for clients with the token.

It responds while the database is unavailable too, with the metrics that do not need it, so that an alert can say which
part is down.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from flask import Blueprint, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from portal.delivery.uploads.disk_space import Disks
from portal.gateway import metrics_access
from portal.gateway.concurrency import ConcurrencyLimit
from portal.operations.health.database_metrics import DatabaseMetrics
from portal.operations.health.part import PartHealth, PartName, PartState
from portal.operations.health.portal_health import PortalHealth
from portal.platform.config.settings import Settings
from portal.platform.database.db import Database
from portal.platform.errors import PortalError
from portal.platform.metrics.definitions import PORTAL
from portal.platform.metrics.serving import families, measure
from portal.site.routing.access import operations
from portal.tenants.folder import Tenants


def process_families(tenants: Tenants, disks: Disks, found: Sequence[PartHealth]) -> Iterator[Metric]:
    """Yield every metric of this process and machine. found: the health of the parts."""
    up = GaugeMetricFamily("portal_part_up", "0 while a part is down.", labels=["part"])
    for part in found:
        up.add_metric([part.name], float(part.state is not PartState.DOWN))
    yield up
    yield _tenant_files(tenants)
    yield from _disk_space(disks)


def _tenant_files(tenants: Tenants) -> Metric:
    wrong = GaugeMetricFamily("portal_tenant_file_wrong", "1 while the tenant's file is invalid.", labels=["tenant"])
    problems = tenants.problems()
    for slug in sorted({*problems, *(tenant.slug for tenant in tenants.all())}):
        wrong.add_metric([slug], float(slug in problems))
    return wrong


def _disk_space(disks: Disks) -> Iterator[Metric]:
    short = disks.places_short_of_space()
    paused = GaugeMetricFamily(
        "portal_uploads_paused", "1 while this machine has too little disk space to accept files.", labels=["place"]
    )
    free = GaugeMetricFamily("portal_free_bytes", "Bytes that can still be written there.", labels=["place"])
    for place, space in disks.free().items():
        paused.add_metric([place], float(place in short))
        free.add_metric([place], space)
    yield from (paused, free)


def blueprint(collector: "PortalMetrics", settings: Settings) -> Blueprint:
    """Return the blueprint of GET /metrics: 200; 401 from elsewhere without the token; 403 if none is configured."""
    pages = Blueprint("metrics", __name__)
    registry = CollectorRegistry()
    registry.register(collector)
    token = settings.metrics_token

    @pages.get("/metrics")
    @operations
    def metrics() -> Response:
        proxies = settings.trusted_proxies
        if not metrics_access.may_see(request.environ, token=token, base_url=settings.base_url, proxies=proxies):
            status, words, headers = metrics_access.refusal(token=token, setting="PORTAL_METRICS_TOKEN")
            return Response(words, status=status, headers=headers, mimetype="text/plain")
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    return pages


class PortalMetrics(Collector):
    """The metrics of the portal: of this process and machine, of the health of its parts, and from the database."""

    def __init__(
        self,
        database: Database,
        concurrency: ConcurrencyLimit,
        tenants: Tenants,
        disks: Disks,
        health: PortalHealth,
        database_metrics: DatabaseMetrics,
    ) -> None:
        self._database, self._concurrency = database, concurrency
        self._tenants, self._disks = tenants, disks
        self._health, self._database_metrics = health, database_metrics

    def describe(self) -> Iterator[Metric]:
        """Describe no metrics in advance: that would need the database, which may not have its tables yet."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        measure(PORTAL, self._database, self._concurrency)
        found = self._health.of_each()
        is_down = any(part.name is PartName.DATABASE and part.state is PartState.DOWN for part in found)
        return chain(
            families("portal"),
            process_families(self._tenants, self._disks, found),
            [] if is_down else _all_or_nothing(self._database_metrics),
        )


def _all_or_nothing(database_metrics: DatabaseMetrics) -> list[Metric]:
    try:
        return list(database_metrics.families())
    except PortalError:
        return []  # the database became unavailable since its probe; the next response reports it
