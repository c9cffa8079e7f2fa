"""`/healthz`, `/readyz`, `/metrics` of the service: what a balancer and monitoring ask. Nothing of a tenant is told."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus

from flask import Blueprint, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from portal.clock import Clock
from portal.counted import heard
from portal.counted.figures import KEYS_REFUSED, RATE_LIMITED, TRACKER
from portal.counted.serving import Places, families, measure
from portal.db import Database
from portal.front import monitors
from portal.front.visits import Finished
from portal.settings import TrackerSettings
from portal.standing.looking import Look
from portal.standing.part import Found, Name, State
from portal.tracker.shapes import written

PATHS = frozenset({"/readyz", "/metrics"})


def blueprint(settings: TrackerSettings, database: Database, clock: Clock, room: Places) -> Blueprint:
    """The three on this database. Figures are for this machine, or for who has the token."""
    pages = Blueprint("watching", __name__)
    look = Look(Name.DATABASE, lambda: _schema(database), clock)
    registry = CollectorRegistry()
    registry.register(_Figures(look, database, room))
    token = settings.metrics_token

    @pages.get("/healthz")
    def healthz() -> Response:
        return Response("ok\n", content_type="text/plain; charset=utf-8")

    @pages.get("/readyz")
    def readyz() -> Response:
        found = _found(look)
        ready = found.state is not State.DOWN
        said: dict[str, object] = {"ready": ready}
        if monitors.may_see(request.environ, token=token, base_url=settings.base_url):
            said["missing"] = {} if ready else {Name.DATABASE.value: found.says}
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Response(written(said), status, content_type="application/json")

    @pages.get("/metrics")
    def metrics() -> Response:
        if not monitors.may_see(request.environ, token=token, base_url=settings.base_url):
            status, words, headers = monitors.refusal(token=token, setting="TRACKER_METRICS_TOKEN")
            return Response(words, status=status, headers=headers, mimetype="text/plain")
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    return pages


def count(done: Finished) -> None:
    """One request that was answered."""
    heard.request(TRACKER, done.place.route, done.method, done.status, done.seconds)
    if done.status == HTTPStatus.UNAUTHORIZED:
        KEYS_REFUSED.inc()
    elif done.status == HTTPStatus.TOO_MANY_REQUESTS:
        RATE_LIMITED.inc()


def _schema(database: Database) -> Mapping[Name, Found]:
    database.require_current_schema()
    return {Name.DATABASE: Found(State.OK, "")}


def _found(look: Look) -> Found:
    look.begin()
    return look.found()[Name.DATABASE]


class _Figures(Collector):
    def __init__(self, look: Look, database: Database, room: Places) -> None:
        self._look, self._database, self._room = look, database, room

    def describe(self) -> Iterator[Metric]:
        """Nothing beforehand."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """As it is now."""
        measure(TRACKER, self._database, self._room)
        yield from families("tracker")
        up = GaugeMetricFamily("tracker_part_up", "0 while a part is down.", labels=["part"])
        up.add_metric([Name.DATABASE.value], float(_found(self._look).state is not State.DOWN))
        yield up
