"""The tenant of a page, taken from its address, as a parameter of its view; and its cookies."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from flask import Flask, Request, Response, abort, g, request
from flask.typing import ResponseReturnValue
from flask_babel import refresh
from werkzeug.exceptions import BadRequest, NotFound, ServiceUnavailable

from portal.contract.bounds import PUBLIC_ID
from portal.site.routing.hosts import OWN_HOST, UNKNOWN_HOST
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant


class UnknownHost(BadRequest):
    """The Host header names no site of this portal."""


class SiteClosed(ServiceUnavailable):
    """The tenant file is invalid, so there is nothing to build its pages from."""


def for_tenant(
    tenants: Tenants,
) -> Callable[[Callable[..., ResponseReturnValue]], Callable[..., ResponseReturnValue]]:
    """Decorate a view: pass it the Tenant in place of the route's `slug`, and the other segments once they are checked.

    404 for a segment that is not an id (before anything is looked up) and for an unknown tenant; 503 for an invalid
    one.
    """

    def decorate(view: Callable[..., ResponseReturnValue]) -> Callable[..., ResponseReturnValue]:
        @wraps(view)
        def of_tenant(slug: str, **segments: str) -> ResponseReturnValue:
            if not all(PUBLIC_ID.fullmatch(segment) for segment in (slug, *segments.values())):
                abort(404)
            tenant = tenants.get(slug)
            if tenant is None:
                raise SiteClosed if slug in tenants.problems() else NotFound
            g.tenant = tenant
            return view(tenant, **segments)

        return of_tenant

    return decorate


def current() -> Tenant | None:
    """Return the tenant of the current page, None if it has none."""
    tenant: Tenant | None = g.get("tenant")
    return tenant


def by_own_host() -> bool:
    """Return whether the page is requested on the tenant's own host, where paths have no slug."""
    return OWN_HOST in request.environ


def recognise(tenants: Tenants, asked: Request) -> None:
    """Set the tenant from the path's first segment, for an error page that no view produced."""
    if "tenant" in g:
        return
    slug = asked.path.split("/", 2)[1] if asked.path.startswith("/") else ""
    tenant = tenants.get(slug) if PUBLIC_ID.fullmatch(slug) and UNKNOWN_HOST not in asked.environ else None
    if tenant:
        g.tenant = tenant
        refresh()  # Flask-Babel may have chosen a language before the tenant was known


def refuse_unknown_hosts(app: Flask) -> None:
    """Answer 400 if hosts.py found no site for the Host header."""

    @app.before_request
    def refuse() -> None:
        if UNKNOWN_HOST in request.environ:
            raise UnknownHost


@dataclass(frozen=True, slots=True)
class TenantCookie:
    """A cookie with one person's token for one tenant.

    kind: what the token is for. slug: of the tenant. base_url: of the pages that set it.
    """

    kind: str
    slug: str
    base_url: str

    def read(self, request: Request) -> str | None:
        """Return the token; None without one, or if the value cannot be a token."""
        value = request.cookies.get(self._name, "")
        return value if 20 <= len(value) <= 100 and value.isascii() else None

    def set(self, response: Response, token: str, *, seconds: int | None) -> None:
        """Set the cookie. seconds: None until the browser closes; the session itself ends earlier on the server."""
        response.set_cookie(
            self._name, token, max_age=seconds, path="/", secure=self._is_https, httponly=True, samesite="Lax"
        )

    def delete(self, response: Response) -> None:
        """Delete the cookie in the browser."""
        response.delete_cookie(self._name, path="/", secure=self._is_https, httponly=True, samesite="Lax")

    @property
    def _name(self) -> str:
        return f"{'__Host-' if self._is_https else ''}{self.kind}-{self.slug}"

    @property
    def _is_https(self) -> bool:
        return self.base_url.startswith("https://")
