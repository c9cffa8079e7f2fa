"""The portal behind its front: who asks for which site, how long a body may be, the page for when there is no room."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from flask import Flask, make_response, render_template
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from portal.counted import heard
from portal.counted.figures import PORTAL
from portal.front import Front
from portal.front.answer import Answer
from portal.front.visits import Finished
from portal.logs.request import under
from portal.parts import Parts
from portal.web import browser_language, headers
from portal.web.access import takes_file
from portal.web.asked import QUIET
from portal.web.body import FORM_OVERHEAD, TEXT_LIMIT
from portal.web.errors import RETRY_AFTER
from portal.web.framing import Framing
from portal.web.hosts import Hosts

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def put_before(app: Flask, parts: Parts) -> None:
    """Put the front before the application; it is `app.wsgi_app` from here on."""
    with_file = parts.settings.max_cv_bytes + FORM_OVERHEAD
    front = Front(
        app.wsgi_app,
        parts.clock,
        room=parts.room,
        bound_of=lambda method, path: _bound_of(app, method, path, with_file=with_file),
        busy=cache(lambda: _busy(app)),
        marking=_marking(parts),
        unhindered={"/healthz"},
        watched={"/readyz", "/metrics"},
        quiet=QUIET,
    )
    front.visits.tell.append(_count)
    app.wsgi_app = front  # type: ignore[method-assign]  # Flask's own way of adding middleware


def _count(done: Finished) -> None:
    heard.request(PORTAL, done.place.route, done.method, done.status, done.seconds)


def _marking(parts: Parts) -> Callable[["WSGIEnvironment"], None]:
    """By the proxies that are trusted, then by the host, the frame, and the language where a header says it."""

    def slug_of(host: str) -> str | None:
        found = parts.tenants.by_host(host)
        return found.slug if found else None

    hosts = Hosts(base_url=parts.settings.base_url, slug_of=slug_of)
    frames = Framing(parts.tenants.get)
    count = parts.settings.trusted_proxies
    proxies = ProxyFix(lambda _environ, _start: (), x_for=count, x_proto=count, x_host=count)

    def marking(environ: "WSGIEnvironment") -> None:
        if count:
            proxies(environ, lambda *_: lambda _: None)
        hosts.mark(environ)
        frames.mark(environ)
        browser_language.mark(environ)

    return marking


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


def _busy(app: Flask) -> Answer:
    with app.test_request_context("/"), under(""):  # it is kept, and answers others too
        response = make_response(render_template("errors/crowded.html", status=503), 503)
        response.headers["Retry-After"] = str(RETRY_AFTER)
        headers.finish(response)
        return Answer("503 SERVICE UNAVAILABLE", [*response.headers], response.get_data())
