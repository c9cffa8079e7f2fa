"""The tenant of a page, from its address, as a parameter of its view."""

from collections.abc import Callable
from functools import wraps

from flask import Flask, Request, abort, g, request
from flask.typing import ResponseReturnValue
from flask_babel import refresh
from werkzeug.exceptions import BadRequest, NotFound, ServiceUnavailable

from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.values import PUBLIC_ID
from portal.web.hosts import OWN_HOST, UNKNOWN_HOST


class UnknownHost(BadRequest):
    """The Host header names no site here."""


class SiteClosed(ServiceUnavailable):
    """The tenant's file is broken, so there is nothing to build its pages from."""


def for_tenant(
    tenants: Tenants,
) -> Callable[[Callable[..., ResponseReturnValue]], Callable[..., ResponseReturnValue]]:
    """Hand the view the Tenant in place of the route's `slug`, and its other segments once they are checked.

    404 for a segment that is not an id (before anything is looked up) and for an unknown tenant; 503 for a broken one.
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
    """The tenant whose page is being made, where there is one."""
    tenant: Tenant | None = g.get("tenant")
    return tenant


def by_own_host() -> bool:
    """Whether the page is being read on the tenant's own host, where paths carry no slug."""
    return OWN_HOST in request.environ


def recognise(tenants: Tenants, asked: Request) -> None:
    """Find the tenant by the path's first segment, for an error on a page that no view answered."""
    if "tenant" in g:
        return
    slug = asked.path.split("/", 2)[1] if asked.path.startswith("/") else ""
    tenant = tenants.get(slug) if PUBLIC_ID.fullmatch(slug) and UNKNOWN_HOST not in asked.environ else None
    if tenant:
        g.tenant = tenant
        refresh()  # Flask-Babel may have settled on a language before the tenant was known


def refuse_unknown_hosts(app: Flask) -> None:
    """Answer 400 where hosts.py knew no site."""

    @app.before_request
    def refuse() -> None:
        if UNKNOWN_HOST in request.environ:
            raise UnknownHost
