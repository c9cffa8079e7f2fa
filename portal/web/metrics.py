"""`/metrics`: what monitoring asks, in Prometheus' text format. For this machine alone, or for who has the token.

It answers while the database is away too, with what is known without it: an alert has to tell which part is away.
"""

from collections.abc import Iterator
from itertools import chain

from flask import Blueprint, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from portal.counted.figures import PORTAL
from portal.counted.serving import families, measure
from portal.errors import PortalError
from portal.front import monitors
from portal.parts import Parts
from portal.standing import here
from portal.standing.part import Name, State
from portal.standing.standing import Standing
from portal.standing.stored import Stored
from portal.web.access import operations


def blueprint(parts: Parts, standing: Standing) -> Blueprint:
    """GET /metrics: 200, 401 without the token from elsewhere, 403 where no token is set."""
    pages = Blueprint("metrics", __name__)
    registry = CollectorRegistry()
    registry.register(_Figures(parts, standing))
    settings, token = parts.settings, parts.settings.metrics_token

    @pages.get("/metrics")
    @operations
    def metrics() -> Response:
        proxies = settings.trusted_proxies
        if not monitors.may_see(request.environ, token=token, base_url=settings.base_url, proxies=proxies):
            status, words, headers = monitors.refusal(token=token, setting="PORTAL_METRICS_TOKEN")
            return Response(words, status=status, headers=headers, mimetype="text/plain")
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    return pages


class _Figures(Collector):
    def __init__(self, parts: Parts, standing: Standing) -> None:
        self._parts, self._standing, self._stored = parts, standing, Stored(parts)

    def describe(self) -> Iterator[Metric]:
        """Nothing beforehand: asking would need the database, which may not have its tables yet."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Ask, anew each time."""
        measure(PORTAL, self._parts.database, self._parts.room)
        found = self._standing.of_each()
        is_away = any(part.name is Name.DATABASE and part.state is State.DOWN for part in found)
        return chain(
            families("portal"), here.families(self._parts, found), [] if is_away else _all_or_nothing(self._stored)
        )


def _all_or_nothing(stored: Stored) -> list[Metric]:
    try:
        return list(stored.families())
    except PortalError:
        return []  # it went away since it was asked; the next answer says so
