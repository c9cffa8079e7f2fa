"""Measures how busy a server is, and collects the metrics of all its processes."""

import platform
import threading
from collections.abc import Iterator
from importlib.metadata import version
from typing import Protocol

from prometheus_client.core import InfoMetricFamily, Metric

from portal.platform.metrics import definitions, shared
from portal.platform.metrics.definitions import ServerMetrics

_MEASURED_EVERY = 5.0
"""Seconds between measurements."""


class SlotGauge(Protocol):
    """Concurrency limit of requests."""

    @property
    def places(self) -> int:
        """How many requests may run."""

    @property
    def working(self) -> int:
        """How many run now."""

    @property
    def waiting(self) -> int:
        """How many wait now."""


class ConnectionPool(Protocol):
    """Pool of database connections."""

    @property
    def connections(self) -> int:
        """Connections in use."""

    @property
    def connections_most(self) -> int:
        """Maximum connections."""


def measure(who: ServerMetrics, pool: ConnectionPool, concurrency: SlotGauge) -> None:
    """Set this process's gauges."""
    who.processes.set(1)
    who.connections.set(pool.connections)
    who.connections_most.set(pool.connections_most)
    who.working.set(concurrency.working)
    who.working_most.set(concurrency.places)
    who.waiting.set(concurrency.waiting)


def start_updating_gauges(who: ServerMetrics, pool: ConnectionPool, concurrency: SlotGauge) -> None:
    """Set the gauges every few seconds from now on, so that any process of the server can report those of this one."""

    shared.reserve()

    def every_few_seconds() -> None:
        never = threading.Event()
        while True:
            measure(who, pool, concurrency)
            never.wait(_MEASURED_EVERY)

    threading.Thread(target=every_few_seconds, daemon=True, name="measure").start()


def families(who: str) -> Iterator[Metric]:
    """Yield the metrics of this process, or of all processes of its server. who: prefix of their names."""
    together = shared.where()
    if together is None:
        known = definitions.OWN.collect()
    else:
        shared.forget_ended(together)
        known = definitions.added_up(str(together)).collect()
    yield from (family for family in known if family.name.startswith(f"{who}_"))
    labels = {"version": version("careers-portal"), "python": platform.python_version()}
    yield InfoMetricFamily(f"{who}_build", "What serves.", value=labels)
