"""Which site the Host header requests: checked before anything else, and used for nothing else.

PORTAL_BASE_URL's host serves every tenant under its slug. A tenant's own host (site.hosts) serves that tenant's pages
without the slug, which is added to the path here, so that routes are written once. Links are never built from the
header: portal/tenants/addresses.py only learns whether the request came by the tenant's own host.

A tenant's public pages have one address: the first of site.hosts. Other addresses of them redirect there: those of the
tenant's further hosts, the slug on the portal's host, and the addresses of a former site (site.redirects). Frames,
forms, self-service, feeds and APIs answer on every host, because they are in use elsewhere.
"""

import re
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue
from werkzeug.utils import redirect
from werkzeug.wrappers import Response as BaseResponse

from portal.gateway import security_txt
from portal.gateway.response_cache import ENV_SITE
from portal.platform.clock import Clock
from portal.site.routing.access import operations, public
from portal.site.routing.framing import framed
from portal.tenants.addresses import addresses, origin_on
from portal.tenants.folder import Tenants
from portal.tenants.languages import COMPLETE
from portal.tenants.model import Tenant
from portal.tenants.values import host_name

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

OWN_HOST = "portal.own_host"
"""In the WSGI environment: the tenant's own host of the request; absent on the portal's host."""
UNKNOWN_HOST = "portal.unknown_host"
"""In the WSGI environment: the Host header names no site here."""
_PORTAL = "/"
"""The value of ENV_SITE for the portal's own host; it cannot be a host's name."""

_ANY_HOST = frozenset({"/healthz", "/readyz", "/metrics", "/.well-known/portal-host"})
"""Paths that any Host may request: health checks use an IP address, and so does a proxy that requests a certificate."""
_SHARED = re.compile(
    r"/(static/.*|healthz|readyz|metrics|robots\.txt|embed\.js|openapi\.json|api"
    r"|\.well-known/(?:portal-host|security\.txt))"
)
"""Paths of no tenant: the same on every host."""
_SHAPES = re.compile(r"/v[01]/(?:boards|postings)/([^/]*)(?:/.*)?")
"""Addresses of APIs that other programs know; they have the slug in the middle, on every host."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_LONGEST = 262
"""Characters of a name (RFC 1035 §2.3.4) with a final dot and a port."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{0,5})?")


class Hosts:
    """The marker of a request's site. slug_of: a tenant's own host → its slug."""

    def __init__(self, *, base_url: str, slug_of: Callable[[str], str | None]) -> None:
        self._slug_of = slug_of
        own = host_of(urlsplit(base_url).netloc) or ""
        self._portal = _LOOPBACK if own in _LOOPBACK else frozenset({own})

    def mark(self, environ: "WSGIEnvironment") -> None:
        """Mark the request with the site that it is for; add the slug to the path on a tenant's own host."""
        host = host_of(environ.get("HTTP_HOST", ""))
        if host in self._portal:
            environ[ENV_SITE] = _PORTAL
            return
        path = environ.get("PATH_INFO", "")
        slug = self._slug_of(host) if host else None
        if slug is not None:
            environ[OWN_HOST] = environ[ENV_SITE] = host
            bears = _SHAPES.fullmatch(path)
            # The loader knows the slug but not whether it is on a tenant's host, so its paths are the same on every
            # host.
            of_loader = path.startswith((f"/{slug}/embed", f"/{slug}/jobs.json"))
            if not (_SHARED.fullmatch(path) or of_loader or (bears and bears[1] == slug)):
                environ["PATH_INFO"] = f"/{slug}{path}"
        elif path not in _ANY_HOST:
            environ[UNKNOWN_HOST] = True


def host_of(header: str) -> str | None:
    """Return the host's name in lower case, without port and final dot; None if it is not a host."""
    return _host_of(header) if len(header) <= _LONGEST else None


@lru_cache(1_000)
def _host_of(header: str) -> str | None:
    match = _HOST.fullmatch(header.lower())
    return match[1].removesuffix(".") if match else None


ADDRESS = "/.well-known/portal-host"


def blueprint(tenants: Tenants) -> Blueprint:
    """Return the blueprint of GET /.well-known/portal-host?domain=, for any Host: a proxy uses an internal address."""
    pages = Blueprint("own_hosts", __name__)

    @pages.get(ADDRESS)
    @operations
    def known() -> Response:
        try:
            domain = host_name(request.args.get("domain", ""))
        except ValueError:
            abort(404)
        if tenants.by_host(domain) is None:
            abort(404)
        return Response(answer(host=request.host, domain=domain, scheme=request.scheme), mimetype="text/plain")

    return pages


def answer(*, host: str, domain: str, scheme: str) -> str:
    """Return the text for a known `domain`: how the request came, and nothing about its owner."""
    came = "by this host" if host_of(host) == domain else "by another host"
    return f"careers-portal {came}, {scheme}\n"


def security_txt_blueprint(clock: Clock, *, base_url: str, contact: str | None, policy: str | None) -> Blueprint:
    """Return the blueprint of GET /.well-known/security.txt: 404 without a contact, and the same on tenants' hosts."""
    pages = Blueprint("security", __name__)

    @pages.get(security_txt.PATH)
    @public
    def security_txt_file() -> Response:
        if contact is None:
            abort(404)
        host = request.environ.get(OWN_HOST)
        origin = origin_on(base_url, host) if host else base_url
        file_text = security_txt.text(contact, policy, origin=origin, now=clock.now(), languages=COMPLETE)
        return Response(file_text, content_type=security_txt.CONTENT_TYPE)

    return pages


_View = Callable[..., ResponseReturnValue]


def on_main_host(*, base_url: str) -> Callable[[_View], _View]:
    """Decorate the view of a tenant's list or job page: answer 301 on any host but the tenant's first.

    Caches revalidate the redirect like a page (headers.py), so it ends when the tenant file no longer names the host.
    """

    def decorate(view: _View) -> _View:
        @wraps(view)
        def answered(tenant: Tenant, **segments: str) -> ResponseReturnValue:
            if framed() or main_host_elsewhere(tenant) is None:
                return view(tenant, **segments)
            return _moved(tenant, segments.get("posting_id"), [*request.args.items(multi=True)], base_url)

        return answered

    return decorate


def from_former_site(tenant: Tenant | None, *, base_url: str) -> BaseResponse | None:
    """Return the redirect from an address of the former site; None if the current request is not for one.

    Only for an address that is not found, so that no redirect hides a page. Former addresses may have a query.
    """
    if tenant is None or OWN_HOST not in request.environ or request.method not in {"GET", "HEAD"}:
        return None
    path = request.path.removeprefix(f"/{tenant.slug}").rstrip("/")
    query = request.query_string.decode("ascii", "replace")
    known = tenant.site.redirects
    target = known.get(f"{path}?{query}") or known.get(path)
    return _moved(tenant, None if target == "/" else target, [], base_url) if target else None


def main_host_elsewhere(tenant: Tenant) -> str | None:
    """Return the tenant's first host, None if it has none or the request is for it."""
    first = next(iter(tenant.site.hosts), None)
    return first if request.environ.get(OWN_HOST) != first else None


def main_origin_elsewhere(tenant: Tenant, *, base_url: str) -> str | None:
    """Return the origin of main_host_elsewhere()."""
    host = main_host_elsewhere(tenant)
    return origin_on(base_url, host) if host else None


def _moved(tenant: Tenant, posting_id: str | None, query: list[tuple[str, str]], base_url: str) -> BaseResponse:
    site = addresses(tenant, base_url=base_url)
    page = site.job(posting_id) if posting_id else site.jobs()
    return redirect(site.absolute(site.at(page.removeprefix(site.prefix), query)), 301)
