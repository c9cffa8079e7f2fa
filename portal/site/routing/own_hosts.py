"""Which hosts lead to this portal: for a proxy that gets certificates on demand, and for `portal check` through it."""

from flask import Blueprint, Response, abort, request

from portal.services import Services
from portal.site.routing.access import operations
from portal.site.routing.hosts import host_of
from portal.tenants.values import host_name

ADDRESS = "/.well-known/portal-host"


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of GET /.well-known/portal-host?domain=, for any Host: a proxy uses an internal address."""
    pages = Blueprint("own_hosts", __name__)

    @pages.get(ADDRESS)
    @operations
    def known() -> Response:
        try:
            domain = host_name(request.args.get("domain", ""))
        except ValueError:
            abort(404)
        if services.tenants.by_host(domain) is None:
            abort(404)
        return Response(answer(host=request.host, domain=domain, scheme=request.scheme), mimetype="text/plain")

    return pages


def answer(*, host: str, domain: str, scheme: str) -> str:
    """Return the text for a known `domain`: how the request came, and nothing about its owner."""
    came = "by this host" if host_of(host) == domain else "by another host"
    return f"careers-portal {came}, {scheme}\n"
