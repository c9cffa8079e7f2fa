"""`/healthz`, `/readyz` and `/metrics` of the service, for load balancers and monitoring, without any tenant's data."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus

from flask import Blueprint, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from portal.gateway import metrics_access
from portal.gateway.access_log import FinishedRequest
from portal.operations.health.background import BackgroundProbe
from portal.operations.health.part import PartName, PartState, ProbeResult
from portal.platform.clock import Clock
from portal.platform.config.settings import TrackerSettings
from portal.platform.database.db import Database
from portal.platform.metrics import listeners
from portal.platform.metrics.figures import KEYS_REFUSED, RATE_LIMITED, TRACKER
from portal.platform.metrics.serving import Places, families, measure
from portal.tracker.shapes import written

PATHS = frozenset({"/readyz", "/metrics"})


def blueprint(settings: TrackerSettings, database: Database, clock: Clock, room: Places) -> Blueprint:
    """Return the blueprint of the three endpoints. Figures are shown only to this machine or with the token."""
    pages = Blueprint("watching", __name__)
    look = BackgroundProbe(PartName.DATABASE, lambda: _schema(database), clock)
    registry = CollectorRegistry()
    registry.register(_Figures(look, database, room))
    token = settings.metrics_token

    @pages.get("/healthz")
    def healthz() -> Response:
        return Response("ok\n", content_type="text/plain; charset=utf-8")

    @pages.get("/readyz")
    def readyz() -> Response:
        found = _found(look)
        ready = found.state is not PartState.DOWN
        said: dict[str, object] = {"ready": ready}
        if metrics_access.may_see(request.environ, token=token, base_url=settings.base_url):
            said["missing"] = {} if ready else {PartName.DATABASE.value: found.says}
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Response(written(said), status, content_type="application/json")

    @pages.get("/metrics")
    def metrics() -> Response:
        if not metrics_access.may_see(request.environ, token=token, base_url=settings.base_url):
            status, words, headers = metrics_access.refusal(token=token, setting="TRACKER_METRICS_TOKEN")
            return Response(words, status=status, headers=headers, mimetype="text/plain")
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    return pages


def count(done: FinishedRequest) -> None:
    """Count one request that was answered."""
    listeners.request(TRACKER, done.place.route, done.method, done.status, done.seconds)
    if done.status == HTTPStatus.UNAUTHORIZED:
        KEYS_REFUSED.inc()
    elif done.status == HTTPStatus.TOO_MANY_REQUESTS:
        RATE_LIMITED.inc()


def _schema(database: Database) -> Mapping[PartName, ProbeResult]:
    database.require_current_schema()
    return {PartName.DATABASE: ProbeResult(PartState.OK, "")}


def _found(look: BackgroundProbe) -> ProbeResult:
    look.begin()
    return look.found()[PartName.DATABASE]


class _Figures(Collector):
    def __init__(self, look: BackgroundProbe, database: Database, room: Places) -> None:
        self._look, self._database, self._room = look, database, room

    def describe(self) -> Iterator[Metric]:
        """Describe no metrics in advance."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yield the current figures."""
        measure(TRACKER, self._database, self._room)
        yield from families("tracker")
        up = GaugeMetricFamily("tracker_part_up", "0 while a part is down.", labels=["part"])
        up.add_metric([PartName.DATABASE.value], float(_found(self._look).state is not PartState.DOWN))
        yield up
