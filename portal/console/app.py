"""create_console: the desk as a Flask application of its own; none of its pages is on the portal's port."""

import logging
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, g, make_response, render_template, request
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException, NotFound

from portal.console import company, handling, paperwork, start, words
from portal.console.checking import Ask, Checks, by_command
from portal.console.who import who_asks
from portal.errors import DatabaseUnavailable, PortalError, SchemaOutdated, place_of
from portal.front import Front
from portal.front.answer import Answer
from portal.parts import Parts
from portal.standing.standing import Standing
from portal.web import asked, headers
from portal.web.assembly import NoSessions
from portal.web.assets import Assets
from portal.web.body import TEXT_LIMIT
from portal.web.facing import bound_of
from portal.web.folders import STATIC, TEMPLATES

log = logging.getLogger(__name__)

_TITLES = {400: "That did not work", 403: "The desk is not open to you", 404: "There is no such page"}


def create_console(parts: Parts, *, ask: Ask = by_command) -> Flask:
    """The desk, wired to these parts. ask: what runs `portal check` of one tenant."""
    app = Flask("portal.console", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.session_interface = NoSessions()
    app.config["MAX_CONTENT_LENGTH"] = TEXT_LIMIT
    app.url_map.merge_slashes = False
    assets = Assets(Path(STATIC))
    assets.serve(app)
    _templates(app, parts, assets)
    asked.install(app, parts)
    headers.install(app, base_url=parts.settings.console_origin or "http://127.0.0.1")
    _refusals(app, parts)
    slices = (start.blueprint(parts, Standing(parts)), company.blueprint(parts, Checks(ask, parts.clock)))
    for one in (*slices, handling.blueprint(parts), paperwork.blueprint(parts)):
        app.register_blueprint(one)
    busy = Answer("503 SERVICE UNAVAILABLE", [("Content-Type", "text/plain")], b"busy: try again\n")
    app.wsgi_app = Front(  # type: ignore[method-assign]  # Flask's own way of adding middleware
        app.wsgi_app,
        parts.clock,
        room=parts.room,
        bound_of=lambda method, path: bound_of(app, method, path, with_file=TEXT_LIMIT),
        busy=cache(lambda: busy),
        quiet=asked.QUIET,
    )
    return app


def _templates(app: Flask, parts: Parts, assets: Assets) -> None:
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(
        asset=assets.address,
        acts=words.ACTS,
        at=words.at,
        cause=words.cause,
        ago=words.ago,
        how_long=lambda then: words.how_long(parts.clock.now(), then),
        states=words.STATES,
    )

    @app.context_processor
    def page() -> dict[str, Any]:
        """now: when the page was made. operator: whose name an act is logged under; "" for a stranger.

        here: the address of this page, with its query.
        """
        by = g.get("operator")
        return {
            "now": parts.clock.now(),
            "operator": by.name if by else "",
            "path": request.path,
            "here": request.full_path.rstrip("?"),
        }


def _refusals(app: Flask, parts: Parts) -> None:
    @app.before_request
    def only_operators() -> None:
        g.operator = who_asks(request.environ, parts.settings)
        if request.endpoint not in {None, "start.start", "static"}:
            parts.require_schema()

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        status = error.code or 500
        if 300 <= status < 400:
            return make_response(error.get_response(request.environ))
        says = "" if isinstance(error, NotFound) else error.description or ""
        return _message(status, _TITLES.get(status, "That did not work"), says, error)

    @app.errorhandler(PortalError)
    def failed(error: PortalError) -> Response:
        log.log(logging.WARNING if error.transient else logging.ERROR, "%s: %s", type(error).__name__, error)
        if isinstance(error, DatabaseUnavailable | SchemaOutdated):
            return _message(503, "The database cannot be asked", f"{error}. Nothing that was acknowledged is lost.")
        return _message(500, "That did not work", str(error))

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Response:
        log.error("%s: %s", request.endpoint, place_of(error))  # no traceback: its words may be personal
        return _message(500, "That did not work", "A fault of the portal: the log has its place.")


def _message(status: int, title: str, says: str, error: HTTPException | None = None) -> Response:
    response = make_response(render_template("console/message.html", title=title, says=says, status=status), status)
    if methods := getattr(error, "valid_methods", None):
        response.headers["Allow"] = ", ".join(sorted(methods))
    return response
