"""The Flask application of the recruitment tracking service; start with create_tracker."""

from collections.abc import Iterator
from functools import lru_cache
from http import HTTPStatus

from flask import Blueprint, Flask, Response, g, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from werkzeug.exceptions import HTTPException
from werkzeug.http import http_date

from portal.contract import bounds
from portal.gateway import Gateway, metrics_access, security_txt
from portal.gateway.access_log import ENV_ROUTE, FinishedRequest, RoutePath
from portal.gateway.concurrency import WAITING, ConcurrencyLimit
from portal.gateway.request_bodies import REFUSED, BodyRejection
from portal.gateway.response import HSTS, GatewayResponse
from portal.operations.health.part import BackgroundProbe, PartName, PartState, ProbeResult
from portal.platform.clock import Clock
from portal.platform.config.settings import TrackerSettings
from portal.platform.database.db import Database
from portal.platform.metrics import listeners
from portal.platform.metrics.definitions import KEYS_REFUSED, RATE_LIMITED, TRACKER
from portal.platform.metrics.serving import SlotGauge, families, measure
from portal.platform.rate_limits import Throttle
from portal.tracker import openapi, problems, public, with_key
from portal.tracker.hiring.app import HiringMount
from portal.tracker.keys import RequestLimit
from portal.tracker.problems import RETRY_AFTER, ServiceProblem, answer
from portal.tracker.shapes import written
from portal.tracker.tables import open_database

PATHS = frozenset({"/readyz", "/metrics"})


def blueprint(settings: TrackerSettings, database: Database, clock: Clock, concurrency: SlotGauge) -> Blueprint:
    """Return the blueprint of health checks, metrics and security.txt.

    Metrics are shown only to this machine or with the token.
    """
    pages = Blueprint("watching", __name__)
    look = BackgroundProbe(PartName.DATABASE, database.require_current_schema, clock)
    registry = CollectorRegistry()
    registry.register(_TrackerMetrics(look, database, concurrency))
    token = settings.metrics_token

    @pages.get("/healthz")
    def healthz() -> Response:
        return Response("ok\n", content_type="text/plain; charset=utf-8")

    @pages.get("/readyz")
    def readyz() -> Response:
        found = _found(look)
        ready = found.state is not PartState.DOWN
        readiness: dict[str, object] = {"ready": ready}
        if metrics_access.may_see(request.environ, token=token, base_url=settings.base_url):
            readiness["missing"] = {} if ready else {PartName.DATABASE.value: found.says}
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Response(written(readiness), status, content_type="application/json")

    @pages.get("/metrics")
    def metrics() -> Response:
        if not metrics_access.may_see(request.environ, token=token, base_url=settings.base_url):
            status, words, headers = metrics_access.refusal(token=token, setting="TRACKER_METRICS_TOKEN")
            return Response(words, status=status, headers=headers, mimetype="text/plain")
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    @pages.get(security_txt.PATH)
    def security() -> Response:
        if settings.security_contact is None:
            raise problems.not_found("file")
        document = security_txt.text(
            settings.security_contact, settings.security_policy, origin=settings.base_url, now=clock.now()
        )
        headers = {"Cache-Control": "max-age=3600"}
        return Response(document, content_type=security_txt.CONTENT_TYPE, headers=headers)

    return pages


def count(done: FinishedRequest) -> None:
    """Count one request that was answered."""
    listeners.request(TRACKER, done.place.route, done.method, done.status, done.seconds)
    if done.status == HTTPStatus.UNAUTHORIZED:
        KEYS_REFUSED.inc()
    elif done.status == HTTPStatus.TOO_MANY_REQUESTS:
        RATE_LIMITED.inc()


def _found(look: BackgroundProbe) -> ProbeResult:
    look.begin()
    return look.found()[PartName.DATABASE]


class _TrackerMetrics(Collector):
    def __init__(self, look: BackgroundProbe, database: Database, concurrency: SlotGauge) -> None:
        self._look, self._database, self._concurrency = look, database, concurrency

    def describe(self) -> Iterator[Metric]:
        """Describe no metrics in advance."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        measure(TRACKER, self._database, self._concurrency)
        yield from families("tracker")
        up = GaugeMetricFamily("tracker_part_up", "0 while a part is down.", labels=["part"])
        up.add_metric([PartName.DATABASE.value], float(_found(self._look).state is not PartState.DOWN))
        yield up


def wrap_in_gateway(app: Flask, clock: Clock, concurrency: ConcurrencyLimit, hiring: HiringMount | None) -> None:
    """Wrap `app.wsgi_app`, and the hiring pages beside it, in the gateway."""

    def busy() -> GatewayResponse:
        response = answer(
            ServiceProblem(HTTPStatus.SERVICE_UNAVAILABLE, "There is no room just now.", headers=RETRY_AFTER)
        )
        return GatewayResponse("503 SERVICE UNAVAILABLE", [*response.headers, *_ALWAYS], response.get_data())

    front = Gateway(
        app.wsgi_app if hiring is None else hiring.beside(app.wsgi_app),
        clock,
        concurrency=concurrency,
        max_body_bytes=lambda method, path: _max_body_bytes(app, hiring, method, path),
        busy=busy,
        unlimited_paths={"/healthz"},
        blocking_monitoring_paths=PATHS,
        debug_logged_routes={"/healthz", *PATHS},
    )
    front.access_log.tell.append(count)
    app.wsgi_app = front  # type: ignore[method-assign]  # Flask's own way of adding middleware


def refuse_what_did_not_arrive(app: Flask) -> None:
    """Answer 408, 400 or 503 to requests whose body the gateway did not receive completely."""

    @app.before_request
    def refuse() -> None:
        refusal = request.environ.get(REFUSED)
        if refusal is BodyRejection.TOO_SLOW:
            raise ServiceProblem(HTTPStatus.REQUEST_TIMEOUT, "The body came too slowly.")
        if refusal is BodyRejection.CUT_OFF:
            raise ServiceProblem(HTTPStatus.BAD_REQUEST, "The body ended before the length that was said.")
        if refusal is BodyRejection.TOO_MANY:
            raise ServiceProblem(HTTPStatus.SERVICE_UNAVAILABLE, "Too many bodies arrive at once.", headers=RETRY_AFTER)


def _max_body_bytes(app: Flask, hiring: HiringMount | None, method: str, path: str) -> int | None:
    if hiring is not None and hiring.has(path):
        return hiring.max_body_bytes(method, path)
    if method in {"GET", "HEAD"}:
        return None
    try:
        endpoint, _ = app.url_map.bind("").match(path.encode("latin-1").decode("utf-8", "replace"), method)
    except HTTPException:
        return None
    return bounds.PUBLIC_BODY_MAX if endpoint.startswith(f"{public.NAME}.") else bounds.BODY_MAX


_date = lru_cache(maxsize=4)(http_date)
"""Cached: the header has whole seconds, so all responses within a second share one text."""

_ALWAYS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ("Referrer-Policy", "no-referrer"),
)
"""Headers of every response of the interface: a browser that is led to one shows text and nothing else."""

MEASURED = "measured"
"""Key in `app.extensions` of the pair (database, concurrency limit), for the metrics."""


def create_tracker(
    settings: TrackerSettings, *, clock: Clock, database: Database | None = None, hiring: HiringMount | None = None
) -> Flask:
    """Return the service as a Flask application.

    database: one that is already open, with its schema; by default the one that the settings name is opened.
    hiring: the hiring pages, served beside the interface.
    """
    database = database or open_database(settings.database_url)
    throttle = Throttle(settings.rate_limits, clock)
    of_keys = RequestLimit("key", settings.rate_limit, throttle)
    of_networks = RequestLimit("network", settings.public_rate_limit, throttle)
    app = Flask("portal.tracker", static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = False
    problems.register(app)
    refuse_what_did_not_arrive(app)
    app.register_blueprint(with_key.blueprint(database, clock, of_keys))
    app.register_blueprint(public.blueprint(database, clock, of_networks))
    concurrency = hiring.concurrency if hiring else ConcurrencyLimit(settings.threads, waiting=WAITING)
    app.register_blueprint(blueprint(settings, database, clock, concurrency))
    app.extensions[MEASURED] = (database, concurrency)
    app.register_blueprint(openapi.blueprint(settings.base_url))
    always = [*_ALWAYS, *([HSTS] if settings.base_url.startswith("https://") else [])]

    @app.after_request
    def finish(response: Response) -> Response:
        if request.url_rule is not None:  # log the rule, not the path: paths contain ids of candidates and applications
            request.environ[ENV_ROUTE] = RoutePath(request.url_rule.rule, request.url_rule.rule)
        # Clients take their sync watermarks from this header, so it states the service's clock, not the server's.
        response.headers["Date"] = _date(int(clock.now().timestamp()))
        for name, value in always:
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        for name, value in g.get("rate_limit", {}).items():
            response.headers.setdefault(name, value)
        return response

    wrap_in_gateway(app, clock, concurrency, hiring)
    return app
