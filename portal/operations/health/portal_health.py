"""The current health of every part."""

import threading
from collections.abc import Mapping
from datetime import datetime
from functools import partial

from portal.adapters.inspection.scanner import open_scanner
from portal.operations.health import probes
from portal.operations.health.background import BackgroundProbe
from portal.operations.health.part import MEANS, PartHealth, PartName, PartState, ProbeResult
from portal.platform.logs import Part as Told
from portal.services import Services

OUTSIDE = 10.0
"""Seconds for which the result of a part on another machine is reused."""


class PortalHealth:
    """The health of all parts; one instance per process. It probes only when somebody asks."""

    def __init__(self, services: Services) -> None:
        self._clock = services.clock
        scanner = open_scanner(services.settings.scanner)
        looks = [
            BackgroundProbe(PartName.DATABASE, partial(probes.database, services), services.clock),
            BackgroundProbe(PartName.TENANTS, partial(probes.tenants, services), services.clock),
            BackgroundProbe(PartName.STORE, partial(probes.store, services), services.clock, every=OUTSIDE),
            BackgroundProbe(PartName.DISKS, partial(probes.disks, services), services.clock),
            BackgroundProbe(PartName.INSPECTION, probes.helper, services.clock),
        ]
        if services.settings.rate_limits != "memory:":
            looks.append(
                BackgroundProbe(PartName.LIMITS, partial(probes.limits, services), services.clock, every=OUTSIDE)
            )
        if scanner:
            absence = services.absences.of(Told.SCANNER)
            looks.append(
                BackgroundProbe(
                    PartName.SCANNER, partial(probes.scanner, scanner, absence), services.clock, every=OUTSIDE
                )
            )
        self._looks = looks
        self._lock = threading.Lock()
        self._since: dict[PartName, tuple[PartState, datetime]] = {}

    def of_each(self) -> list[PartHealth]:
        """Return the health of every part that the settings name, within background.PATIENCE seconds whatever hangs.

        Parts whose state is read from the database are omitted while the database does not respond.
        """
        for look in self._looks:
            look.begin()
        found: dict[PartName, ProbeResult] = {}
        for look in self._looks:
            found.update(look.found())
        return self._dated(found)

    def _dated(self, found: Mapping[PartName, ProbeResult]) -> list[PartHealth]:
        now = self._clock.now()
        with self._lock:
            for name, one in found.items():
                known = self._since.get(name)
                if known is None or known[0] is not one.state:
                    self._since[name] = one.state, now
            since = {name: self._since[name][1] for name in found}
        return [
            PartHealth(name, one.state, one.says, since[name], "" if one.state is PartState.OK else MEANS[name])
            for name, one in sorted(found.items(), key=lambda item: list(PartName).index(item[0]))
        ]


def is_ready(parts: list[PartHealth]) -> bool:
    """Return whether applications can be accepted."""
    return not any(part.stops for part in parts)


def takes_files(parts: list[PartHealth]) -> bool:
    """Return whether applications can be accepted with a CV."""
    inspection = next((part.state for part in parts if part.name is PartName.INSPECTION), PartState.OK)
    return is_ready(parts) and inspection is not PartState.DOWN
