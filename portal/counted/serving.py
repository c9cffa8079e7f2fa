"""How full a server is; and all of its figures, of whichever of its processes."""

import platform
import threading
from collections.abc import Iterator
from importlib.metadata import version
from typing import Protocol

from prometheus_client.core import InfoMetricFamily, Metric

from portal.counted import figures, shared
from portal.counted.figures import Serving

_MEASURED_EVERY = 5.0
"""Seconds."""


class Places(Protocol):
    """Room for requests."""

    @property
    def places(self) -> int:
        """How many may work."""
        ...

    @property
    def working(self) -> int:
        """How many do."""
        ...

    @property
    def waiting(self) -> int:
        """How many wait."""
        ...


class Pool(Protocol):
    """Connections to a database."""

    @property
    def connections(self) -> int:
        """In use."""
        ...

    @property
    def connections_most(self) -> int:
        """At most."""
        ...


def measure(who: Serving, pool: Pool, room: Places) -> None:
    """Set this process's gauges."""
    who.processes.set(1)
    who.connections.set(pool.connections)
    who.connections_most.set(pool.connections_most)
    who.working.set(room.working)
    who.working_most.set(room.places)
    who.waiting.set(room.waiting)


def keep_measuring(who: Serving, pool: Pool, room: Places) -> None:
    """From now on, so that whichever process of a server is asked can tell of this one."""

    shared.reserve()

    def every_few_seconds() -> None:
        never = threading.Event()
        while True:
            measure(who, pool, room)
            never.wait(_MEASURED_EVERY)

    threading.Thread(target=every_few_seconds, daemon=True, name="measure").start()


def families(who: str) -> Iterator[Metric]:
    """What this process has counted, or all processes of its server. who: with which the names begin."""
    together = shared.where()
    if together is None:
        known = figures.OWN.collect()
    else:
        shared.forget_ended(together)
        known = figures.added_up(str(together)).collect()
    yield from (family for family in known if family.name.startswith(f"{who}_"))
    said = {"version": version("careers-portal"), "python": platform.python_version()}
    yield InfoMetricFamily(f"{who}_build", "What serves.", value=said)
