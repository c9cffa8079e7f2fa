"""A tenant's public pages have one address: the first of site.hosts. Other addresses of them redirect there.

Those are the tenant's further hosts, the slug on the portal's host, and the addresses of a former site
(site.redirects). Frames, forms, self-service, feeds and APIs answer on every host, because they are in use elsewhere.
"""

from collections.abc import Callable
from functools import wraps

from flask import request
from flask.typing import ResponseReturnValue
from werkzeug.utils import redirect
from werkzeug.wrappers import Response

from portal.site.routing.framing import framed
from portal.site.routing.hosts import OWN_HOST
from portal.tenants.addresses import addresses, origin_on
from portal.tenants.model import Tenant

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


def from_former_site(tenant: Tenant | None, *, base_url: str) -> Response | None:
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


def _moved(tenant: Tenant, posting_id: str | None, query: list[tuple[str, str]], base_url: str) -> Response:
    site = addresses(tenant, base_url=base_url)
    page = site.job(posting_id) if posting_id else site.jobs()
    return redirect(site.absolute(site.at(page.removeprefix(site.prefix), query)), 301)
