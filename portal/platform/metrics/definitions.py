"""Every metric. Labels have few values: a slug, a route's pattern, a member of an Enum; all unknown are one value."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, multiprocess

from portal.platform.metrics import shared

shared.reserve()
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library's

OWN = CollectorRegistry()
"""Metrics of this process."""
SECONDS = (0.025, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


def _gauge(name: str, what: str) -> Gauge:
    return Gauge(name, what, multiprocess_mode="livesum", registry=OWN)


class ServerMetrics:
    """Metrics that every server has. who: `portal` or `tracker`, the prefix of their names."""

    def __init__(self, who: str) -> None:
        self.requests = Histogram(
            f"{who}_http_seconds",
            "Requests by the pattern of their address, and how long they took from head to answer.",
            ["route", "method", "status"],
            buckets=SECONDS,
            registry=OWN,
        )
        self.connections = _gauge(f"{who}_database_connections", "Connections to the database that are in use.")
        self.connections_most = _gauge(f"{who}_database_connections_most", "How many there may be.")
        self.working = _gauge(f"{who}_http_working", "Requests that have a place.")
        self.working_most = _gauge(f"{who}_http_working_most", "How many may have one, over all processes.")
        self.waiting = _gauge(f"{who}_http_waiting", "Requests that wait for a place.")
        self.processes = _gauge(f"{who}_processes", "Processes that serve.")


PORTAL, TRACKER = ServerMetrics("portal"), ServerMetrics("tracker")
RECEIVING = _gauge("portal_bodies_receiving", "Bodies that are on their way.")
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
KEYS_REFUSED = Counter("tracker_keys_refused", "Requests with a key that is not valid, or none.", registry=OWN)
RATE_LIMITED = Counter("tracker_rate_limited", "Requests of a key or a network that has made too many.", registry=OWN)


def added_up(together: str) -> CollectorRegistry:
    """Return the metrics of all processes that share this folder."""
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry, path=together)  # type: ignore[no-untyped-call]  # the library's
    return registry
