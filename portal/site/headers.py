"""Security, cache and CORS headers of every response.

A view that needs another value sets it itself: existing headers are not overwritten. CORS lets scripts of the tenant's
embed.origins, and no others, read data, without credentials. The gateway sets those headers itself on a cached response
(`readers` in portal/gateway/response_cache.py), because that is the same for all origins.
"""

from flask import Flask, Response, current_app, request
from flask.typing import RouteCallable
from werkzeug.datastructures import Headers

from portal.gateway.response import ALLOW_ORIGIN, BY_ORIGIN, HSTS
from portal.site.routing.access import Access, access_of, is_marked, operation_of
from portal.site.routing.framing import framed
from portal.site.routing.hosts import main_origin_elsewhere
from portal.site.routing.tenant import current, recognise
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.values import origin_of_script

PUBLIC_CACHE = "public, max-age=0, must-revalidate"
"""Revalidated every time, because a job may close at any second; with the ETag, a 304 costs next to nothing."""

_NO_POWERS = (
    "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), encrypted-media=(), "
    "fullscreen=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), "
    "picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), usb=(), xr-spatial-tracking=()"
)
_CORS_HEADERS = "Content-Type, Content-Disposition, Idempotency-Key, If-None-Match"
_ASKED_AGAIN_AFTER = 3_600
"""Seconds for which a browser caches the answer to a preflight request."""


class FinishedResponse(Response):
    """A response whose headers are complete, so that a cached page is not processed again."""


def install(app: Flask, *, base_url: str, store: str | None = None) -> None:
    """Complete the headers of every response. store: the origin that pages with a CV field may send files to."""
    app.config["PORTAL_STORE"] = store
    app.config["PORTAL_BASE_URL"] = base_url

    @app.after_request
    def on_its_way_out(response: Response) -> Response:
        return response if isinstance(response, FinishedResponse) else finish(response)


def finish(response: Response) -> Response:
    """Set the missing headers, according to the view's markers and the tenant of this request."""
    view = current_app.view_functions.get(request.endpoint or "")
    access = access_of(view)
    tenant = current()
    answered = response.status_code < 400
    framed_by = _framed_by(tenant, view)
    headers = response.headers
    if response.mimetype == "text/html" or "Content-Security-Policy" not in headers:
        script = analytics_script(tenant) if response.mimetype == "text/html" else None
        base_url = current_app.config["PORTAL_BASE_URL"]
        policy = content_security_policy(
            framed_by,
            sends_to=_sends_to(view),
            script_from=origin_of_script(script) if script else None,
            redirected_to=main_origin_elsewhere(tenant, base_url=base_url) if tenant else None,
        )
        headers.setdefault("Content-Security-Policy", policy)
    if not framed_by:
        headers.setdefault("X-Frame-Options", "DENY")
    headers.setdefault("X-Content-Type-Options", "nosniff")
    # Not no-referrer: with it, browsers post the portal's own forms with `Origin: null`, as if from another site.
    headers.setdefault("Referrer-Policy", "same-origin")
    headers.setdefault("Permissions-Policy", _NO_POWERS)
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    headers.setdefault("Cross-Origin-Resource-Policy", "cross-origin" if framed_by else "same-origin")
    if access in {Access.FORM, Access.PRIVATE, Access.OPERATIONS}:
        headers.setdefault("X-Robots-Tag", "noindex")
    if current_app.config["PORTAL_BASE_URL"].startswith("https://"):
        headers.setdefault(*HSTS)
    _cache(response, headers, access if answered else None)
    return response


def analytics_script(tenant: Tenant | None) -> str | None:
    """Return the address of the script that a tenant has on the current page, if it is a public one and not in a frame.

    The portal's own pages have none. The tenant is responsible for the script: it can read everything that the same
    host shows to the same browser, so `portal check` recommends a host of the tenant's own. In a frame, the surrounding
    page has its own scripts, and receives events about jobs (docs/embedding.md).
    """
    if tenant is None or tenant.site.analytics is None or framed():
        return None
    view = current_app.view_functions.get(request.endpoint or "")
    return tenant.site.analytics if access_of(view) is Access.PUBLIC else None


def _framed_by(tenant: Tenant | None, view: RouteCallable | None) -> tuple[str, ...]:
    if is_marked(view, "framable_anywhere"):
        return ("*",)
    return tenant.embed_origins if tenant and is_marked(view, "framable") else ()


def _sends_to(view: RouteCallable | None) -> str | None:
    store: str | None = current_app.config["PORTAL_STORE"]
    return store if is_marked(view, "with_cv_field") else None


def content_security_policy(
    framed_by: tuple[str, ...],
    *,
    sends_to: str | None = None,
    script_from: str | None = None,
    redirected_to: str | None = None,
) -> str:
    """Return a policy that allows only the portal's own styles, scripts, images and fonts.

    sends_to: another origin that scripts may send to. script_from: the origin of a tenant's script, which may also send
    and load images there. redirected_to: another origin that a search form may end at.
    """
    theirs = f" {script_from}" if script_from else ""
    return (
        f"default-src 'none'; style-src 'self'; script-src 'self'{theirs}; "
        f"connect-src 'self'{f' {sends_to}' if sends_to else ''}{theirs}; "
        f"img-src 'self'{theirs}; font-src 'self'; form-action 'self'{f' {redirected_to}' if redirected_to else ''}; "
        "base-uri 'none'; "
        f"frame-ancestors {' '.join(framed_by) if framed_by else chr(39) + 'none' + chr(39)}"
    )


def _cache(response: Response, headers: Headers, access: Access | None) -> None:
    if "Cache-Control" in headers:
        return
    if access is Access.PUBLIC:
        headers["Cache-Control"] = PUBLIC_CACHE
        if request.method in {"GET", "HEAD"} and response.status_code == 200 and not response.is_streamed:
            response.add_etag()
            response.make_conditional(request)
    elif access is Access.FORM and request.method in {"GET", "HEAD"}:
        # Not no-store: a browser would lose what was typed when its user visits another page and returns.
        headers["Cache-Control"] = "private, no-cache"
    else:
        headers["Cache-Control"] = "no-store"


def install_cors(app: Flask, tenants: Tenants) -> None:
    """Set the CORS headers of responses, and answer preflight requests."""

    @app.after_request
    def on_its_way_out(response: Response) -> Response:
        # Flask answers OPTIONS itself; its `Allow` has the methods of the address.
        if isinstance(response, FinishedResponse) or not operation_of(
            current_app.view_functions.get(request.endpoint or "")
        ):
            return response
        response.headers.add(*BY_ORIGIN)
        recognise(tenants, request)
        tenant, origin = current(), request.headers.get("Origin")
        if tenant and origin in tenant.embed_origins:
            response.headers[ALLOW_ORIGIN] = origin
            response.headers["Access-Control-Expose-Headers"] = "Retry-After"
            if request.method == "OPTIONS":
                response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
                response.headers["Access-Control-Allow-Headers"] = _CORS_HEADERS
                response.headers["Access-Control-Max-Age"] = str(_ASKED_AGAIN_AFTER)
        return response
