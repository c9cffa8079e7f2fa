"""Puts the gateway in front of the portal: which site is requested, how long a body may be, the page for overload."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from flask import Flask, make_response, render_template
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from portal.gateway import Gateway
from portal.gateway.access_log import FinishedRequest
from portal.gateway.concurrency import ConcurrencyLimit
from portal.gateway.response import GatewayResponse
from portal.platform.clock import Clock
from portal.platform.config.settings import Settings
from portal.platform.logs.request import logging_request
from portal.platform.metrics import listeners
from portal.platform.metrics.definitions import PORTAL
from portal.site import headers
from portal.site.errors import RETRY_AFTER
from portal.site.forms.request_body import FORM_OVERHEAD, TEXT_LIMIT
from portal.site.request_log import DEBUG_LOGGED_ROUTES
from portal.site.routing.access import is_marked
from portal.site.routing.framing import Framing
from portal.site.routing.hosts import Hosts
from portal.tenants.folder import Tenants

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_LONGEST_PATH = 500
"""Bytes of a path that are read. No valid address is as long, and an error page repeats it for each language."""


def wrap_in_gateway(
    app: Flask, tenants: Tenants, clock: Clock, concurrency: ConcurrencyLimit, settings: Settings
) -> None:
    """Wrap the application in the gateway; from then on it is `app.wsgi_app`."""
    with_file = settings.max_cv_bytes + FORM_OVERHEAD
    front = Gateway(
        app.wsgi_app,
        clock,
        concurrency=concurrency,
        max_body_bytes=lambda method, path: max_body_bytes(app, method, path, with_file=with_file),
        busy=cache(lambda: _busy(app)),
        marking=_marking(tenants, settings.base_url, settings.trusted_proxies),
        unlimited_paths={"/healthz"},
        blocking_monitoring_paths={"/readyz", "/metrics"},
        debug_logged_routes=DEBUG_LOGGED_ROUTES,
    )
    front.access_log.tell.append(_count)
    app.wsgi_app = front  # type: ignore[method-assign]  # Flask's own way of adding middleware


def _count(done: FinishedRequest) -> None:
    listeners.request(PORTAL, done.place.route, done.method, done.status, done.seconds)


def _marking(tenants: Tenants, base_url: str, count: int) -> Callable[["WSGIEnvironment"], None]:
    """Return the function that marks requests by client (behind `count` proxies), site (host) and frame."""

    def slug_of(host: str) -> str | None:
        found = tenants.by_host(host)
        return found.slug if found else None

    hosts = Hosts(base_url=base_url, slug_of=slug_of)
    frames = Framing(tenants.get)
    proxies = ProxyFix(lambda _environ, _start: (), x_for=count, x_proto=count, x_host=count)

    def marking(environ: "WSGIEnvironment") -> None:
        environ["PATH_INFO"] = environ["PATH_INFO"][:_LONGEST_PATH]
        if count:
            proxies(environ, lambda *_: lambda _: None)
        hosts.mark(environ)
        frames.mark(environ)

    return marking


def max_body_bytes(app: Flask, method: str, path: str, *, with_file: int) -> int | None:
    """Return the bytes that a body may have; None for an address that is unknown or takes no body."""
    if method in {"GET", "HEAD"}:
        return None
    try:
        words = path.encode("latin-1").decode("utf-8", "replace")
        endpoint, _ = app.url_map.bind("").match(words, method)
    except HTTPException:
        return None
    return with_file if is_marked(app.view_functions[endpoint], "with_file") else TEXT_LIMIT


def _busy(app: Flask) -> GatewayResponse:
    with app.test_request_context("/"), logging_request(""):  # it is cached, and also answers other requests
        response = make_response(render_template("errors/crowded.html", status=503), 503)
        response.headers["Retry-After"] = str(RETRY_AFTER)
        headers.finish(response)
        return GatewayResponse("503 SERVICE UNAVAILABLE", [*response.headers], response.get_data())
