"""What this process and its machine know without asking a database, as figures."""

from collections.abc import Iterator, Sequence

from prometheus_client.core import GaugeMetricFamily, Metric

from portal.parts import Parts
from portal.standing.part import Part, State


def families(parts: Parts, found: Sequence[Part]) -> Iterator[Metric]:
    """Every figure; found: how the parts are."""
    up = GaugeMetricFamily("portal_part_up", "0 while a part is down.", labels=["part"])
    for part in found:
        up.add_metric([part.name], float(part.state is not State.DOWN))
    yield up
    yield _tenant_files(parts)
    yield from _room(parts)


def _tenant_files(parts: Parts) -> Metric:
    wrong = GaugeMetricFamily("portal_tenant_file_wrong", "1 while the tenant's file is wrong.", labels=["tenant"])
    problems = parts.tenants.problems()
    for slug in sorted({*problems, *(tenant.slug for tenant in parts.tenants.all())}):
        wrong.add_metric([slug], float(slug in problems))
    return wrong


def _room(parts: Parts) -> Iterator[Metric]:
    disks = parts.disks
    short = disks.short()
    paused = GaugeMetricFamily(
        "portal_uploads_paused", "1 while this machine has too little room to take files.", labels=["place"]
    )
    free = GaugeMetricFamily("portal_free_bytes", "What may still be written there.", labels=["place"])
    for place, space in disks.free().items():
        paused.add_metric([place], float(place in short))
        free.add_metric([place], space)
    yield from (paused, free)
