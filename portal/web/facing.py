"""The portal behind its front: how long a body may be at each address, and the page for when there is no room."""

from functools import cache

from flask import Flask, make_response, render_template
from werkzeug.exceptions import HTTPException

from portal.front import Front
from portal.front.bodies import Reception
from portal.front.layer import Busy
from portal.parts import Parts
from portal.web import headers
from portal.web.access import takes_file
from portal.web.body import FORM_OVERHEAD, TEXT_LIMIT
from portal.web.errors import RETRY_AFTER


def front(app: Flask, parts: Parts) -> Front:
    """Put the front before the application."""
    settings = parts.settings
    reception = Reception(at_once=settings.threads * 4 // 5, of_network=settings.bodies_per_network)

    @cache
    def busy() -> Busy:
        return _busy(app)

    def bound_of(method: str, path: str) -> int | None:
        return _bound_of(app, method, path, with_file=settings.max_cv_bytes + FORM_OVERHEAD)

    return Front(
        app.wsgi_app,
        parts.clock,
        reception=reception,
        room=parts.room,
        bound_of=bound_of,
        busy=busy,
        unhindered={"/healthz"},
    )


def _bound_of(app: Flask, method: str, path: str, *, with_file: int) -> int | None:
    """Bytes that a body may have; None for an address that is unknown, or takes none."""
    if method in {"GET", "HEAD"}:
        return None
    try:
        words = path.encode("latin-1").decode("utf-8", "replace")
        endpoint, _ = app.url_map.bind("").match(words, method)
    except HTTPException:
        return None
    return with_file if takes_file(app.view_functions[endpoint]) else TEXT_LIMIT


def _busy(app: Flask) -> Busy:
    with app.test_request_context("/"):
        response = make_response(render_template("errors/crowded.html", status=503), 503)
        response.headers["Retry-After"] = str(RETRY_AFTER)
        headers.finish(response)
        return Busy([*response.headers], response.get_data())
