"""Each counter. A label is of a known alphabet, a slug, a route's pattern, a word of an Enum; the unknown is one value."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, multiprocess

from portal.counted import shared

shared.reserve()
disable_created_metrics()

OWN = CollectorRegistry()
"""What this process counts."""

SECONDS = (0.025, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)

REQUESTS = Histogram(
    "portal_http_seconds",
    "Requests by the pattern of their address, and how long they took from head to answer.",
    ["route", "method", "status"],
    buckets=SECONDS,
    registry=OWN,
)
EVENTS = Counter(
    "portal_events", "What happened in web servers, as the log names it.", ["event", "tenant", "kind"], registry=OWN
)
REFUSED = Counter("portal_refused", "What was refused, by reason.", ["tenant", "kind", "reason"], registry=OWN)
SECURITY = Counter(
    "portal_security_events",
    "Security events, as their stream of the log names them.",
    ["event", "tenant"],
    registry=OWN,
)
CONNECTIONS = Gauge(
    "portal_database_connections",
    "Connections to the database that are in use.",
    multiprocess_mode="livesum",
    registry=OWN,
)
CONNECTIONS_MOST = Gauge(
    "portal_database_connections_most", "How many there may be.", multiprocess_mode="livesum", registry=OWN
)
WORKING = Gauge("portal_http_working", "Requests that have a place.", multiprocess_mode="livesum", registry=OWN)
WORKING_MOST = Gauge(
    "portal_http_working_most",
    "How many may have one: PORTAL_THREADS, of each process.",
    multiprocess_mode="livesum",
    registry=OWN,
)
WAITING = Gauge("portal_http_waiting", "Requests that wait for a place.", multiprocess_mode="livesum", registry=OWN)
RECEIVING = Gauge("portal_bodies_receiving", "Bodies that are on their way.", multiprocess_mode="livesum", registry=OWN)
PROCESSES = Gauge("portal_processes", "Processes that serve.", multiprocess_mode="livesum", registry=OWN)


def added_up(shared: str) -> CollectorRegistry:
    """What all processes counted that share this folder."""
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry, path=shared)  # type: ignore[no-untyped-call]  # the library's
    return registry
