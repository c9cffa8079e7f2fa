"""Which hosts lead here, for a proxy that gets a certificate on demand, and for `portal check` through that proxy."""

from flask import Blueprint, Response, abort, request

from portal.parts import Parts
from portal.tenants.values import host_name
from portal.web.access import operations
from portal.web.hosts import host_of

ADDRESS = "/.well-known/portal-host"


def blueprint(parts: Parts) -> Blueprint:
    """GET /.well-known/portal-host?domain=, on whatever Host: a proxy asks by an address of the inside."""
    pages = Blueprint("own_hosts", __name__)

    @pages.get(ADDRESS)
    @operations
    def known() -> Response:
        try:
            domain = host_name(request.args.get("domain", ""))
        except ValueError:
            abort(404)
        if parts.tenants.by_host(domain) is None:
            abort(404)
        return Response(answer(host=request.host, domain=domain, scheme=request.scheme), mimetype="text/plain")

    return pages


def answer(*, host: str, domain: str, scheme: str) -> str:
    """What is said where `domain` is known: how the request came, and nothing about whose it is."""
    came = "by this host" if host_of(host) == domain else "by another host"
    return f"careers-portal {came}, {scheme}\n"
