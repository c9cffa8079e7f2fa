"""`/healthz` and `/readyz`, for load balancers and monitoring.

A server is ready while it can accept an application. Clients that may see /metrics also get: `parts`, by name, with
`state` (ok, degraded, down) and `says`, and unless ok `since`, `means` and `do`, a paragraph of the documentation;
`missing`: what keeps the server from being ready; `mirrorAge`: seconds since a tenant's service was last synced
successfully, null before the first time; `uploads`: "taken", or "paused" while no file can be accepted, because a part
that this needs is down or a disk is nearly full; `shortOfRoom` names those disks.
"""

from flask import Blueprint, Response, jsonify, request

from portal.background.sync import health as passes
from portal.background.sync.tables import ListName
from portal.gateway import metrics_access
from portal.operations.health.part import PartHealth, PartName, PartState
from portal.operations.health.portal_health import PortalHealth, is_ready, takes_files
from portal.platform.errors import PortalError
from portal.services import Services
from portal.site.routing.access import operations


def blueprint(services: Services, standing: PortalHealth) -> Blueprint:
    """Return the blueprint of both endpoints. They show no content of tenants, and no details to strangers."""
    pages = Blueprint("health", __name__)
    settings = services.settings

    @pages.get("/healthz")
    @operations
    def healthz() -> Response:
        return Response("ok\n", mimetype="text/plain")

    @pages.get("/readyz")
    @operations
    def readyz() -> tuple[Response, int]:
        found = standing.of_each()
        ready = is_ready(found)
        status = 200 if ready else 503
        token, proxies = settings.metrics_token, settings.trusted_proxies
        if metrics_access.may_see(request.environ, token=token, base_url=settings.base_url, proxies=proxies):
            return jsonify(ready=ready, **_told(services, found)), status
        return jsonify(ready=ready), status

    return pages


def _told(services: Services, found: list[PartHealth]) -> dict[str, object]:
    states = {part.name: part.state for part in found}
    age: dict[str, float | None] = {tenant.slug: None for tenant in services.tenants.all()}
    if states.get(PartName.DATABASE) is not PartState.DOWN:
        try:
            known = passes.all_of(services.database, ListName.VACANCIES, services.clock.now())
        except PortalError:
            known = {}  # the database became unavailable since its probe; the next response reports it
        age.update({slug: one.age for slug, one in known.items() if slug in age})
    short = services.disks.short()
    return {
        "missing": {part.name: part.says for part in found if part.stops},
        "parts": {part.name: _said(part) for part in found},
        "mirrorAge": age,
        "uploads": "paused" if short or not takes_files(found) else "taken",
        "shortOfRoom": short,
    }


def _said(part: PartHealth) -> dict[str, str]:
    said = {"state": part.state, "says": part.says}
    if part.state is PartState.OK:
        return said
    return {**said, "since": part.since.isoformat(timespec="seconds"), "means": part.means, "do": part.do}
