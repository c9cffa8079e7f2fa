"""create_tracker: the service as a Flask application."""

from functools import lru_cache

from flask import Flask, Response, g, request
from werkzeug.http import http_date

from portal.clock import Clock
from portal.db import Database
from portal.front.room import WAITING, Room
from portal.front.visits import PLACE, Place
from portal.settings import TrackerSettings
from portal.throttling import Throttle
from portal.tracker import describing, facing, problems, public, watching, with_key
from portal.tracker.database import open_database
from portal.tracker.keys import Allowance
from portal.tracker.reading import BODY_MOST

_date = lru_cache(maxsize=4)(http_date)
"""It says whole seconds, so one text does for all answers of a second."""

MEASURED = "measured"
"""Extension of the application: its database and its room."""


def create_tracker(settings: TrackerSettings, *, clock: Clock, database: Database | None = None) -> Flask:
    """The whole service. database: one that is open already, with its schema; by default the settings' own."""
    database = database or open_database(settings.database_url)
    throttle = Throttle(settings.rate_limits, clock)
    of_keys = Allowance("key", settings.rate_limit, throttle)
    of_networks = Allowance("network", settings.public_rate_limit, throttle)
    app = Flask("portal.tracker", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = BODY_MOST + 1
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = False
    problems.register(app)
    facing.refuse_what_did_not_arrive(app)
    app.register_blueprint(with_key.blueprint(database, clock, of_keys))
    app.register_blueprint(public.blueprint(database, clock, of_networks))
    room = Room(settings.threads, waiting=WAITING)
    app.register_blueprint(watching.blueprint(settings, database, clock, room))
    app.extensions[MEASURED] = (database, room)
    app.register_blueprint(describing.blueprint(settings.base_url))

    @app.after_request
    def finish(response: Response) -> Response:
        if request.url_rule is not None:  # its values are ids of candidates and applications, and stand in no log
            request.environ[PLACE] = Place(request.url_rule.rule, request.url_rule.rule)
        # Watermarks of clients come from the service's own clock, so it is stated here and not by the server.
        response.headers["Date"] = _date(int(clock.now().timestamp()))
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers.setdefault("Cache-Control", "no-store")
        for name, value in g.get("rate_limit", {}).items():
            response.headers.setdefault(name, value)
        return response

    facing.put_before(app, clock, room)
    return app
