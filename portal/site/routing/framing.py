"""Pages inside another site's frame: `/{slug}/embed…` is the same page as `/{slug}…`, without header and footer.

The request is marked before the gateway's cache, like the host (hosts.py), so that routes are written once and cached
pages are sent immediately. Browsers enforce `frame-ancestors`, but show a frame that it blocks as an empty box. So a
request from a browser that names a framing site which is not listed gets a page that says what to do, and nothing else.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import request

from portal.gateway.response_cache import ENV_SITE
from portal.tenants.model import Tenant

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

FRAMED = "portal.framed"
"""In the WSGI environment: the page is for a frame."""

_EMBEDDED = re.compile(r"/(?P<slug>[^/]+)/embed(?P<page>/?|/jobs/[^/]+(?:/apply(?:/challenge)?)?|/applications/[^/]+)")
_FRAMES = frozenset({"iframe", "frame", "embed", "object"})


class Framing:
    """The marker of framed requests. tenant: slug → its tenant, None for an unknown one."""

    def __init__(self, tenant: Callable[[str], Tenant | None]) -> None:
        self._tenant = tenant

    def mark(self, environ: "WSGIEnvironment") -> None:
        """Change the path to the page to be framed, or to the one that says why it is not."""
        path = environ.get("PATH_INFO", "")
        found = _EMBEDDED.fullmatch(path) if "/embed" in path else None
        if found is None:
            return
        slug, page = found["slug"], found["page"] or "/"
        if environ.get("HTTP_SEC_FETCH_DEST") == "document":
            environ["PATH_INFO"] = f"/{slug}{page}"  # opened in a tab of its own, it is the complete page
            return
        if self._is_refused(environ, slug):
            environ["PATH_INFO"] = f"/{slug}/embed/refused"
            return
        environ[FRAMED] = True
        environ[ENV_SITE] = f"{environ.get(ENV_SITE)} in a frame"
        environ["PATH_INFO"] = f"/{slug}{page}"

    def _is_refused(self, environ: "WSGIEnvironment", slug: str) -> bool:
        if environ.get("HTTP_SEC_FETCH_DEST") not in _FRAMES:
            return False
        origin = origin_of(environ.get("HTTP_REFERER", ""))
        if origin is None or origin.partition("://")[2] == environ.get("HTTP_HOST", "").lower():
            return False
        tenant = self._tenant(slug)
        return tenant is None or origin not in tenant.embed_origins


def framed() -> bool:
    """Return whether the current page is for a frame."""
    return FRAMED in request.environ


def origin_of(address: str) -> str | None:
    """Return scheme, host and port of a web address; None if it is not one."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return f"{parts.scheme}://{parts.netloc}".lower() if parts.scheme in {"http", "https"} and parts.netloc else None
