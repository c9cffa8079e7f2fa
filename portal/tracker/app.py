"""The Flask application of the recruitment tracking service; start with create_tracker."""

from functools import lru_cache

from flask import Flask, Response, g, request
from werkzeug.http import http_date

from portal.gateway.access_log import PLACE, RoutePath
from portal.gateway.concurrency import WAITING, ConcurrencyLimit
from portal.platform.clock import Clock
from portal.platform.config.settings import TrackerSettings
from portal.platform.database.db import Database
from portal.platform.rate_limits import Throttle
from portal.tracker import describing, gateway, metrics, problems, public, with_key
from portal.tracker.database import open_database
from portal.tracker.keys import RequestLimit

_date = lru_cache(maxsize=4)(http_date)
"""Cached: the header has whole seconds, so all responses within a second share one text."""

MEASURED = "measured"
"""Key in `app.extensions` of the pair (database, concurrency limit), for the metrics."""


def create_tracker(settings: TrackerSettings, *, clock: Clock, database: Database | None = None) -> Flask:
    """Return the service as a Flask application.

    database: one that is already open, with its schema; by default the one that the settings name is opened.
    """
    database = database or open_database(settings.database_url)
    throttle = Throttle(settings.rate_limits, clock)
    of_keys = RequestLimit("key", settings.rate_limit, throttle)
    of_networks = RequestLimit("network", settings.public_rate_limit, throttle)
    app = Flask("portal.tracker", static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = False
    problems.register(app)
    gateway.refuse_what_did_not_arrive(app)
    app.register_blueprint(with_key.blueprint(database, clock, of_keys))
    app.register_blueprint(public.blueprint(database, clock, of_networks))
    room = ConcurrencyLimit(settings.threads, waiting=WAITING)
    app.register_blueprint(metrics.blueprint(settings, database, clock, room))
    app.extensions[MEASURED] = (database, room)
    app.register_blueprint(describing.blueprint(settings.base_url))

    @app.after_request
    def finish(response: Response) -> Response:
        if request.url_rule is not None:  # log the rule, not the path: paths contain ids of candidates and applications
            request.environ[PLACE] = RoutePath(request.url_rule.rule, request.url_rule.rule)
        # Clients take their sync watermarks from this header, so it states the service's clock, not the server's.
        response.headers["Date"] = _date(int(clock.now().timestamp()))
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers.setdefault("Cache-Control", "no-store")
        for name, value in g.get("rate_limit", {}).items():
            response.headers.setdefault(name, value)
        return response

    gateway.put_before(app, clock, room)
    return app
