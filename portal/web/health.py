"""`/healthz`, `/readyz`: what a load balancer and an operator's monitoring ask.

`mirrorAge` is seconds since a tenant's service was last read with success, null before the first time.
"""

from flask import Blueprint, Response, jsonify

from portal.errors import PortalError
from portal.passes import health as passes
from portal.passes.tables import ListName
from portal.web.access import operations
from portal.web.services import Services


def blueprint(services: Services) -> Blueprint:
    """Addresses of operations; they show nothing of a tenant's content."""
    pages = Blueprint("health", __name__)

    @pages.get("/healthz")
    @operations
    def healthz() -> Response:
        return Response("ok\n", mimetype="text/plain")

    @pages.get("/readyz")
    @operations
    def readyz() -> tuple[Response, int]:
        missing: dict[str, str] = {}
        known: dict[str, passes.Health] = {}
        try:
            services.database.require_current_schema()
            known = passes.all_of(services.database, ListName.VACANCIES, services.clock.now())
        except PortalError as error:
            missing["database"] = str(error)
        tenants = services.tenants.all()
        if not tenants:
            missing["tenants"] = "no usable tenant file"
        # Age is told and no reason to stop: an old page is better than none, and taking it away mends no service.
        age = {tenant.slug: known[tenant.slug].age if tenant.slug in known else None for tenant in tenants}
        return jsonify(ready=not missing, missing=missing, mirrorAge=age), 503 if missing else 200

    return pages
