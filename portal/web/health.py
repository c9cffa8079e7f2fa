"""`/healthz`, `/readyz`: what a load balancer and an operator's monitoring ask."""

from flask import Blueprint, Response, jsonify

from portal.errors import PortalError
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
        try:
            services.database.require_current_schema()
        except PortalError as error:
            missing["database"] = str(error)
        if not services.tenants.all():
            missing["tenants"] = "no usable tenant file"
        return jsonify(ready=not missing, missing=missing), 503 if missing else 200

    return pages
