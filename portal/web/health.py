"""`/healthz`, `/readyz`: what a load balancer and an operator's monitoring ask.

A server is ready while it can take an application. Whoever may see /metrics is told of every part beside: `parts`, by
name, with `state` (ok, degraded, down) and `says`, and where it is not ok `since`, `means` and `do`, a paragraph of the
documentation. `missing`: what keeps it from being ready. `mirrorAge` is seconds since a tenant's service was last read
with success, null before the first time. `uploads` is "taken", or "paused" while no file can be: for want of a part
that accepting needs, or because a disk is nearly full; `shortOfRoom` says which.
"""

from flask import Blueprint, Response, jsonify, request

from portal.errors import PortalError
from portal.front import monitors
from portal.parts import Parts
from portal.passes import health as passes
from portal.passes.tables import ListName
from portal.standing.part import Name, Part, State
from portal.standing.standing import Standing, is_ready, takes_files
from portal.web.access import operations


def blueprint(parts: Parts, standing: Standing) -> Blueprint:
    """Addresses of operations; they show nothing of a tenant's content, and to strangers nothing at all."""
    pages = Blueprint("health", __name__)
    settings = parts.settings

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
        if monitors.may_see(request.environ, token=token, base_url=settings.base_url, proxies=proxies):
            return jsonify(ready=ready, **_told(parts, found)), status
        return jsonify(ready=ready), status

    return pages


def _told(parts: Parts, found: list[Part]) -> dict[str, object]:
    states = {part.name: part.state for part in found}
    age: dict[str, float | None] = {tenant.slug: None for tenant in parts.tenants.all()}
    if states.get(Name.DATABASE) is not State.DOWN:
        try:
            known = passes.all_of(parts.database, ListName.VACANCIES, parts.clock.now())
        except PortalError:
            known = {}  # it went away since it was asked; the next answer says so
        age.update({slug: one.age for slug, one in known.items() if slug in age})
    short = parts.disks.short()
    return {
        "missing": {part.name: part.says for part in found if part.stops},
        "parts": {part.name: _said(part) for part in found},
        "mirrorAge": age,
        "uploads": "paused" if short or not takes_files(found) else "taken",
        "shortOfRoom": short,
    }


def _said(part: Part) -> dict[str, str]:
    said = {"state": part.state, "says": part.says}
    if part.state is State.OK:
        return said
    return {**said, "since": part.since.isoformat(timespec="seconds"), "means": part.means, "do": part.do}
