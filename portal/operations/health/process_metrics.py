"""Metrics of this process and its machine, which need no database."""

from collections.abc import Iterator, Sequence

from prometheus_client.core import GaugeMetricFamily, Metric

from portal.operations.health.part import PartHealth, PartState
from portal.services import Services


def families(services: Services, found: Sequence[PartHealth]) -> Iterator[Metric]:
    """Yield every metric. found: the health of the parts."""
    up = GaugeMetricFamily("portal_part_up", "0 while a part is down.", labels=["part"])
    for part in found:
        up.add_metric([part.name], float(part.state is not PartState.DOWN))
    yield up
    yield _tenant_files(services)
    yield from _room(services)


def _tenant_files(services: Services) -> Metric:
    wrong = GaugeMetricFamily("portal_tenant_file_wrong", "1 while the tenant's file is invalid.", labels=["tenant"])
    problems = services.tenants.problems()
    for slug in sorted({*problems, *(tenant.slug for tenant in services.tenants.all())}):
        wrong.add_metric([slug], float(slug in problems))
    return wrong


def _room(services: Services) -> Iterator[Metric]:
    disks = services.disks
    short = disks.short()
    paused = GaugeMetricFamily(
        "portal_uploads_paused", "1 while this machine has too little disk space to accept files.", labels=["place"]
    )
    free = GaugeMetricFamily("portal_free_bytes", "Bytes that can still be written there.", labels=["place"])
    for place, space in disks.free().items():
        paused.add_metric([place], float(place in short))
        free.add_metric([place], space)
    yield from (paused, free)
