"""Which site the Host header asks for, checked before anything else and used for nothing else.

PORTAL_BASE_URL's host serves every tenant under its slug. A tenant's own host (site.hosts) serves that tenant's pages
without the slug: the path gets it back here, so that routes are written once. Links never come from the header; they
come from addresses.py, which is told only whether the request came by the tenant's own host.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from portal.front.kept import SITE

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

OWN_HOST = "portal.own_host"
"""In the WSGI environment: the tenant's own host that the request came by; absent on the portal's."""
UNKNOWN_HOST = "portal.unknown_host"
"""In the WSGI environment: the Host header names no site here."""
_PORTAL = "/"
"""The portal's own host as a site of the front; no host is called so."""

_ANY_HOST = frozenset({"/healthz", "/readyz", "/metrics", "/.well-known/portal-host"})
"""Probes ask by address, before any name points here, and so does a proxy that wants a certificate."""
_SHARED = re.compile(
    r"/(static/.*|healthz|readyz|metrics|robots\.txt|embed\.js|openapi\.json|api|\.well-known/portal-host)"
)
"""Not a tenant's: the same on every host."""
_SHAPES = re.compile(r"/v[01]/(?:boards|postings)/([^/]*)(?:/.*)?")
"""Addresses that other programs know; they bear the slug in the middle, on every host."""
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{0,5})?")


class Hosts:
    """Marks requests. slug_of: a tenant's own host → its slug."""

    def __init__(self, *, base_url: str, slug_of: Callable[[str], str | None]) -> None:
        self._slug_of = slug_of
        own = host_of(urlsplit(base_url).netloc) or ""
        self._portal = _LOOPBACK if own in _LOOPBACK else frozenset({own})

    def mark(self, environ: "WSGIEnvironment") -> None:
        """Mark the request with the site that it asks for."""
        host = host_of(environ.get("HTTP_HOST", ""))
        if host in self._portal:
            environ[SITE] = _PORTAL
            return
        path = environ.get("PATH_INFO", "")
        slug = self._slug_of(host) if host else None
        if slug is not None:
            environ[OWN_HOST] = environ[SITE] = host
            bears = _SHAPES.fullmatch(path)
            # The loader knows the slug and not whose host it is on, so what it asks for has one address everywhere.
            of_loader = path.startswith((f"/{slug}/embed", f"/{slug}/jobs.json"))
            if not (_SHARED.fullmatch(path) or of_loader or (bears and bears[1] == slug)):
                environ["PATH_INFO"] = f"/{slug}{path}"
        elif path not in _ANY_HOST:
            environ[UNKNOWN_HOST] = True


def host_of(header: str) -> str | None:
    """The host's name in lower case, without port and final dot; None if it is no host."""
    match = _HOST.fullmatch(header.lower())
    return match[1].removesuffix(".") if match else None
