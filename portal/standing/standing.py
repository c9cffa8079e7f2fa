"""Every part, as it is now."""

import threading
from collections.abc import Mapping
from datetime import datetime
from functools import partial

from portal.attachments.scanner import open_scanner
from portal.logs import Part as Told
from portal.parts import Parts
from portal.standing import asked
from portal.standing.looking import Look
from portal.standing.part import MEANS, Found, Name, Part, State

OUTSIDE = 10.0
"""Seconds for which the answer of a part that is another machine's is used again."""


class Standing:
    """One of these per process; it asks only when somebody wants to know."""

    def __init__(self, parts: Parts) -> None:
        self._clock = parts.clock
        scanner = open_scanner(parts.settings.scanner)
        looks = [
            Look(Name.DATABASE, partial(asked.database, parts), parts.clock),
            Look(Name.TENANTS, partial(asked.tenants, parts), parts.clock),
            Look(Name.STORE, partial(asked.store, parts), parts.clock, every=OUTSIDE),
            Look(Name.DISKS, partial(asked.disks, parts.disks), parts.clock),
            Look(Name.INSPECTION, asked.helper, parts.clock),
        ]
        if parts.settings.rate_limits != "memory:":
            looks.append(Look(Name.LIMITS, partial(asked.limits, parts), parts.clock, every=OUTSIDE))
        if scanner:
            absence = parts.absences.of(Told.SCANNER)
            looks.append(Look(Name.SCANNER, partial(asked.scanner, scanner, absence), parts.clock, every=OUTSIDE))
        self._looks = looks
        self._lock = threading.Lock()
        self._since: dict[Name, tuple[State, datetime]] = {}

    def of_each(self) -> list[Part]:
        """Every part that the settings name, within looking.PATIENCE seconds whatever hangs.

        What stands in the database is left out while that does not answer: nothing is known of it.
        """
        for look in self._looks:
            look.begin()
        found: dict[Name, Found] = {}
        for look in self._looks:
            found.update(look.found())
        return self._dated(found)

    def _dated(self, found: Mapping[Name, Found]) -> list[Part]:
        now = self._clock.now()
        with self._lock:
            for name, one in found.items():
                known = self._since.get(name)
                if known is None or known[0] is not one.state:
                    self._since[name] = one.state, now
            since = {name: self._since[name][1] for name in found}
        return [
            Part(name, one.state, one.says, since[name], "" if one.state is State.OK else MEANS[name])
            for name, one in sorted(found.items(), key=lambda item: list(Name).index(item[0]))
        ]


def is_ready(parts: list[Part]) -> bool:
    """Whether applications can be taken."""
    return not any(part.stops for part in parts)


def takes_files(parts: list[Part]) -> bool:
    """Whether a CV can be taken with one."""
    inspection = next((part.state for part in parts if part.name is Name.INSPECTION), State.OK)
    return is_ready(parts) and inspection is not State.DOWN
