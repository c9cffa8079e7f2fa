"""`/healthz`, `/readyz`: what a load balancer and an operator's monitoring ask.

`mirrorAge` is seconds since a tenant's service was last read with success, null before the first time. `uploads` is
"taken", or "paused" where a disk is nearly full; `shortOfRoom` says which.
"""

from flask import Blueprint, Response, jsonify

from portal.errors import PortalError
from portal.parts import Parts
from portal.passes import health as passes
from portal.passes.tables import ListName
from portal.web.access import operations


def blueprint(parts: Parts) -> Blueprint:
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
            parts.database.require_current_schema()
            known = passes.all_of(parts.database, ListName.VACANCIES, parts.clock.now())
        except PortalError as error:
            missing["database"] = str(error)
        tenants = parts.tenants.all()
        if not tenants:
            missing["tenants"] = "no usable tenant file"
        # Age is told and no reason to stop: an old page is better than none, and taking it away mends no service.
        age = {tenant.slug: known[tenant.slug].age if tenant.slug in known else None for tenant in tenants}
        # Nor is a disk that is nearly full: pages, sign-in and forms whose file is stored go on.
        short = parts.disks.short()
        told = {"mirrorAge": age, "uploads": "paused" if short else "taken", "shortOfRoom": short}
        return jsonify(ready=not missing, missing=missing, **told), 503 if missing else 200

    return pages
